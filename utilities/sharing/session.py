"""One process' part in sharing a cluster: its turns there, and the changes that it relies on with others."""

from __future__ import annotations

import os
import platform
import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field

from utilities.sharing.holders import Mode
from utilities.sharing.lock import ClusterLock, Keeper, LeaseFile
from utilities.sharing.standing import Standing
from utilities.watching import Waits

_PREFIX = "migration-test-plans"
TURN = 7200.0
"""Wall seconds to wait for other runs' tests; one of them may take most of an hour."""


@dataclass(slots=True)
class Sharing:
    """The locks of one process. namespace: where their Leases are."""

    waits: Waits
    namespace: str
    who: str = field(default_factory=lambda: f"{platform.node()}-{os.getpid()}-{secrets.token_hex(3)}")
    _turn: tuple[str, Mode] | None = field(default=None, init=False)
    _lock: ClusterLock | None = field(default=None, init=False)
    _open: ExitStack = field(default_factory=ExitStack, init=False)

    def take_turn(self, part: str, mode: Mode) -> bool:
        """Hold a part of the cluster in that way from now on; False if we did already. Raises WaitTimeout."""
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
        return ClusterLock(LeaseFile(self.waits.rest, f"{_PREFIX}-{name}", self.namespace), self.who)
