"""How many may be in flight at once: one number, or one that changes while it is looked at."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """A limit as a function of the coordinate. steps: (coordinate, limit from there on), first from -inf.

    Whoever is in flight when the limit falls may go on; nobody may start above it from then on.
    """

    steps: tuple[tuple[float, int], ...]

    @classmethod
    def of(cls, limit: int | Limits) -> Limits:
        """A limit that is always the same, or `limit` itself if it changes."""
        return limit if isinstance(limit, Limits) else cls(((-math.inf, limit),))

    def then(self, at: float, limit: int) -> Limits:
        """The same with another limit from a later coordinate on. Raises ValueError if it is not later."""
        if at <= self.steps[-1][0]:
            raise ValueError(f"the limit is {self.steps[-1][1]} from {self.steps[-1][0]} on: {at} is not later")
        return Limits((*self.steps, (at, limit)))

    @property
    def changes(self) -> tuple[float, ...]:
        """Coordinates at which it changes."""
        return tuple(at for at, _ in self.steps[1:])

    def at(self, coordinate: float) -> int:
        """The limit there."""
        return self.steps[self._index(coordinate)][1]

    def within(self, start: float, end: float) -> tuple[int, ...]:
        """Every limit that held between two coordinates, both included."""
        return tuple(limit for _, limit in self.steps[self._index(start) : self._index(end) + 1])

    def _index(self, coordinate: float) -> int:
        return max(bisect_right(self.steps, coordinate, key=lambda step: step[0]) - 1, 0)

    def __str__(self) -> str:
        first, *later = self.steps
        return ", ".join([f"limit {first[1]}", *(f"then {limit}" for _, limit in later)])
