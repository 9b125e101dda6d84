"""A change of the cluster that several processes rely on: made by the first of them, taken back by the last.

How to take it back is written into a Lease before it is made, so whoever is last can do it, and so can the next run
when the last one was killed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from utilities.history import Obj
from utilities.reversible import Patch, Restore
from utilities.sharing.holders import Holders, Mode
from utilities.sharing.lock import ClusterLock, Keeper
from utilities.watching import Waits, rereading

NOTE = "migration-test-plans/undo"
_TURN = 600.0  # wall seconds for the others to make the change, or to take it back, before us


@dataclass(frozen=True, slots=True)
class Standing:
    """users: the lock that all who rely on the change share. turns: held alone while it is made or taken back."""

    waits: Waits
    users: ClusterLock
    turns: ClusterLock

    @contextmanager
    def relied_on(self, change: Patch, settle: Callable[[Obj | None], None]) -> Iterator[None]:
        """The change is there for the length of the block.

        settle: waits until the cluster follows; called with the changed object, or None when it was there before.
        Raises NotEnoughEvidence at the end if others may have taken it back meanwhile.
        """
        with Keeper(self.users):
            with self._turn():
                self.users.enter(Mode.SHARED, within=_TURN)
                made = self._make(change)
            try:
                settle(made)
                yield
            finally:
                with self._turn():
                    self.users.leave()
                    if not Holders.of(self.users.file.read()).shared:
                        self._take_back()
        self.users.assure()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with Keeper(self.turns):
            self.turns.enter(Mode.EXCLUSIVE, within=_TURN)
            try:
                yield
            finally:
                self.turns.leave()

    def _make(self, change: Patch) -> Obj | None:
        if self._note() is not None:
            return None
        return rereading()(self._noted, change)

    def _noted(self, change: Patch) -> Obj:
        step = change.prepare(self.waits.rest)
        self._write(json.dumps(step.undo.to_json()) if isinstance(step.undo, Restore) else None)
        return step.make()

    def _take_back(self) -> None:
        note = self._note()
        if note is None:
            return
        Restore.from_json(json.loads(note)).run(self.waits, within=_TURN)
        self._write(None)

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
