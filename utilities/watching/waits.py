"""Waiting for a state: by watch, with a deadline in product seconds, and with the states that rule the goal out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from utilities.clients import Rest
from utilities.errors import GoalLost, WaitTimeout
from utilities.history import Obj, Record, headline
from utilities.watching.progress import Progress
from utilities.watching.stream import Stream, Watched

Goal = Callable[[Obj | None], bool]
"""Whether the state (None: absent) is what is waited for."""
Losing = Callable[[Obj | None], str | None]
"""Why the state rules the goal out; None if it does not."""

_NEXT = "read the states above: the last one did not lead to the goal; look at the events of the object"


def never(_: Obj | None) -> None:
    """No state rules the goal out."""


def gone(obj: Obj | None) -> bool:
    """The goal of a deletion."""
    return obj is None


def lost_if_gone(obj: Obj | None) -> str | None:
    """An object that has been there and is deleted will not reach anything any more."""
    return "it was deleted" if obj is None else None


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits on one cluster. wall: product seconds to wall seconds (`Site.wall`). progress: where to show them live."""

    rest: Rest
    wall: Callable[[float], float]
    progress: Progress = field(default_factory=Progress)

    def wait_for(
        self,
        watched: Watched,
        goal: Goal,
        *,
        expecting: str,
        within: float,
        losing: Losing = never,
        next_step: str = _NEXT,
        describe: Callable[[Obj], str] | None = None,
    ) -> Obj | None:
        """Return the object in the first state that meets the goal (None if the goal is its absence).

        With `watched.name` the goal is asked about that object, None while it does not exist; otherwise about every
        object watched. expecting: the goal in words, e.g. `Succeeded`. within: product seconds. losing is asked about
        what exists, and about an object that existed and is gone, never about one that has not appeared yet. describe:
        the state in words for progress and messages.

        Raises GoalLost at once, or WaitTimeout at the deadline; both carry the last state and everything seen.
        """
        wait = _Wait(self, watched, goal, losing, expecting, within, next_step, describe)
        try:
            return wait.result()
        finally:
            self.progress.clear()

    def wait_gone(self, watched: Watched, *, uid: str | None = None, within: float, next_step: str = _NEXT) -> None:
        """Return when the named object is gone; another one of the same name does not count if `uid` is given."""

        def away(obj: Obj | None) -> bool:
            return obj is None or (uid is not None and obj["metadata"]["uid"] != uid)

        self.wait_for(watched, away, expecting="gone", within=within, next_step=next_step)


class _Wait:
    def __init__(
        self,
        waits: Waits,
        watched: Watched,
        goal: Goal,
        losing: Losing,
        expecting: str,
        within: float,
        next_step: str,
        describe: Callable[[Obj], str] | None,
    ) -> None:
        self._goal, self._losing, self._watched = goal, losing, watched
        self._expecting, self._within, self._next_step = expecting, within, next_step
        self._describe = describe or (lambda obj: headline(watched.resource.kind, obj))
        self._progress = waits.progress
        self._begun = time.monotonic()
        self._deadline = self._begun + waits.wall(within)
        self._stream = Stream(waits.rest, watched, deadline=self._deadline)
        self._seen: list[Record] = []

    def result(self) -> Obj | None:
        """The object that met the goal."""
        try:
            self._progress.show(f"{self._watched}: waiting for {self._expecting}")
            for state in self._states():
                if self._goal(state):
                    return state
                if self._seen and (why := self._losing(state)):
                    raise GoalLost(
                        f"{self._subject()}: {why}, waiting for {self._expecting} ({self._last()})", **self._evidence()
                    )
            raise WaitTimeout(
                f"{self._subject()}: not {self._expecting} within {self._within:g} s; {self._last()}",
                **self._evidence(),
            )
        finally:
            self._stream.release()

    def _states(self) -> Iterator[Obj | None]:
        """Each state until the deadline; of a named object also its absence, as the first state and later ones."""
        fresh = True
        while time.monotonic() < self._deadline:
            records = [item for item in self._stream.advance() if isinstance(item, Record)]
            if fresh and not records and self._watched.name:
                yield None
            fresh = False
            for record in records:
                self._seen.append(record)
                self._progress.show(f"{self._subject()}: {self._last()}, waiting for {self._expecting}")
                if not record.gone:
                    yield record.object
                elif self._watched.name:
                    yield None

    def _subject(self) -> str:
        if self._watched.name or not self._seen:
            return str(self._watched)
        return f"{self._watched.resource.kind} {self._seen[-1].key}"

    def _last(self) -> str:
        """The last state and how long it has held."""
        if not self._seen:
            return "never seen"
        last = self._seen[-1]
        state = "gone" if last.gone else self._describe(last.object) or "there"
        same = len(self._seen)
        while same > 1 and self._same(self._seen[same - 2], last, state):
            same -= 1
        held = time.monotonic() - self._seen[same - 1].received
        return f"last seen {state}, for {held:.1f} s of wall time"

    def _same(self, earlier: Record, last: Record, state: str) -> bool:
        return earlier.uid == last.uid and not earlier.gone and (self._describe(earlier.object) or "there") == state

    def _evidence(self) -> dict[str, Any]:
        last = self._seen[-1] if self._seen else None
        state = None if last is None or last.gone else last.object
        return {"next_step": self._next_step, "last_seen": state, "history": self._seen}
