"""Flights and overshoots in lines that people read, in product seconds since the first start."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from utilities.history.in_flight.flights import Edge, Flight, Outcome
from utilities.history.in_flight.overshoots import Overshoot
from utilities.history.intervals import Moment

LONGEST = 60
"""Flights that are listed; of more, the first and the last."""
_OVERSHOOTS = 5
_WITNESSES = 20


def flights(found: Sequence[Flight]) -> Iterator[str]:
    """A line for each flight."""
    clock = _Clock(found)
    yield f"{len(found)} flights, in product seconds since the first start:" if found else "no flight was seen"
    lines = [f"  {clock.flight(flight)}" for flight in found]
    if len(lines) > LONGEST:
        half = LONGEST // 2
        lines = [*lines[:half], f"  … {len(lines) - 2 * half} left out …", *lines[-half:]]
    yield from lines


def overshoots(found: Sequence[Overshoot], among: Sequence[Flight]) -> Iterator[str]:
    """Each overshoot with who was in flight in it. among: all flights, whose first start is zero."""
    clock = _Clock(among)
    for overshoot in found[:_OVERSHOOTS]:
        surely = "" if overshoot.proven else " perhaps"
        start, end = clock.since(overshoot.start), clock.since(overshoot.end)
        lasting = "until the end" if math.isinf(end) else f"for {end - start:.1f} s"
        yield f"from {clock.text(start)} {lasting}{surely} {overshoot.count} in flight where {overshoot.limit} may be:"
        for flight in overshoot.flights[:_WITNESSES]:
            yield f"  {clock.flight(flight)}"
        if len(overshoot.flights) > _WITNESSES:
            yield f"  … {len(overshoot.flights) - _WITNESSES} more …"
    if len(found) > _OVERSHOOTS:
        yield f"and {len(found) - _OVERSHOOTS} times more"


def moment(seen: Moment, among: Sequence[Flight]) -> str:
    """How many, when, and who."""
    if not seen.count:
        return "nothing was in flight"
    clock = _Clock(among)
    names = ", ".join(seen.subjects[:_WITNESSES]) + (", …" if seen.count > _WITNESSES else "")
    return f"{seen.count} in flight at {clock.text(clock.since(seen.at))}: {names}"


class _Clock:
    """Product seconds since the first start, of whatever the coordinates are."""

    def __init__(self, found: Sequence[Flight]) -> None:
        edges = [edge for flight in found for edge in (flight.began, flight.ended)]
        self._zero = min((f.began.seconds for f in found if not math.isinf(f.began.seconds)), default=0.0)
        self._times = {
            at: edge.product_time
            for edge in edges
            if edge.product_time is not None
            for at in (edge.earliest, edge.latest)
            if not math.isinf(at)
        }

    def since(self, coordinate: float) -> float:
        """Product seconds of a coordinate."""
        return self._times.get(coordinate, coordinate) - self._zero

    @staticmethod
    def text(seconds: float) -> str:
        """A time as it is written."""
        if math.isinf(seconds):
            return "the beginning" if seconds < 0 else "the end"
        return f"{seconds:+.1f} s"

    def flight(self, flight: Flight) -> str:
        """Who, from when until when by which source, and what came of it."""
        route = f"{flight.source or '?'} to {flight.target or '?'}"
        times = f"{self._edge(flight.began)} until {self._edge(flight.ended)}"
        what = f"{flight.kind}, {flight.outcome}" if flight.kind else str(flight.outcome)
        return (
            f"{flight.label}  {times}  {what}, {route}"
            if flight.outcome is not Outcome.OPEN
            else (f"{flight.label}  {self._edge(flight.began)}, {Outcome.OPEN} at the end of the recording, {route}")
        )

    def _edge(self, edge: Edge) -> str:
        if edge.exact:
            return f"{self.text(self.since(edge.earliest))} ({edge.proof})"
        earliest, latest = self.text(self.since(edge.earliest)), self.text(self.since(edge.latest))
        return f"{earliest.removesuffix(' s')}…{latest} ({edge.proof})"
