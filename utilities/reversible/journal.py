"""Where changes are written down before they are made, so that another process can take them back in our place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One change to be taken back: plain data, complete before the change is made, good to be run more than once.

    kind: who knows how (`utilities.recovery.undoers`). data: what it takes, a JSON object. what: the state to come back
    to, for whoever has to repair it by hand; the object comes first, then a colon and the details.
    """

    kind: str
    data: Mapping[str, Any]
    what: str


class Journal(Protocol):
    """Keeps the entries of changes that are not taken back yet."""

    def written(self, entry: Entry) -> str:
        """Keep an entry and return its key; the change may be made only then.

        Raises TurnLost when another run has taken this journal over, and the suite's API errors.
        """

    def undoing(self, key: str) -> AbstractContextManager[None]:
        """Around the undo: it ends the entry, or leaves it with the reason why it failed.

        Raises TurnLost, before the block, when another run has taken this journal over: then the undo is its business.
        """


class _Unwritten:
    """No journal: the whole cluster ends with the run."""

    def written(self, entry: Entry) -> str:
        """Nothing to do."""
        return entry.kind

    @contextmanager
    def undoing(self, key: str) -> Iterator[None]:
        """Nothing to do."""
        del key
        yield


UNWRITTEN: Journal = _Unwritten()
