"""Taking a change to a cloud back at the end of a block, whatever the block's fate, as `utilities.reversible` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from utilities.errors import SuiteError, UndoFailed
from utilities.watching import persistent


@contextmanager
def undone(undo: Callable[[], None], what: str) -> Iterator[None]:
    """Run `undo` at the end, through transient errors. Enter it before the change is made: its answer may be lost.

    what: the state to come back to, in words. A failed undo is a note of the block's failure, or an UndoFailed if the
    block was well.
    """
    try:
        yield
    except BaseException as error:
        try:
            persistent(Event())(undo)
        except SuiteError as problem:
            error.add_note(f"not taken back: {what}: {problem}")
        raise
    try:
        persistent(Event())(undo)
    except SuiteError as problem:
        raise UndoFailed(
            f"not taken back: {what}: {problem}", next_step="repair it by hand before the next run"
        ) from problem
