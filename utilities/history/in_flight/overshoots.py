"""Moments with more in flight than allowed: those that the sources prove, and those that they do not rule out.

With a limit that changes, there are too many at a moment if there are more than the limit of that moment, and more than
the limit at which the last of them started: whoever was in flight when the limit fell is no fault, a start above it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from utilities.history.in_flight.flights import Flight
from utilities.history.in_flight.limits import Limits
from utilities.history.intervals import sweep


@dataclass(frozen=True, slots=True)
class Overshoot:
    """More than allowed from `start` up to but not including `end`.

    flights: who was in flight at the first moment with the most, in the order of starts. limit: allowed then. proven:
    surely so; else the sources do not rule it out.
    """

    start: float
    end: float
    flights: tuple[Flight, ...]
    limit: int
    proven: bool

    @property
    def count(self) -> int:
        """The most that were in flight."""
        return subjects(self.flights)

    @property
    def length(self) -> float:
        """In the coordinate's unit."""
        return self.end - self.start


def proven(flights: Sequence[Flight], limits: Limits) -> tuple[Overshoot, ...]:
    """Overshoots that the sources prove, in order: none is made of a doubt."""

    def exceeded(active: Collection[Flight], number: int) -> bool:
        last_start = max(flight.began.earliest for flight in active), max(flight.began.latest for flight in active)
        return number > max(limits.within(*last_start))

    return _overshoots(flights, limits, lambda flight: flight.sure, exceeded, sure=True)


def possible(flights: Sequence[Flight], limits: Limits) -> tuple[Overshoot, ...]:
    """Overshoots that the sources do not rule out, the proven ones among them: none is overlooked."""

    def exceeded(active: Collection[Flight], number: int) -> bool:
        if not limits.changes:
            return True
        for last in active:
            earlier = [flight for flight in active if flight.began.earliest <= last.began.latest]
            least = min(limits.within(last.began.earliest, last.began.latest))
            if number > least and subjects(earlier) > least:
                return True
        return False

    return _overshoots(flights, limits, lambda flight: flight.possible, exceeded, sure=False)


def subjects(flights: Collection[Flight]) -> int:
    """How many things are in flight: one with two attempts whose times may overlap is still one."""
    return len({flight.subject for flight in flights})


def _overshoots(
    flights: Sequence[Flight],
    limits: Limits,
    span: Callable[[Flight], tuple[float, float]],
    exceeded: Callable[[Collection[Flight], int], bool],
    *,
    sure: bool,
) -> tuple[Overshoot, ...]:
    found: list[Overshoot] = []
    witness: tuple[Flight, ...] = ()
    start, highest, limit = 0.0, 0, 0
    for at, active in sweep(flights, span, limits.changes):
        allowed = limits.at(at)
        number = subjects(active) if len(active) > allowed else 0
        if number > allowed and exceeded(active, number):
            if not highest:
                start = at
            if number > highest:
                highest, witness, limit = number, tuple(active), allowed
        elif highest:
            found.append(Overshoot(start, at, witness, limit, sure))
            highest = 0
    if highest:
        found.append(Overshoot(start, float("inf"), witness, limit, sure))
    return tuple(found)
