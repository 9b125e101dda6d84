"""Taking a change to a cloud back at the end of a block, whatever the block's fate, as `utilities.reversible` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from utilities.errors import SuiteError, UndoFailed
from utilities.reversible import Entry, Journal
from utilities.watching import persistent

SERVERS, SERVICE, KNOWN_TRAITS, TRAITS = "servers", "compute-service", "known-traits", "traits"
"""Kinds of entries in a journal."""


@contextmanager
def undone(undo: Callable[[], None], entry: Entry, journal: Journal) -> Iterator[None]:
    """Run `undo` at the end, through transient errors. Enter it before the change is made: its answer may be lost.

    entry: the same for another process, which has to do it should this one be killed. A failed undo is a note of the
    block's failure, or an UndoFailed if the block was well.
    """
    key = journal.written(entry)
    try:
        yield
    except BaseException as error:
        try:
            _run(undo, key, journal)
        except SuiteError as problem:
            error.add_note(f"not taken back: {entry.what}: {problem}")
        raise
    try:
        _run(undo, key, journal)
    except SuiteError as problem:
        raise UndoFailed(
            f"not taken back: {entry.what}: {problem}", next_step="repair it by hand before the next run"
        ) from problem


def _run(undo: Callable[[], None], key: str, journal: Journal) -> None:
    with journal.undoing(key):
        persistent(Event())(undo)
