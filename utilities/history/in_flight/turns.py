"""How long slots stay free while somebody waits for one."""

from __future__ import annotations

from collections.abc import Sequence

from utilities.history.in_flight.flights import Flight


def turns(flights: Sequence[Flight], limit: int) -> tuple[float, ...]:
    """For each start but the first `limit` ones: product seconds that its slot was free before, at least.

    flights: of one drain, each of them in need of a slot, none with two attempts. The n-th start takes the slot that
    the (n - limit)-th end makes free; where a start or an end is in doubt the shorter time counts, and a start before
    that end counts as 0.
    """
    starts = sorted(flight.began.earliest for flight in flights)
    ends = sorted(flight.ended.latest for flight in flights)
    return tuple(max(0.0, start - end) for start, end in zip(starts[limit:], ends, strict=False))
