"""Taking back what runs have changed that are gone: killed, or cut off, before they could do it themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from utilities.clients import Rest
from utilities.errors import SuiteError, TurnLost, UndoFailed
from utilities.sharing.census import PREFIX, Census, journal_name
from utilities.sharing.expiry import Expiry
from utilities.sharing.holders import Holders
from utilities.sharing.journal import RunJournal
from utilities.sharing.kept import WITHHELD, Kept
from utilities.sharing.lock import DURATION, LeaseFile, Passing
from utilities.watching import persistent, rereading

Undoers = Mapping[str, Callable[[Mapping[str, Any]], None]]
"""By kind of entry: what takes it back, given its data. Each may be called more than once."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What has become of the changes of a run. done: what is as before; left: what is not, each with the reason."""

    run: str
    done: tuple[str, ...] = ()
    left: tuple[Kept, ...] = ()

    def __str__(self) -> str:
        """One line for what is as before, and two for each that is not."""
        told = [f"taken back from run {self.run}: {'; '.join(self.done)}"] if self.done else []
        told += [f"not taken back from run {self.run}: {kept}" for kept in self.left]
        return "\n".join(told) or f"run {self.run} has changed nothing"


@dataclass(slots=True)
class Succession:
    """One process' part in it (an `Heir` of locks). who: ourselves. namespace: where the Leases are.

    A run is gone when nothing that it says about itself has changed for the duration, by our clock, or when nobody is
    on its journal. Its journal is claimed by a conditional write, so that one process takes it back, last entry first;
    should that one die, it is succeeded in the same way. What cannot be taken back stays in the journal.
    """

    rest: Rest
    namespace: str
    who: str
    undoers: Undoers = field(default_factory=dict)
    duration: int = DURATION
    passing: Passing = field(default_factory=Passing)
    _expiry: Expiry = field(init=False)
    _looked: float = field(default=float("-inf"), init=False)
    told: list[str] = field(default_factory=list, init=False)  # what was taken back by us, in words
    _failed: dict[str, UndoFailed] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._expiry = Expiry(self.duration)

    def watch(self) -> None:
        """Look at everybody, but not at every call."""
        if self.passing.now() - self._looked >= self.duration / 12:
            self.look()

    def look(self) -> tuple[Census, frozenset[str]]:
        """Everybody but ourselves as they are now, and which of them are gone."""
        self._looked = self.passing.now()
        census = Census.taken(self.rest, self.namespace)
        gone = self._expiry.gone(census.stamps(), self._looked)
        unattended = {run for run in census.journals if not census.successor(run)}
        return census, (gone | unattended) - {self.who}

    def settled(self, who: str) -> bool:
        """As an Heir. What could not be taken back once is not tried again by this process."""
        census, gone = self.look()
        if who not in census.journals:
            return True
        if who in self._failed:
            raise self._failed[who]
        if who not in gone:
            return False
        found = self.take_back(who, census)
        if found is None:
            return False
        if found.left:
            self._failed[who] = UndoFailed(
                f"the cluster is not as it was before run {who}, which is gone:\n{found}",
                next_step=f"repair these objects by hand, then delete the {self._file(who)}",
            )
            raise self._failed[who]
        return True

    def take_back(self, run: str, census: Census) -> TakenBack | None:
        """Take back what a run has changed that is gone, as a look has found it.

        None when another one is about it, also in the end, or the run is alive. Raises SiteError and the suite's API
        errors.
        """
        if run not in census.journals:
            return TakenBack(run)
        journal = RunJournal.claimed(census.journals[run], self._file(run), self.who, self.duration)
        if journal is None:
            return None
        done = []
        try:
            for key, kept in reversed(journal.entries.items()):
                if self._undone(journal, key, kept):
                    done.append(kept.entry.what.partition(":")[0])
            found = TakenBack(run, tuple(done), tuple(journal.entries.values()))
            self.told.extend(str(found).splitlines())
            return found
        except TurnLost:
            return None
        finally:
            journal.close()

    def forget(self, run: str) -> None:
        """Take a run that is gone out of all locks. Raises the suite's API errors."""
        for name, lock in Census.taken(self.rest, self.namespace).locks.items():
            if run in Holders.of(lock).stamps():
                rereading()(self._forget, LeaseFile(self.rest, f"{PREFIX}{name}", self.namespace), run)

    def _forget(self, file: LeaseFile, run: str) -> None:
        lease = file.read()
        file.replace(Holders.of(lease).without(run).written(lease, self.duration))

    def _undone(self, journal: RunJournal, key: str, kept: Kept) -> bool:
        try:
            with journal.undoing(key):
                persistent(Event())(self._undo, kept)
        except SuiteError:
            journal.demand_ours()
            return False
        return True

    def _undo(self, kept: Kept) -> None:
        undoer = self.undoers.get(kept.entry.kind)
        if kept.problem == WITHHELD or undoer is None:
            raise UndoFailed(
                kept.problem or f"this version of the suite does not know how to take back a {kept.entry.kind}",
                next_step="repair it by hand",
            )
        undoer(kept.entry.data)

    def _file(self, run: str) -> LeaseFile:
        return LeaseFile(self.rest, journal_name(run), self.namespace)
