"""Changes that end with a block: taken back in reverse order, whatever the block's fate."""

from __future__ import annotations

from threading import Event
from types import TracebackType
from typing import Self

from utilities.errors import ApiError, SuiteError, UndoFailed
from utilities.history import Obj
from utilities.reversible.changes import Change, Patch
from utilities.reversible.journal import UNWRITTEN, Journal
from utilities.reversible.undo import Undo
from utilities.watching import Waits, persistent, rereading


class Reversible:
    """Makes changes, and takes them back at the end of its `with` block, the last one first.

    The undo of a change is complete before the change is made, and kept and written to the journal before it is made: a
    change whose answer was lost is taken back as well, and so is one of a process that was killed. A failed undo does
    not keep the others from running, and does not hide the failure of the block: it becomes a note of it, or an
    UndoFailed if the block was well.

    deletion: product seconds for created objects to be gone. journal: of this process.
    """

    def __init__(self, waits: Waits, *, deletion: float, journal: Journal = UNWRITTEN) -> None:
        self._waits = waits
        self._deletion = deletion
        self._journal = journal
        self._undos: list[tuple[str, Undo]] = []

    def apply(self, change: Change) -> Obj:
        """Make a change and return the object as it is then. Raises the suite's API errors.

        A patch that loses against another writer is prepared again from the new state.
        """
        return rereading()(self._attempt, change) if isinstance(change, Patch) else self._attempt(change)

    def _attempt(self, change: Change) -> Obj:
        step = change.prepare(self._waits.rest)
        key = self._journal.written(step.undo.entry())
        self._undos.append((key, step.undo))
        try:
            return step.make()
        except ApiError as error:
            if error.code < 500:  # refused for certain; anything else may have been done all the same
                self._undos.pop()
                with self._journal.undoing(key):
                    pass
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        left = self._undo_all()
        if not left:
            return
        text = "not taken back:" + "".join(f"\n- {undo.target}: {problem}" for undo, problem in left)
        if error is not None:
            error.add_note(text)
            return
        raise UndoFailed(
            text, next_step="repair these objects by hand before the next run, which would find them changed"
        ) from left[0][1]

    def _undo_all(self) -> list[tuple[Undo, SuiteError]]:
        left: list[tuple[Undo, SuiteError]] = []
        while self._undos:
            key, undo = self._undos.pop()
            try:
                with self._journal.undoing(key):
                    persistent(Event())(undo.run, self._waits, self._deletion)
            except SuiteError as problem:
                left.append((undo, problem))
        return left
