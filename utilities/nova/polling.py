"""Waiting for a state of something that can only be looked at: Nova has no watches.

As `utilities.watching.waits`: a goal, the states that rule it out, a deadline in product seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from utilities.errors import GoalLost, WaitTimeout
from utilities.site import Site
from utilities.watching import Progress, persistent

T = TypeVar("T")
EVERY = 2.0
"""Product seconds between two looks."""
SHORTEST = 0.05
"""Wall seconds between two looks at least: a fast lab is not to be busy with being asked."""

_NEXT = "read the states above: the last one did not lead to the goal; look at the server's actions and their events"


def no_loss(_: object) -> None:
    """No state rules the goal out."""


@dataclass(frozen=True, slots=True)
class Polls:
    """Waits on one cloud. wall: product seconds to wall seconds (`Site.wall`). every: wall seconds between two looks.

    now, pause: the monotonic clock that deadlines are kept by, and how to let it go on.
    """

    wall: Callable[[float], float]
    every: float
    now: Callable[[], float] = time.monotonic
    pause: Callable[[float], object] = field(default_factory=lambda: Event().wait)
    progress: Progress = field(default_factory=Progress)

    @classmethod
    def of(cls, site: Site) -> Polls:
        """In the product time of a site."""
        return cls(site.wall, max(SHORTEST, EVERY / site.time_scale))

    def wait_for(
        self,
        look: Callable[[], T],
        goal: Callable[[T], bool],
        *,
        subject: str,
        expecting: str,
        within: float,
        describe: Callable[[T], str],
        losing: Callable[[T], str | None] = no_loss,
        next_step: str = _NEXT,
    ) -> T:
        """Return the first state that meets the goal.

        look: reads the state; repeated through transient errors. within: product seconds. losing: why a state rules
        the goal out. describe: a state in words. Raises GoalLost at once, or WaitTimeout at the deadline; both carry
        the states that were seen, each once.
        """
        deadline = self.now() + self.wall(within)
        seen: list[tuple[float, str]] = []
        try:
            while True:
                state = persistent(Event())(look)
                text = describe(state)
                if not seen or seen[-1][1] != text:
                    seen.append((self.now(), text))
                if goal(state):
                    return state
                self.progress.show(f"{subject}: {text}, waiting for {expecting}")
                if why := losing(state):
                    raise GoalLost(
                        f"{subject}: {why}, waiting for {expecting} ({self._last(seen)})",
                        next_step=next_step,
                        history=_texts(seen),
                    )
                if self.now() >= deadline:
                    raise WaitTimeout(
                        f"{subject}: not {expecting} within {within:g} s; {self._last(seen)}",
                        next_step=next_step,
                        history=_texts(seen),
                    )
                self.pause(self.every)
        finally:
            self.progress.clear()

    def _last(self, seen: Sequence[tuple[float, str]]) -> str:
        since, text = seen[-1]
        return f"last seen {text}, for {self.now() - since:.1f} s of wall time"


def _texts(seen: Sequence[tuple[float, str]]) -> list[str]:
    return [text for _, text in seen]
