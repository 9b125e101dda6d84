"""Storage: immutable snapshots under one revision counter, with a ring of changes per kind for resuming watches."""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import orjson

from lab.apiserver.indexes import Extract, Index, Name

StoreKey = tuple[str, str]  # (group, plural)
ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]
RING = 10_000  # changes kept per kind (kubernetes-api sheet §3.2)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of one object. `obj` is shared and must never be changed in place."""

    key: StoreKey
    namespace: str
    name: str
    revision: int
    obj: Mapping[str, object]
    _raw: bytes = field(default=b"", init=False, repr=False, compare=False)

    @property
    def raw(self) -> bytes:
        """Its JSON, made once, when a client first asks: most states pass without anybody reading them."""
        if not self._raw:
            object.__setattr__(self, "_raw", orjson.dumps(self.obj))
        return self._raw


@dataclass(frozen=True, slots=True)
class Change:
    """One committed write. For DELETED, `new` is the last state carrying the revision of the deletion."""

    type: ChangeType
    old: Snapshot | None
    new: Snapshot

    @property
    def revision(self) -> int:
        """The revision this write committed."""
        return self.new.revision


class ExpiredError(Exception):
    """The wanted revision is older than the ring; clients get 410. `oldest` can still be had."""

    def __init__(self, oldest: int) -> None:
        super().__init__(f"the oldest revision kept is {oldest}")
        self.oldest = oldest


class Store:
    """All objects of all kinds. Writers pass complete objects; `metadata.resourceVersion` is set here and only here."""

    def __init__(self, ring: int = RING) -> None:
        self.revision = 1
        self._ring_size = ring
        self._objects: dict[StoreKey, dict[Name, Snapshot]] = {}
        self._order: dict[StoreKey, list[Name]] = {}
        self._rings: dict[StoreKey, deque[Change]] = {}
        self._forgotten: dict[StoreKey, int] = {}  # revision of the newest change that fell out of the ring
        self._listeners: dict[StoreKey, list[Callable[[Change], None]]] = {}
        self._listeners_of_all: list[Callable[[Change], None]] = []
        self._indexes: dict[StoreKey, dict[str, Index]] = {}
        self._undelivered: deque[Change] = deque()
        self._delivering = False

    def get(self, key: StoreKey, namespace: str, name: str) -> Snapshot | None:
        """The current snapshot, None if there is none."""
        return self._objects.get(key, {}).get((namespace, name))

    def scan(self, key: StoreKey, namespace: str | None = None, after: Name | None = None) -> Iterator[Snapshot]:
        """Snapshots of a kind ordered by namespace, then name; None: all namespaces. Only those behind `after`."""
        objects = self._objects.get(key, {})
        return iter([objects[name] for name in self._names(key, namespace, after)])

    def page(
        self, key: StoreKey, limit: int, namespace: str | None = None, after: Name | None = None
    ) -> tuple[list[Snapshot], int]:
        """The first `limit` of `scan`, and how many there are in all."""
        objects, names = self._objects.get(key, {}), self._names(key, namespace, after)
        return [objects[name] for name in names[:limit]], len(names)

    def at(
        self, key: StoreKey, revision: int, namespace: str | None = None, after: Name | None = None
    ) -> Iterator[Snapshot]:
        """As `scan`, at a past revision: later changes are taken back. Raises ExpiredError when that is impossible."""
        newer = self.since(key, revision)
        if not newer:
            return self.scan(key, namespace, after)
        state = dict(self._objects.get(key, {}))
        for change in reversed(newer):
            name = (change.new.namespace, change.new.name)
            if change.old is None:
                state.pop(name, None)
            else:
                state[name] = change.old
        names = sorted(name for name in state if after is None or name > after)
        return iter([state[name] for name in names if namespace is None or name[0] == namespace])

    def keys(self) -> tuple[StoreKey, ...]:
        """Kinds that hold at least one object."""
        return tuple(key for key, objects in self._objects.items() if objects)

    def index(self, key: StoreKey, name: str, extract: Extract) -> None:
        """Keep an index of a kind: `extract` gives an object's value, None to leave it out."""
        index = self._indexes.setdefault(key, {})[name] = Index(extract)
        for snapshot in self.scan(key):
            index.move((snapshot.namespace, snapshot.name), None, snapshot.obj)

    def indexed(self, key: StoreKey, name: str) -> bool:
        """Whether `lookup` can answer for this index."""
        return name in self._indexes.get(key, {})

    def lookup(self, key: StoreKey, name: str, value: str, namespace: str | None = None) -> Iterator[Snapshot]:
        """As `scan`, only the objects with this value in an index."""
        objects = self._objects.get(key, {})
        names = self._indexes[key][name].names(value)
        return iter([objects[found] for found in names if namespace is None or found[0] == namespace])

    def put(self, key: StoreKey, obj: Mapping[str, object]) -> Snapshot:
        """Commit a new or changed object; the caller has checked everything. Returns what was stored."""
        snapshot = self._snapshot(key, obj)
        name = (snapshot.namespace, snapshot.name)
        objects = self._objects.setdefault(key, {})
        old = objects.get(name)
        if old is None:
            bisect.insort(self._order.setdefault(key, []), name)
        objects[name] = snapshot
        self._emit(Change("MODIFIED" if old else "ADDED", old, snapshot))
        return snapshot

    def remove(self, key: StoreKey, namespace: str, name: str, last: Mapping[str, object] | None = None) -> Snapshot:
        """Commit a deletion; `last` replaces the last state. Returns that state under the deletion's revision."""
        old = self._objects[key].pop((namespace, name))
        order = self._order[key]
        del order[bisect.bisect_left(order, (namespace, name))]
        gone = self._snapshot(key, old.obj if last is None else last)
        self._emit(Change("DELETED", old, gone))
        return gone

    def since(self, key: StoreKey, revision: int) -> list[Change]:
        """Changes of a kind after `revision`, oldest first. Raises ExpiredError when some are no longer kept."""
        forgotten = self._forgotten.get(key, 0)
        if revision < forgotten:
            raise ExpiredError(forgotten)
        newer: list[Change] = []
        for change in reversed(self._rings.get(key, ())):
            if change.revision <= revision:
                break
            newer.append(change)
        newer.reverse()
        return newer

    def newest(self, key: StoreKey) -> int:
        """Revision of the last change of a kind, 0 if there was none."""
        ring = self._rings.get(key)
        return ring[-1].revision if ring else 0

    def listen(self, key: StoreKey, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` for every change of a kind, in commit order. Returns the way to stop.

        A write made inside a listener is committed at once, and told to listeners after the change being told.
        """
        listeners = self._listeners.setdefault(key, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def listen_to_all(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """As `listen`, for every kind there is and will be (garbage collection)."""
        self._listeners_of_all.append(listener)
        return lambda: self._listeners_of_all.remove(listener) if listener in self._listeners_of_all else None

    def _names(self, key: StoreKey, namespace: str | None, after: Name | None) -> list[Name]:
        order = self._order.get(key, [])
        start = 0 if after is None else bisect.bisect_right(order, after)
        stop = len(order)
        if namespace is not None:
            start = max(start, bisect.bisect_left(order, (namespace, "")))
            stop = bisect.bisect_left(order, (namespace + "\0", ""))
        return order[start:stop]

    def _snapshot(self, key: StoreKey, obj: Mapping[str, object]) -> Snapshot:
        metadata = obj["metadata"]
        if not isinstance(metadata, Mapping):
            raise TypeError("metadata must be an object")
        self.revision += 1
        stored = {**obj, "metadata": {**metadata, "resourceVersion": str(self.revision)}}
        namespace, name = str(metadata.get("namespace") or ""), str(metadata["name"])
        return Snapshot(key, namespace, name, self.revision, stored)

    def _emit(self, change: Change) -> None:
        key = change.new.key
        for index in self._indexes.get(key, {}).values():
            old = None if change.old is None else change.old.obj
            new = None if change.type == "DELETED" else change.new.obj
            index.move((change.new.namespace, change.new.name), old, new)
        ring = self._rings.setdefault(key, deque())
        if len(ring) >= self._ring_size:
            self._forgotten[key] = ring.popleft().revision
        ring.append(change)
        self._undelivered.append(change)
        if not self._delivering:
            self._deliver()

    def _deliver(self) -> None:
        self._delivering = True
        try:
            while self._undelivered:
                change = self._undelivered.popleft()
                for listener in (*self._listeners.get(change.new.key, ()), *self._listeners_of_all):
                    listener(change)
        finally:
            self._delivering = False
