"""One kind followed without end: a list, then watches, one after the other, each from where the last one stopped."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import orjson
from tenacity.wait import wait_base

from utilities.clients import Following, Resource, Rest
from utilities.clients.translation import refusal
from utilities.errors import Gone, SiteError, Unreachable
from utilities.history import Change, Gap, Record
from utilities.watching.retries import BACKOFF, PATIENCE, persistent

CONNECTION_SECONDS = 300.0
"""Wall seconds after which a server is asked to end a watch; the next one goes on from there."""
SILENCE_SECONDS = 75.0
"""Servers send a bookmark about every minute. A connection silent for longer is replaced; nothing is lost by that."""
ASKED_SECONDS = 3
"""Time asked for a watch when somebody waits for proof of silence: a server sends a bookmark 2 s before it ends one."""
_AT_ONCE = 0.5
"""A watch that ends faster than this (wall seconds) with nothing said counts as failed."""

_CHANGES = {"ADDED": Change.ADDED, "MODIFIED": Change.MODIFIED, "DELETED": Change.DELETED}


@dataclass(frozen=True, slots=True)
class Watched:
    """What to follow: a kind, in one namespace or in all, one object of it or those that selectors choose.

    An object that leaves what the selectors choose counts as gone, and as new when it comes back.
    """

    resource: Resource
    namespace: str | None = None
    name: str | None = None
    labels: str | None = None
    fields: str | None = None

    @property
    def selectors(self) -> dict[str, str | None]:
        """As `Rest.list` and `Rest.follow` take them."""
        fields = [*([f"metadata.name={self.name}"] if self.name else []), *([self.fields] if self.fields else [])]
        return {"labels": self.labels, "fields": ",".join(fields) or None}

    def __str__(self) -> str:
        """E.g. `Pod qa/launcher-1`, `Pods in qa with a=b`."""
        where = f"{self.namespace}/" if self.namespace else ""
        if self.name:
            return f"{self.resource.kind} {where}{self.name}"
        chosen = " and ".join(part for part in (self.labels, self.fields) if part)
        scope = f" in {self.namespace}" if self.namespace else ""
        return f"{self.resource.kind}s{scope}{f' with {chosen}' if chosen else ''}"


class Stream:
    """Everything that happens to what is watched, in order, as records; and the gaps where that cannot be promised.

    Survives the end and the loss of connections (the next watch starts at the last resourceVersion received) and
    transient errors (for `patience` wall seconds). When the server no longer remembers that version (410) it lists
    again: a Gap, then what differs from the last known state. One thread calls `advance`; any thread may `close`.

    deadline: monotonic wall seconds at which the caller stops caring; connections are not asked to last longer.
    """

    def __init__(
        self,
        rest: Rest,
        watched: Watched,
        *,
        deadline: float = math.inf,
        patience: float = PATIENCE,
        backoff: wait_base = BACKOFF,
    ) -> None:
        self.established = Event()
        """Set once the initial list is there and a watch goes on from it."""
        self.known: dict[str, Record] = {}
        """The last record of each object that exists, by uid."""
        self.position = 0
        """Order (see Record.order) up to which everything has been delivered."""
        self._rest = rest
        self._watched = watched
        self._deadline = deadline
        self._patience = patience
        self._backoff = backoff
        self._closed = Event()
        self._asked = Event()
        self._following: Following | None = None
        self._opened, self._brief = 0.0, False
        self._heard = False
        self._version: str | None = None
        self._progress = time.monotonic()
        self._lost = ""

    @property
    def closed(self) -> bool:
        """Whether somebody has closed it."""
        return self._closed.is_set()

    def advance(self) -> Sequence[Record | Gap]:
        """Wait for what comes next; may be nothing, e.g. when a connection was opened or has ended.

        Raises the suite's errors for what is not transient, and for what stayed so beyond patience or deadline.
        """
        patience = max(0.0, min(self._patience, self._deadline - time.monotonic()))
        return persistent(self._closed, patience=patience, backoff=self._backoff)(self._step)

    def ask(self) -> None:
        """Let the server say soon up to where we have heard everything, also if nothing happens; any thread may.

        Watches are short from now on: each repeats what was not delivered, and servers tell their position at its end.
        """
        if not self._asked.is_set():
            self._asked.set()
            if (following := self._following) is not None:
                following.cut()

    def close(self) -> None:
        """Stop following; an `advance` that waits in another thread returns."""
        self._closed.set()
        if (following := self._following) is not None:
            following.cut()

    def release(self) -> None:
        """Give back the connection; for the thread that calls `advance`, when it is done."""
        self._closed.set()
        self._disconnect()

    def snapshot(self, patience: float) -> Mapping[str, Any]:
        """The present state of what is watched, as a list object; does not touch the stream."""
        return persistent(self._closed, patience=patience, backoff=self._backoff)(self._list)

    def _list(self) -> Mapping[str, Any]:
        return self._rest.list(self._watched.resource, self._watched.namespace, **self._watched.selectors)

    def _step(self) -> Sequence[Record | Gap]:
        if self._version is None:
            return self._listed()
        if self._following is None:
            self._connect()
            return ()
        try:
            events = self._following.read()
        except Unreachable:
            self._disconnect()
            raise
        if events is None:
            self._end()
            return ()
        return self._taken(events)

    def _connect(self) -> None:
        left = max(0.0, self._deadline - time.monotonic())
        self._brief = self._asked.is_set()
        longest = ASKED_SECONDS if self._brief else CONNECTION_SECONDS
        try:
            self._following = self._rest.follow(
                self._watched.resource,
                self._watched.namespace,
                version=str(self._version),
                seconds=min(longest, math.ceil(left) if math.isfinite(left) else longest),
                silence=max(0.1, min(SILENCE_SECONDS, left)),
                **self._watched.selectors,
            )
        except Gone as error:
            self._forget(error.what)
            return
        self._opened, self._heard = time.monotonic(), False
        self.established.set()
        if self.closed or self._outdated:
            self._following.cut()

    @property
    def _outdated(self) -> bool:
        """Whether the open watch is from before somebody asked."""
        return self._asked.is_set() and not self._brief

    def _disconnect(self) -> None:
        if self._following is not None:
            self._following.close()
            self._following = None

    def _end(self) -> None:
        """After a watch that is over. One that said nothing and ended at once is a failure to back off from."""
        self._disconnect()
        lasted = time.monotonic() - self._opened
        wanted = self.closed or self._outdated or self._opened + lasted >= self._deadline
        if not self._heard and lasted < _AT_ONCE and not wanted:
            raise Unreachable(
                f"{self._rest.url} ends the watch of {self._watched} as soon as it is opened",
                next_step="look at the API server and at proxies in front of it",
            )

    def _forget(self, reason: str) -> None:
        """The server does not remember our version: all we can do is to list again."""
        self._disconnect()
        self._version, self._lost = None, reason

    def _taken(self, events: Sequence[Mapping[str, Any]]) -> Sequence[Record]:
        """Records of events; an ERROR is always the last of its connection."""
        records: list[Record] = []
        for event in events:
            kind, obj = str(event["type"]), event["object"]
            if kind == "ERROR":
                self._fail(obj, already=bool(records))
                break
            self._heard = True
            self._move(str(obj["metadata"]["resourceVersion"]))
            if kind in _CHANGES:  # the other one is BOOKMARK
                record = Record.of(_CHANGES[kind], self._watched.resource.kind, obj, received=self._progress)
                records.append(self._remembered(record))
        return records

    def _fail(self, status: Mapping[str, Any], *, already: bool) -> None:
        """A watch that ends in an ERROR. Raises it unless something has been received that must not be lost by that."""
        if status.get("code") == 410:
            self._forget(str(status.get("message")))
            return
        self._disconnect()
        if not already:
            doing = f"WATCH {self._watched}"
            raise refusal(self._rest.url, doing, int(status.get("code") or 500), orjson.dumps(status))

    def _listed(self) -> Sequence[Record | Gap]:
        """The first list, or what a later one shows to be different."""
        found = self._list()
        version, before = str(found["metadata"]["resourceVersion"]), self.position
        since = self._progress
        self._move(version)
        change = Change.RELISTED if self._lost else Change.LISTED
        kind = self._watched.resource.kind
        records = [Record.of(change, kind, obj, received=self._progress) for obj in found["items"]]
        if not self._lost:
            return [self._remembered(record) for record in records]
        listed = {record.uid for record in records}
        vanished = [
            Record.of(Change.VANISHED, kind, old.object, received=self._progress, version=version)
            for uid, old in self.known.items()
            if uid not in listed
        ]
        new = [r for r in records if r.uid not in self.known or self.known[r.uid].order != r.order]
        gap = Gap(kind, before, self.position, since, self._progress, self._lost)
        self._lost = ""
        return [gap, *(self._remembered(record) for record in [*new, *vanished])]

    def _remembered(self, record: Record) -> Record:
        if record.gone:
            self.known.pop(record.uid, None)
        else:
            self.known[record.uid] = record
        return record

    def _move(self, version: str) -> None:
        if not version.isdigit():
            raise SiteError(
                f"{self._rest.url} uses resourceVersion {version!r}, which is no number and cannot be ordered",
                next_step="report it: recordings need an API server with numeric resourceVersions",
            )
        self._version, self.position, self._progress = version, int(version), time.monotonic()
