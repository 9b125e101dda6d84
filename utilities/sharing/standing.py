"""A change of the cluster that several processes rely on: made by the first of them, taken back by the last.

How to take it back is written into a Lease before it is made, so whoever is last can do it, and so can the next run
when the last one was killed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from utilities.history import Obj
from utilities.reversible import Patch, Restore
from utilities.sharing.holders import NOTE, Holders, Mode
from utilities.sharing.lock import ClusterLock, Keeper
from utilities.watching import Waits, rereading

Json = dict[str, Any]
_TURN = 600.0  # wall seconds for the others to make the change, or to take it back, before us


@dataclass(frozen=True, slots=True)
class Planned:
    """A change to be made. memo: what whoever takes it back has to know to see that the cluster has followed."""

    change: Patch
    memo: Json


@dataclass(frozen=True, slots=True)
class Standing:
    """users: the lock that all who rely on the change share. turns: held alone while it is made or taken back."""

    waits: Waits
    users: ClusterLock
    turns: ClusterLock

    @contextmanager
    def relied_on(
        self, plan: Callable[[], Planned | None], settle: Callable[[Obj | None], None], back: Callable[[Json], None]
    ) -> Iterator[None]:
        """The change is there for the length of the block.

        plan: the change, None when the cluster is as it should be; asked only when nobody relies on it yet.
        settle: waits until the cluster follows; called with the changed object, or None when others changed it.
        back: waits until the cluster is as before, by the plan's memo.
        Raises TurnLost at the end if others may have taken it back meanwhile.
        """
        with Keeper(self.users):
            with self._turn():
                self.users.enter(Mode.SHARED, within=_TURN)
                try:
                    settle(self._make(plan))
                except BaseException:
                    self._leave(back)
                    raise
            try:
                yield
            finally:
                with self._turn():
                    self._leave(back)
        self.users.assure()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with Keeper(self.turns):
            self.turns.enter(Mode.EXCLUSIVE, within=_TURN)
            try:
                yield
            finally:
                self.turns.leave()

    def _make(self, plan: Callable[[], Planned | None]) -> Obj | None:
        planned = plan() if self._note() is None else None
        return None if planned is None else rereading()(self._noted, planned)

    def _noted(self, planned: Planned) -> Obj:
        step = planned.change.prepare(self.waits.rest)
        if isinstance(step.undo, Restore):
            self._write(json.dumps({"undo": step.undo.to_json(), "memo": planned.memo}))
        return step.make()

    def _leave(self, back: Callable[[Json], None]) -> None:
        self.users.leave()
        self._undo(back)

    def take_back_abandoned(self, back: Callable[[Json], None]) -> bool:
        """Take it back in the place of users that were killed; False when somebody relies on it again.

        back: as for `relied_on`. Raises WaitTimeout, the suite's API errors.
        """
        with self._turn():
            return self._undo(back)

    def _undo(self, back: Callable[[Json], None]) -> bool:
        note = self._note()
        if note is None or Holders.of(self.users.file.read()).shared:
            return False
        found = json.loads(note)
        Restore.from_json(found["undo"]).run(self.waits, within=_TURN)
        self._write(None)
        back(found["memo"])
        return True

    def _note(self) -> str | None:
        annotations = self.users.file.read()["metadata"].get("annotations") or {}
        return annotations.get(NOTE)

    def _write(self, note: str | None) -> None:
        rereading()(self._write_once, note)

    def _write_once(self, note: str | None) -> None:
        lease = self.users.file.read()
        annotations = {**(lease["metadata"].get("annotations") or {}), NOTE: note}
        metadata = {**lease["metadata"], "annotations": {name: text for name, text in annotations.items() if text}}
        self.users.file.replace({**lease, "metadata": metadata})
