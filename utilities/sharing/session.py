"""One process' part in sharing a cluster: its turns there, its journal, and changes that it relies on with others."""

from __future__ import annotations

import os
import platform
import re
import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field

from utilities.sharing.census import PREFIX, journal_name
from utilities.sharing.holders import Mode
from utilities.sharing.journal import RunJournal
from utilities.sharing.lock import ClusterLock, Keeper, LeaseFile
from utilities.sharing.standing import Standing
from utilities.sharing.succession import Succession, Undoers
from utilities.watching import Waits

TURN = 7200.0
"""Wall seconds to wait for other runs' tests; one of them may take most of an hour."""


def new_name() -> str:
    """What this process is called among all runs and workers; good for the name of a Lease."""
    host = re.sub(r"[^a-z0-9]+", "-", platform.node().lower())[:100].strip("-")
    return f"{host or 'host'}-{os.getpid()}-{secrets.token_hex(3)}"


@dataclass(slots=True)
class Sharing:
    """The locks and the journal of one process. namespace: where their Leases are. undoers: for others' journals."""

    waits: Waits
    namespace: str
    undoers: Undoers = field(default_factory=dict)
    who: str = field(default_factory=new_name)
    journal: RunJournal = field(init=False)
    succession: Succession = field(init=False)
    _turn: tuple[str, Mode] | None = field(default=None, init=False)
    _lock: ClusterLock | None = field(default=None, init=False)
    _open: ExitStack = field(default_factory=ExitStack, init=False)

    def __post_init__(self) -> None:
        self.journal = RunJournal(LeaseFile(self.waits.rest, journal_name(self.who), self.namespace), self.who)
        self.succession = Succession(self.waits.rest, self.namespace, self.who, self.undoers)

    def take_turn(self, part: str, mode: Mode) -> bool:
        """Hold a part of the cluster in that way from now on; False if we did already.

        Raises WaitTimeout, and UndoFailed when it cannot be put back as it was before a holder that is gone.
        """
        if self._turn == (part, mode):
            return False
        self.end_turn()
        lock = self._of(part)
        self._open.enter_context(Keeper(lock))
        try:
            lock.enter(mode, within=TURN)
        except BaseException:
            self._open.close()
            raise
        self._turn, self._lock = (part, mode), lock
        return True

    def end_turn(self) -> None:
        """Let others have it. Raises the suite's API errors."""
        lock, self._lock, self._turn = self._lock, None, None
        try:
            if lock is not None:
                lock.leave()
        finally:
            self._open.close()

    def assure(self) -> None:
        """Raise TurnLost if our turn was lost meanwhile."""
        if self._lock is not None:
            self._lock.assure()

    def standing(self, change: str) -> Standing:
        """A change of the cluster that others rely on as well, by its name."""
        return Standing(self.waits, self._of(f"{change}-users"), self._of(f"{change}-turns"))

    def _of(self, name: str) -> ClusterLock:
        file = LeaseFile(self.waits.rest, f"{PREFIX}{name}", self.namespace)
        return ClusterLock(file, self.who, heir=self.succession)
