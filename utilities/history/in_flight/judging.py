"""How many were in flight at once, and was it more than allowed? One judge for every kind of drain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight import overshoots, telling
from utilities.history.in_flight.flights import Flight
from utilities.history.in_flight.limits import Limits
from utilities.history.in_flight.overshoots import Overshoot
from utilities.history.intervals import Moment, sweep


class Level(StrEnum):
    """What the sources say about a limit."""

    EXCEEDED = "exceeded, proven"
    POSSIBLE = "not proven to be exceeded, and not ruled out"
    WITHIN = "never exceeded"


@dataclass(frozen=True, slots=True)
class InFlight:
    """Flights judged together, in the order of their starts. Build it with `of`.

    doubts: why a flight may be missing; answers of the kind "never" or "at most" raise NotEnoughEvidence then.
    """

    flights: tuple[Flight, ...]
    doubts: tuple[str, ...] = ()

    @classmethod
    def of(cls, flights: Iterable[Flight], doubts: Iterable[str] = ()) -> InFlight:
        """Of flights in any order."""
        ordered = sorted(flights, key=lambda each: (each.began.latest, each.began.earliest, each.subject, each.attempt))
        return cls(tuple(ordered), tuple(doubts))

    def __iter__(self) -> Iterator[Flight]:
        return iter(self.flights)

    def __len__(self) -> int:
        return len(self.flights)

    def out_of(self, source: str) -> InFlight:
        """Those that left, or would have left, one node or hypervisor."""
        return self._only(lambda flight: flight.source == source)

    def into(self, target: str) -> InFlight:
        """Those bound for one node or hypervisor; one that never got a target is bound for none."""
        return self._only(lambda flight: flight.target == target)

    def of_subject(self, subject: str) -> InFlight:
        """The attempts of one."""
        return self._only(lambda flight: flight.subject == subject)

    @property
    def exact(self) -> bool:
        """Whether nothing is in doubt, neither a time nor that all flights are known."""
        return not self.doubts and all(flight.exact for flight in self.flights)

    @property
    def peak(self) -> Moment:
        """The first moment with the most that surely were in flight; subjects are labels."""
        return _peak(self.flights, lambda flight: flight.sure)

    @property
    def possible_peak(self) -> Moment:
        """The first moment with the most that may have been in flight."""
        return _peak(self.flights, lambda flight: flight.possible)

    @property
    def unfinished(self) -> tuple[Flight, ...]:
        """Those that were not over at the end of the recording."""
        return tuple(flight for flight in self.flights if not flight.over)

    def above(self, limit: int | Limits) -> tuple[Overshoot, ...]:
        """When surely more than allowed were in flight, with who that was."""
        return overshoots.proven(self.flights, Limits.of(limit))

    def reached(self, limit: int) -> bool:
        """Whether that many surely were in flight at once; a drain one by one keeps every limit and reaches none.

        Raises NotEnoughEvidence if the sources can neither prove it nor rule it out.
        """
        if self.peak.count >= limit:
            return True
        self._require_whole()
        most = self.possible_peak.count
        if most >= limit:
            raise NotEnoughEvidence(
                f"{self.peak.count} surely were in flight at once, {most} may have been: {limit} are not proven",
                next_step="let migrations take longer than the resolution of the records, or sample servers more often",
            )
        return False

    def judge(self, limit: int | Limits) -> Verdict:
        """The verdict on a limit. Raises NotEnoughEvidence if a flight may be missing, unless too many are proven."""
        limits = Limits.of(limit)
        surely = overshoots.proven(self.flights, limits)
        if surely:
            return Verdict(Level.EXCEEDED, limits, surely, self)
        self._require_whole()
        maybe = overshoots.possible(self.flights, limits)
        return Verdict(Level.POSSIBLE if maybe else Level.WITHIN, limits, maybe, self)

    @property
    def duration(self) -> float:
        """Product seconds from the first start to the last end, 0.0 of no flights; to the resolution of the sources.

        Raises NotEnoughEvidence if one was not over, or started before the recording.
        """
        if self.unfinished or any(math.isinf(flight.began.seconds) for flight in self.flights):
            raise NotEnoughEvidence(
                "not every flight was seen from its start to its end:\n" + self.story(),
                next_step="record from before the first start until nothing is in flight any more",
            )
        starts = [flight.began.seconds for flight in self.flights]
        return max([flight.ended.seconds for flight in self.flights], default=0.0) - min(starts, default=0.0)

    def story(self) -> str:
        """Every flight in a line, in product seconds since the first start."""
        return "\n".join(telling.flights(self.flights))

    def _only(self, wanted: Callable[[Flight], bool]) -> InFlight:
        return replace(self, flights=tuple(flight for flight in self.flights if wanted(flight)))

    def _require_whole(self) -> None:
        if self.doubts:
            raise NotEnoughEvidence(
                "inconclusive, a flight may be missing: " + "; ".join(self.doubts),
                next_step="run the test again; if gaps return, look at the load of the API and the network to it",
            )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a limit. overshoots: the proven ones if there are any, else those that are not ruled out.

    Its text is the message of an assertion: peak, limit, who overlapped from when to when, and which source says so.
    """

    level: Level
    limits: Limits
    overshoots: tuple[Overshoot, ...]
    flights: InFlight

    @property
    def exceeded(self) -> bool:
        """Whether the sources prove that more than allowed were in flight."""
        return self.level is Level.EXCEEDED

    def __str__(self) -> str:
        flights = self.flights.flights
        peak = self.flights.possible_peak if self.level is Level.POSSIBLE else self.flights.peak
        times = "exact" if self.flights.exact else "of the resolution of their sources"
        lines = [f"{self.limits}: {self.level}; times are {times}", f"peak: {telling.moment(peak, flights)}"]
        lines += telling.overshoots(self.overshoots, flights)
        return "\n".join([*lines, *telling.flights(flights)])


def _peak(flights: tuple[Flight, ...], span: Callable[[Flight], tuple[float, float]]) -> Moment:
    at, most = 0.0, 0
    for coordinate, active in sweep(flights, span):
        if len(active) > most and (number := overshoots.subjects(active)) > most:
            at, most = coordinate, number
    if not most:
        return Moment(0.0, ())
    labels = {flight.subject: flight.label for flight in flights if span(flight)[0] <= at < span(flight)[1]}
    return Moment(at, tuple(sorted(labels.values())))
