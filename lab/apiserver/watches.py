"""Watches: changes pushed from the store into a queue as they are committed (kubernetes-api sheet §3.2, §3.3)."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Literal
from weakref import WeakSet

import orjson

from lab.apiserver import revisions, versions
from lab.apiserver.admission import Object
from lab.apiserver.causes import forbidden_value
from lab.apiserver.errors import ApiError
from lab.apiserver.lists import current
from lab.apiserver.resources import Resource
from lab.apiserver.selectors import Selector, parse_selector
from lab.apiserver.store import Change, ExpiredError, Snapshot, Store

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
BACKLOG = 10_000  # events a reader may lie behind before it is dropped
_INITIAL_END = {"k8s.io/initial-events-end": "true"}


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The query of a watch, as sent."""

    labels: str = ""
    fields: str = ""
    revision: str = ""  # resourceVersion
    match: str = ""  # resourceVersionMatch
    bookmarks: bool = False  # allowWatchBookmarks
    initial_events: bool | None = None  # sendInitialEvents; None: not given


FROM_START = WatchOptions()


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One event of a watch; a bookmark has no snapshot but `mark`."""

    type: EventType
    resource: Resource
    snapshot: Snapshot | None
    mark: Object | None = None

    @property
    def obj(self) -> Object:
        """The object in the version watched. Shared with the store: never change it."""
        if self.snapshot is None:
            return dict(self.mark or {})
        return versions.outward(self.resource, self.snapshot.obj)

    def frame(self) -> bytes:
        """The event as one line of the stream, from the snapshot's own bytes."""
        body = orjson.dumps(self.mark) if self.snapshot is None else versions.raw(self.resource, self.snapshot)
        return b'{"type":"' + self.type.encode() + b'","object":' + body + b"}\n"


def error_frame(error: ApiError) -> bytes:
    """The line that ends a stream with an error."""
    return b'{"type":"ERROR","object":' + orjson.dumps(error.status()) + b"}\n"


class Watch:
    """Events of one kind from a revision on, without gaps and in commit order, until closed.

    Opened by `Api.watch`. `dropped` is True when the reader was too slow and the watch ended itself.
    """

    def __init__(self, store: Store, resource: Resource, namespace: str | None, options: WatchOptions) -> None:
        self.resource = resource
        self.dropped = False
        self._store = store
        self._namespace = namespace
        self._options = options
        self._selector = parse_selector(resource, options.labels, options.fields)
        self._name = self._selector.name
        self._events: deque[WatchEvent] = deque()
        self._ready = asyncio.Event()
        self._closed = False
        self._start = store.revision  # changes up to here are in the queue already
        _refuse(options)
        self._begin(revisions.watch_number(options.revision))
        self._limit = len(self._events) + BACKLOG
        self._stop = store.listen(resource.key, self._follow)

    @property
    def closed(self) -> bool:
        """True when nothing more will come; what is queued can still be taken."""
        return self._closed

    async def events(self) -> list[WatchEvent]:
        """All events waiting, at least one; empty when the watch is closed and everything was taken."""
        while not self._events and not self._closed:
            self._ready.clear()
            await self._ready.wait()
        return self.take()

    def take(self) -> list[WatchEvent]:
        """All events waiting now, possibly none."""
        events = list(self._events)
        self._events.clear()
        self._limit = BACKLOG
        return events

    def bookmark(self) -> None:
        """Queue a bookmark of the present revision, if the client wants any; due every 60 s and before a timeout."""
        if self._options.bookmarks and not self._closed:
            self._push(_bookmark(self.resource, self._store.revision))

    def close(self) -> None:
        """End the watch; closing twice is harmless."""
        self._stop()
        self._closed = True
        self._ready.set()

    def _begin(self, revision: int) -> None:
        """Queue what happened before now: initial objects, or the changes since a revision."""
        if revision > self._start:
            raise revisions.not_reached(revision, self._start)
        initial = self._options.initial_events
        if initial or (revision == 0 and initial is None):
            self._events.extend(self._present())
            if initial and self._options.bookmarks:
                self._events.append(_bookmark(self.resource, self._start, _INITIAL_END))
            return
        if revision == 0:
            return
        try:
            past = self._store.since(self.resource.key, revision)
        except ExpiredError as error:
            raise revisions.expired(revision, error.oldest) from error
        self._events.extend(event for change in past if (event := self._seen(change)) is not None)

    def _present(self) -> list[WatchEvent]:
        candidates = current(self._store, self.resource, self._namespace, self._selector)
        return [WatchEvent("ADDED", self.resource, item) for item in candidates if self._selector.matches(item.obj)]

    def _follow(self, change: Change) -> None:
        if change.revision <= self._start:
            return
        event = self._seen(change)
        if event is not None:
            self._push(event)

    def _push(self, event: WatchEvent) -> None:
        if len(self._events) >= self._limit:
            self.dropped = True
            self._events.clear()
            self.close()
            return
        self._events.append(event)
        self._ready.set()

    def _seen(self, change: Change) -> WatchEvent | None:
        """The change as this watch sees it: selectors filter by transition."""
        if self._namespace is not None and change.new.namespace != self._namespace:
            return None
        if self._name is not None and change.new.name != self._name:
            return None
        if self._selector.empty:
            return WatchEvent(change.type, self.resource, change.new)
        return _transition(self._selector, self.resource, change)


class OpenWatches:
    """The watches of one server that are still open, to be ended together."""

    def __init__(self) -> None:
        self._watches: WeakSet[Watch] = WeakSet()

    def add(self, watch: Watch) -> Watch:
        """Remember a watch while somebody reads it."""
        self._watches.add(watch)
        return watch

    def close(self, resource: Resource | None = None) -> None:
        """End all watches cleanly, or those of one kind in one version."""
        for watch in tuple(self._watches):
            if resource is None or watch.resource == resource:
                watch.close()

    def __len__(self) -> int:
        return sum(not watch.closed for watch in self._watches)


def _transition(selector: Selector, resource: Resource, change: Change) -> WatchEvent | None:
    old, new = change.old, change.new
    matched = old is not None and selector.matches(old.obj)
    matches = change.type != "DELETED" and selector.matches(new.obj)
    if matched and matches:
        return WatchEvent("MODIFIED", resource, new)
    if matches:
        return WatchEvent("ADDED", resource, new)
    if not matched or old is None:
        return None
    return WatchEvent("DELETED", resource, new if change.type == "DELETED" else _at(old, new.revision))


def _at(snapshot: Snapshot, revision: int) -> Snapshot:
    """The last state that matched, under the revision at which it ceased to."""
    metadata: dict[str, Any] = dict(snapshot.obj["metadata"])  # type: ignore[call-overload]  # objects have metadata
    obj = {**snapshot.obj, "metadata": {**metadata, "resourceVersion": str(revision)}}
    return replace(snapshot, revision=revision, obj=obj)


def _bookmark(resource: Resource, revision: int, annotations: dict[str, str] | None = None) -> WatchEvent:
    metadata: dict[str, Any] = {"resourceVersion": str(revision), "creationTimestamp": None}
    if annotations:
        metadata["annotations"] = annotations
    mark = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
    return WatchEvent("BOOKMARK", resource, None, mark)


def _refuse(options: WatchOptions) -> None:
    """The combinations that make no sense."""
    if options.initial_events is not None and options.match != revisions.NOT_OLDER_THAN:
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        raise revisions.refused(forbidden_value("resourceVersionMatch", why))
    if options.match and options.initial_events is None:
        raise revisions.match_forbidden("for watch unless sendInitialEvents is provided")
