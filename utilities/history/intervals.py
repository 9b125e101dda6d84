"""How many things were going on at once: a sweep over half-open intervals, whatever their coordinate means.

Coordinates are resourceVersions for Kubernetes objects and seconds for records that only have stamps. Half-open
[start, end): an interval that starts where another ends does not overlap it, which matters at 1 s resolution, where
equal stamps prove nothing. For the same reason an interval of no length is never in flight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

Item = TypeVar("Item")


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


def sweep(
    items: Iterable[Item], span: Callable[[Item], tuple[float, float]], also: Iterable[float] = ()
) -> Iterator[tuple[float, Collection[Item]]]:
    """(coordinate, who is in flight from there on), at each coordinate where something starts or ends, in order.

    span: start and end of an item; one that does not start before it ends is never in flight. also: further
    coordinates to stop at. The collection, in the order of starts, is a view that holds until the next step.
    """
    edges: list[tuple[float, int, int]] = [(at, 2, 0) for at in also]
    found = list(items)
    for number, item in enumerate(found):
        start, end = span(item)
        if start < end:
            edges += [(start, 1, number), (end, 0, number)] if end < math.inf else [(start, 1, number)]
    edges.sort()
    active: dict[int, Item] = {}
    for at, group in groupby(edges, key=itemgetter(0)):
        for _, step, number in group:
            if step == 1:
                active[number] = found[number]
            elif step == 0:
                del active[number]
        yield at, active.values()


def counts(intervals: Iterable[Interval]) -> Iterator[tuple[float, int]]:
    """(coordinate, number in flight from there on), at each coordinate where something starts or ends."""
    for at, active in sweep(intervals, lambda interval: (interval.start, interval.end)):
        yield at, len(active)


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
