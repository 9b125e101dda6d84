"""Storage: immutable snapshots under one revision counter, with a ring of changes per kind for resuming watches."""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import orjson

StoreKey = tuple[str, str]  # (group, plural)
Name = tuple[str, str]  # (namespace or "", name)
ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]
RING = 20_000  # changes kept per kind


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of one object. `obj` is shared and must never be changed in place; `raw` is its JSON, made once."""

    key: StoreKey
    namespace: str
    name: str
    revision: int
    obj: Mapping[str, object]
    raw: bytes


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
    """The wanted revision is older than the ring; clients get 410."""


class Store:
    """All objects of all kinds. Writers pass complete objects; `metadata.resourceVersion` is set here and only here."""

    def __init__(self) -> None:
        self.revision = 1
        self._objects: dict[StoreKey, dict[Name, Snapshot]] = {}
        self._order: dict[StoreKey, list[Name]] = {}
        self._rings: dict[StoreKey, deque[Change]] = {}
        self._forgotten: dict[StoreKey, int] = {}  # revision of the newest change that fell out of the ring
        self._listeners: dict[StoreKey, list[Callable[[Change], None]]] = {}

    def get(self, key: StoreKey, namespace: str, name: str) -> Snapshot | None:
        """The current snapshot, None if there is none."""
        return self._objects.get(key, {}).get((namespace, name))

    def scan(self, key: StoreKey, namespace: str | None = None) -> Iterator[Snapshot]:
        """Snapshots of a kind ordered by namespace, then name; None: all namespaces."""
        objects, order = self._objects.get(key, {}), self._order.get(key, [])
        if namespace is None:
            return iter([objects[name] for name in order])
        start = bisect.bisect_left(order, (namespace, ""))
        stop = bisect.bisect_left(order, (namespace + "\0", ""))
        return iter([objects[name] for name in order[start:stop]])

    def keys(self) -> tuple[StoreKey, ...]:
        """Kinds that hold at least one object."""
        return tuple(key for key, objects in self._objects.items() if objects)

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
        if revision < self._forgotten.get(key, 0):
            raise ExpiredError
        ring = self._rings.get(key, ())
        return [change for change in ring if change.revision > revision]

    def listen(self, key: StoreKey, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` for every change of a kind, right after its commit. Returns the way to stop."""
        listeners = self._listeners.setdefault(key, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def _snapshot(self, key: StoreKey, obj: Mapping[str, object]) -> Snapshot:
        metadata = obj["metadata"]
        if not isinstance(metadata, Mapping):
            raise TypeError("metadata must be an object")
        self.revision += 1
        stored = {**obj, "metadata": {**metadata, "resourceVersion": str(self.revision)}}
        namespace, name = str(metadata.get("namespace") or ""), str(metadata["name"])
        return Snapshot(key, namespace, name, self.revision, stored, orjson.dumps(stored))

    def _emit(self, change: Change) -> None:
        key = change.new.key
        ring = self._rings.setdefault(key, deque())
        if len(ring) >= RING:
            self._forgotten[key] = ring.popleft().revision
        ring.append(change)
        for listener in tuple(self._listeners.get(key, ())):
            listener(change)
