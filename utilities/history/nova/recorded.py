"""Flights as a real cloud tells them: migration records with stamps of 1 s, joined with samples of the servers.

A record says when an attempt began and ended, to its resolution; but it is created after the POST and closed after the
server has gone. Samples of the server narrow both, and tell of migrations whose record went with a deleted server.
Where the two contradict each other, nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from utilities.history.in_flight.flights import Edge, Flight, Outcome, Proof
from utilities.history.nova import sampled
from utilities.history.nova.facts import MigrationRecord, StateSample
from utilities.history.nova.tolerance import Tolerance

_KINDS = ("live-migration", "migration")
_LEFT = frozenset({"completed", "confirmed", "done", "finished", "confirming"})


@dataclass(frozen=True, slots=True)
class _Attempt:
    """Readings of one record, oldest first, and the server's records before and after it."""

    readings: tuple[MigrationRecord, ...]
    earlier: MigrationRecord | None
    later: MigrationRecord | None

    @property
    def last(self) -> MigrationRecord:
        return self.readings[-1]


def flights(
    records: Sequence[MigrationRecord],
    samples: Sequence[StateSample],
    labels: Mapping[str, str],
    tolerance: Tolerance,
) -> Iterator[Flight]:
    """Every migration that the sources tell of, live or cold. labels: of servers, by uuid."""
    by_server: dict[str, list[MigrationRecord]] = {}
    for record in records:
        by_server.setdefault(record.server, []).append(record)
    seen: dict[str, list[StateSample]] = {}
    for sample in sorted(samples, key=lambda each: (each.sent, each.received)):
        mine = seen.setdefault(sample.server, [])
        if not mine or mine[-1].received <= sample.sent:  # of two at once nobody knows which state was first
            mine.append(sample)
    for server in by_server.keys() | seen.keys():
        label, of_server = labels.get(server, server), tuple(seen.get(server, ()))
        found = [_flight(each, of_server, label, tolerance) for each in _attempts(by_server.get(server, ()))]
        yield from (flight for flight in found if flight.kind in _KINDS)
        yield from sampled.flights(server, label, of_server, found, tolerance)


def _attempts(records: Sequence[MigrationRecord]) -> Iterator[_Attempt]:
    ordered = sorted(records, key=lambda record: (record.id, record.received))
    groups = [tuple(group) for _, group in groupby(ordered, key=lambda record: record.id)]
    firsts = [group[0] for group in groups]
    for group, earlier, later in zip(groups, [None, *firsts], [*firsts[1:], None], strict=False):
        yield _Attempt(group, earlier, later)


def _flight(attempt: _Attempt, samples: tuple[StateSample, ...], label: str, tolerance: Tolerance) -> Flight:
    last = attempt.last
    began = _start(attempt, samples, tolerance)
    ended, outcome = _end(attempt, samples, began, tolerance)
    return Flight(last.server, label, began, ended, outcome, last.source, last.target, last.uuid, last.kind)


def _start(attempt: _Attempt, samples: tuple[StateSample, ...], tolerance: Tolerance) -> Edge:
    """Between the last sample at rest and the first one in flight around the record's creation, or by its stamp."""
    created, stamped = tolerance.stamped(attempt.last.created, attempt.last)
    after = -math.inf  # a server at rest after the creation of the record before is between the two attempts
    if attempt.earlier is not None:
        after = tolerance.stamped(attempt.earlier.created, attempt.earlier)[1]
    earliest, latest, rested = created - tolerance.lead, stamped, False
    for sample in samples:
        at, until = tolerance.seen(sample)
        if until > stamped or at <= after:
            continue
        if not sample.flying:
            rested, latest = True, stamped
            earliest = max(earliest, at) if until <= created else earliest
        elif sample.moving and rested and at >= created - tolerance.lead:
            latest = min(latest, until)
    return Edge(min(earliest, latest), latest, Proof.RECORD if latest == stamped else Proof.SAMPLE)


def _end(
    attempt: _Attempt, samples: tuple[StateSample, ...], began: Edge, tolerance: Tolerance
) -> tuple[Edge, Outcome]:
    """Between the last sample in flight and the first one at rest after it, or by the end of the record."""
    last = attempt.last
    closed, latest = math.inf, math.inf
    if last.final:
        closed, latest = tolerance.stamped(last.created if last.updated is None else last.updated, last)
    bound = math.inf if last.status == "error" else latest  # that one may be rolled back still
    again = math.inf if attempt.later is None else attempt.later.created - tolerance.lead
    own = [s for s in samples if tolerance.seen(s)[0] > began.latest and tolerance.seen(s)[1] < again]
    flying, rest = _seen(own, bound, tolerance)
    if flying is not None and flying > latest:
        latest = math.inf
    latest = min(latest, _settled(attempt, tolerance))
    if attempt.later is not None:
        latest = min(latest, tolerance.stamped(attempt.later.created, attempt.later)[1])
    earliest, proof = (flying, Proof.SAMPLE) if flying is not None else (began.earliest, Proof.RECORD)
    claim = _open_until(last, closed, tolerance)
    rested = math.inf if rest is None else tolerance.seen(rest)[1]
    if rested >= claim:
        earliest, proof = (claim, Proof.RECORD) if claim > earliest else (earliest, proof)
        latest = min(latest, rested)
    elif rest is not None and rest.host != last.source:  # elsewhere or gone it surely is; at its source it may be stale
        latest = min(latest, rested)
    if math.isinf(latest):
        return Edge(earliest, latest, Proof.OPEN), Outcome.OPEN
    return Edge(min(earliest, latest), max(earliest, latest), proof), _outcome(last, rest)


def _seen(
    samples: Sequence[StateSample], bound: float, tolerance: Tolerance
) -> tuple[float | None, StateSample | None]:
    """The last moment up to a bound at which it surely flew, and the first sample of it at rest after that."""
    flying: float | None = None
    rest: StateSample | None = None
    for sample in samples:
        at, _ = tolerance.seen(sample)
        if at > bound:
            break
        if sample.flying:
            flying, rest = at, None
        elif rest is None:
            rest = sample
    return flying, rest


def _settled(attempt: _Attempt, tolerance: Tolerance) -> float:
    """When a cold migration surely was at rest: its record waits for confirmation, which may take long."""
    done = [reading for reading in attempt.readings if reading.status in ("finished", "confirming")]
    return done[0].received + tolerance.skew + tolerance.lag if done else math.inf


def _open_until(last: MigrationRecord, closed: float, tolerance: Tolerance) -> float:
    """Until when it surely flew, for all that its record says; of a cold one the end says nothing about that."""
    if last.kind != "live-migration":
        return -math.inf
    return (closed if last.final else last.sent - tolerance.skew) - tolerance.lag


def _outcome(last: MigrationRecord, rest: StateSample | None) -> Outcome:
    if last.final or rest is None:
        return Outcome.LEFT if last.status in _LEFT else Outcome.STAYED
    if rest.gone:
        return Outcome.DELETED
    return Outcome.STAYED if rest.host == last.source else Outcome.LEFT
