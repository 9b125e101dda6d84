"""The lock of a cluster, held in a Lease of that cluster and kept alive while it is held."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from utilities.clients import LEASES, Rest
from utilities.errors import Conflict, NotFound, SuiteError, TurnLost, WaitTimeout
from utilities.history import Obj
from utilities.sharing.expiry import Expiry
from utilities.sharing.holders import NOTE, Holders, Mode
from utilities.watching import rereading

DURATION = 60
"""Seconds without a renewal after which a holder is taken for gone; renewed three times as often."""
_EVERY = 0.5  # wall seconds between two attempts to enter


@dataclass(frozen=True, slots=True)
class Passing:
    """Wall time: `now` in seconds of a monotonic clock, and a way to let some of them pass."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class LeaseFile:
    """One Lease as something to read and to replace: made when there is something to write, gone when there is not."""

    rest: Rest
    name: str
    namespace: str

    def read(self) -> Obj:
        """The Lease, or what it would be without any holder. Raises the suite's API errors."""
        try:
            return self.rest.get(LEASES, self.name, self.namespace)
        except NotFound:
            return {"metadata": {"name": self.name, "namespace": self.namespace}}

    def replace(self, lease: Obj) -> None:
        """Write it, if nobody else has since it was read. Raises Conflict."""
        metadata = lease["metadata"]
        version = metadata.get("resourceVersion")
        path = LEASES.path(self.namespace, self.name)
        try:
            if Holders.of(lease).stamps() or NOTE in (metadata.get("annotations") or {}):
                if version is None:
                    self.rest.create(LEASES, lease, self.namespace)
                else:
                    self.rest.call("PUT", path, body={"apiVersion": LEASES.api_version, "kind": LEASES.kind, **lease})
            elif version is not None:
                preconditions = {"uid": metadata["uid"], "resourceVersion": version}
                body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}
                self.rest.call("DELETE", path, body=body)
        except NotFound as error:
            raise Conflict(f"{self} is gone", next_step="read it again", code=404) from error

    def __str__(self) -> str:
        return f"Lease {self.namespace}/{self.name}"


class Heir(Protocol):
    """Takes back what others have changed who hold a lock no longer because they are gone."""

    def watch(self) -> None:
        """Look at who is alive. Called again and again while there are others in a lock."""

    def settled(self, who: str) -> bool:
        """Take back what somebody has changed who does not renew a lock; False when it is alive all the same.

        Raises UndoFailed when something cannot be taken back, and the suite's API errors.
        """


class _NothingToTakeBack:
    """For locks of those who keep no journal."""

    def watch(self) -> None:
        """Nobody to look at."""

    def settled(self, who: str) -> bool:
        """At once."""
        del who
        return True


NOTHING_TO_TAKE_BACK: Heir = _NothingToTakeBack()


@dataclass(slots=True)
class ClusterLock:
    """One holder's side of the lock: `enter`, `leave`, and `renew` in between, which a thread of ours calls.

    who: unique among all runs and workers. Once lost (not renewed in time, or taken over) it says so for ever: what
    was seen meanwhile proves nothing. heir: has taken back what somebody changed who is gone before its place is free.
    """

    file: LeaseFile
    who: str
    duration: int = DURATION
    passing: Passing = field(default_factory=Passing)
    heir: Heir = NOTHING_TO_TAKE_BACK
    held: Mode | None = field(default=None, init=False)
    lost: str = field(default="", init=False)
    _expiry: Expiry = field(init=False)
    _gone: dict[str, str] = field(default_factory=dict, init=False)  # their last stamps, by holder
    _renewed: float = field(default=0.0, init=False)
    _guard: Any = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._expiry = Expiry(self.duration)

    def enter(self, mode: Mode, within: float) -> None:
        """Hold it in that way; waits for others. within: wall seconds. Raises WaitTimeout naming who holds it."""
        try:
            self._enter(mode, within)
        except BaseException:
            self._change(lambda found, _: found.without(self.who))  # who has given up does not keep others out
            raise

    def _enter(self, mode: Mode, within: float) -> None:
        deadline = self.passing.now() + within
        while not self._attempt(mode):
            if self.passing.now() >= deadline:
                holders = Holders.of(self.file.read())
                others = ", ".join(sorted(holders.without(self.who).stamps())) or "nobody any more"
                raise WaitTimeout(
                    f"{self.file} could not be held {mode} within {within:.0f} s; it is held or waited for by {others}",
                    next_step="wait for the other runs on this cluster to end, or run fewer at once",
                )
            self.passing.wait(_EVERY)

    def leave(self) -> None:
        """Hold it no longer. Raises the suite's API errors."""
        with self._guard:
            self.held = None
        try:
            self._succeed()
        finally:
            self._change(lambda found, _: found.without(self.who))

    def renew(self) -> None:
        """Say that we are alive. Remembers when it is too late for that; raises the suite's API errors."""
        with self._guard:
            if self.held is None or self.lost:
                return
            mode = self.held
        try:
            found = self._change(lambda holders, stamp: holders.renewed_by(self.who, stamp))
        except SuiteError:
            with self._guard:
                if self.held is mode and self.passing.now() - self._renewed >= self.duration:
                    self.lost = f"{self.file} could not be renewed for {self.duration} s"
            raise
        with self._guard:
            if self.held is not mode:
                return
            if found is None or not found.holds(self.who, mode):
                self.lost = f"{self.file} was taken over by another run"
            else:
                self._renewed = self.passing.now()

    def assure(self) -> None:
        """Raise TurnLost if it was lost."""
        if self.lost:
            raise TurnLost(
                f"the cluster was shared without its lock: {self.lost}",
                next_step="run this test again; another run may have changed the cluster meanwhile",
            )

    def _attempt(self, mode: Mode) -> bool:
        self._succeed()
        entered = self._change(lambda holders, stamp: _entered_or_queued(holders, self.who, mode, stamp))
        if entered is None or not entered.holds(self.who, mode):
            return False
        with self._guard:
            self.held, self._renewed = mode, self.passing.now()
        return True

    def _succeed(self) -> None:
        """Find out who is gone, and see that nothing is left of what they have changed."""
        others = Holders.of(self.file.read()).without(self.who).stamps()
        if others:
            self.heir.watch()
        gone = self._expiry.gone(others, self.passing.now())
        self._gone = {who: others[who] for who in sorted(gone) if self.heir.settled(who)}

    def _change(self, change: Callable[[Holders, str], Holders | None]) -> Holders | None:
        """Read, leave out who is gone, change and write; None when there is nothing to change."""
        return rereading()(self._change_once, change)

    def _change_once(self, change: Callable[[Holders, str], Holders | None]) -> Holders | None:
        lease = self.file.read()
        found = Holders.of(lease)
        stamps = found.stamps()
        gone = (who for who, stamp in self._gone.items() if stamps.get(who) == stamp)
        changed = change(found.without(*gone), new_stamp())
        if changed is not None:
            self.file.replace(changed.written(lease, self.duration))
        return changed


def _entered_or_queued(holders: Holders, who: str, mode: Mode, stamp: str) -> Holders:
    return holders.entered(who, mode, stamp) or holders.queued(who, mode, stamp)


def new_stamp() -> str:
    """A time as Leases have them, of our own clock: different from the last one."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Renewed(Protocol):
    """What others take for gone when it is not renewed."""

    @property
    def file(self) -> LeaseFile:
        """Its Lease."""

    @property
    def duration(self) -> int:
        """Seconds that it may go without."""

    def renew(self) -> None:
        """Say that we are alive; knows itself when it is too late. Raises the suite's API errors."""


class Keeper:
    """A thread that renews something until its block ends."""

    def __init__(self, kept: Renewed) -> None:
        self._kept = kept
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"keeper of {kept.file}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._kept.duration / 3):
            try:
                self._kept.renew()
            except SuiteError:
                continue
