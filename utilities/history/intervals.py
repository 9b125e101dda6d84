"""How many things were going on at once: a sweep over half-open intervals, whatever their coordinate means.

Coordinates are resourceVersions for Kubernetes objects and seconds for records that only have stamps. Half-open
[start, end): an interval that starts where another ends does not overlap it, which matters at 1 s resolution, where
equal stamps prove nothing. For the same reason an interval of no length is never in flight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Interval:
    """`subject` was in flight from `start` (-inf: since before) up to but not including `end` (inf: still is)."""

    subject: str
    start: float
    end: float = math.inf

    def __post_init__(self) -> None:
        if not self.start <= self.end:
            raise ValueError(f"{self.subject}: interval ends at {self.end}, before it starts at {self.start}")

    def covers(self, at: float) -> bool:
        """Whether the subject was in flight at that coordinate."""
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True)
class Moment:
    """Who was in flight at a coordinate. The peak's witness: enough to look it up in the story."""

    at: float
    subjects: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many were in flight."""
        return len(self.subjects)


def counts(intervals: Iterable[Interval]) -> Iterator[tuple[float, int]]:
    """(coordinate, number in flight from there on), at each coordinate where something starts or ends."""
    edges = sorted(edge for i in intervals for edge in ((i.start, 1), (i.end, -1)) if edge[0] < math.inf)
    number = 0
    for at, group in groupby(edges, key=lambda edge: edge[0]):
        number += sum(step for _, step in group)
        yield at, number


def peak(intervals: Iterable[Interval]) -> Moment:
    """The first moment with the most in flight; no subjects and coordinate 0 if nothing ever was."""
    found = tuple(intervals)
    at, number = 0.0, 0
    for coordinate, count in counts(found):
        if count > number:
            at, number = coordinate, count
    if number == 0:
        return Moment(0.0, ())
    return Moment(at, tuple(sorted(interval.subject for interval in found if interval.covers(at))))


def above(intervals: Iterable[Interval], limit: int) -> tuple[Interval, ...]:
    """When more than `limit` were in flight, as intervals whose subject is the highest count reached meanwhile."""
    found: list[Interval] = []
    start, highest = math.nan, 0
    for at, number in counts(intervals):
        if number > limit:
            start, highest = (at, number) if highest == 0 else (start, max(highest, number))
        elif highest:
            found.append(Interval(str(highest), start, at))
            highest = 0
    if highest:
        found.append(Interval(str(highest), start))
    return tuple(found)
