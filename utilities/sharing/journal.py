"""The journal of a run: its changes that are not taken back yet, in a Lease of its own."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from utilities.errors import Conflict, SuiteError, TurnLost
from utilities.evidence.redaction import redact_text
from utilities.history import Obj
from utilities.reversible import Entry
from utilities.sharing.holders import Holders
from utilities.sharing.kept import Kept, entries_of, with_entries
from utilities.sharing.lock import DURATION, Keeper, LeaseFile, new_stamp
from utilities.watching import persistent, rereading


@dataclass(slots=True)
class RunJournal:
    """One holder's side of a journal (`utilities.reversible.Journal`): of the run itself, or of whoever has claimed it.

    who: unique among all runs and workers. While it has entries a thread of ours renews its Lease. Once another one
    has claimed it, changes can neither be made nor taken back by us any more. Thread-safe.
    """

    file: LeaseFile
    who: str
    duration: int = DURATION
    lost: str = field(default="", init=False)
    _closed: bool = field(default=False, init=False)
    _kept: dict[str, Kept] = field(default_factory=dict, init=False)
    _guard: Any = field(default_factory=threading.RLock, init=False)
    _keeper: Keeper | None = field(default=None, init=False)

    @classmethod
    def claimed(cls, lease: Obj, file: LeaseFile, who: str, duration: int = DURATION) -> RunJournal | None:
        """The journal of a run that is gone, now ours, by what its Lease was when that was found out.

        None when it is not as it was then: another one was faster, or the run is alive.
        """
        journal = cls(file, who, duration)
        journal._kept = entries_of(lease)
        try:
            journal._replace(lease, journal._kept)
        except Conflict:
            return None
        journal._keep()
        return journal

    @property
    def entries(self) -> dict[str, Kept]:
        """What is not taken back yet, oldest first."""
        with self._guard:
            return dict(self._kept)

    def written(self, entry: Entry) -> str:
        """Keep an entry; returns its key."""
        key = secrets.token_hex(4)
        self._write(lambda kept: {**kept, key: Kept.of(entry)})
        self._keep()
        return key

    @contextmanager
    def undoing(self, key: str) -> Iterator[None]:
        """Around the undo of an entry, by whose fate the entry ends or stays."""
        self.demand_ours()
        try:
            yield
        except SuiteError as problem:
            try:
                self._note(key, problem.what)
            except SuiteError as another:
                problem.add_note(f"its entry in {self.file} does not say so: {another.what}")
            raise
        self._write(lambda kept: {other: one for other, one in kept.items() if other != key})
        self._stop_keeping(unless_needed=True)

    def renew(self) -> None:
        """Say that we are alive."""
        with self._guard:
            if self._kept and not self.lost:
                rereading()(self._write_once, self._kept)

    def close(self) -> None:
        """Be on it no longer. What could not be taken back stays, for whoever comes next.

        Should nobody answer, whoever comes next has to wait until nothing was heard of us for the duration.
        """
        self._stop_keeping()
        with self._guard, suppress(SuiteError):
            self._closed = True
            if self._kept and not self.lost:
                rereading()(self._write_once, self._kept, holder="")

    def demand_ours(self) -> None:
        """Raise TurnLost when another one has claimed it."""
        with self._guard:
            if self._kept:
                persistent(threading.Event())(lambda: self._demand_ours(self.file.read()))

    def _keep(self) -> None:
        with self._guard:
            if self._keeper is None and self._kept:
                self._keeper = Keeper(self)
                self._keeper.__enter__()

    def _stop_keeping(self, *, unless_needed: bool = False) -> None:
        with self._guard:
            if unless_needed and self._kept:
                return
            keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.__exit__()  # waits for its thread, which may be waiting for the guard

    def _note(self, key: str, problem: str) -> None:
        self._write(lambda kept: {**kept, key: replace(kept[key], problem=redact_text(problem))})

    def _write(self, change: Callable[[dict[str, Kept]], dict[str, Kept]]) -> None:
        with self._guard:
            kept = change(self._kept)
            persistent(threading.Event())(lambda: rereading()(self._write_once, kept))
            self._kept = kept

    def _write_once(self, kept: dict[str, Kept], holder: str | None = None) -> None:
        lease = self.file.read()
        if not kept and "resourceVersion" not in lease["metadata"]:
            return  # its end was not answered
        self._demand_ours(lease)
        self._replace(lease, kept, holder)

    def _replace(self, lease: Obj, kept: dict[str, Kept], holder: str | None = None) -> None:
        who = self.who if holder is None else holder
        self.file.replace(with_entries(lease, kept, who, new_stamp(), self.duration))

    def _demand_ours(self, lease: Obj) -> None:
        holder = Holders.of(lease).exclusive
        ours = holder in ((self.who, "") if self._closed else (self.who,))  # also when a first write was not answered
        there = "resourceVersion" in lease["metadata"]
        if not self.lost and not (ours if there else not self._kept):
            self.lost = f"{self.file} was taken over by {holder or 'another run, which has taken everything back'}"
        if self.lost:
            raise TurnLost(
                f"this run was taken for dead, and its changes were taken back: {self.lost}",
                next_step="run this test again; see why nothing was heard of this run for a while",
            )
