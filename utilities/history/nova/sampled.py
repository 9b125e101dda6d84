"""Flights that no record tells of, because it went with its server or was never read: the server was seen moving."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from utilities.history.in_flight.flights import Edge, Flight, Outcome, Proof
from utilities.history.nova.facts import StateSample
from utilities.history.nova.tolerance import Tolerance


def flights(
    server: str, label: str, samples: Sequence[StateSample], known: Sequence[Flight], tolerance: Tolerance
) -> Iterator[Flight]:
    """Those of one server. known: the flights that records tell of, of whatever kind; what lies near them is theirs.

    Samples in flight that follow each other are taken for one attempt.
    """
    slack = tolerance.lead + tolerance.lag + tolerance.skew
    times = [(flight.began.earliest - slack, flight.ended.latest + slack) for flight in known]
    before: StateSample | None = None
    run: list[StateSample] = []
    for sample in samples:
        if sample.moving and sample.flying and not any(start <= sample.sent <= end for start, end in times):
            run.append(sample)
        elif not sample.flying:
            if run:
                yield _flight(server, label, before, run, sample, tolerance)
            before, run = sample, []
    if run:
        yield _flight(server, label, before, run, None, tolerance)


def _flight(
    server: str,
    label: str,
    before: StateSample | None,
    run: Sequence[StateSample],
    rest: StateSample | None,
    tolerance: Tolerance,
) -> Flight:
    earliest = -math.inf if before is None else tolerance.seen(before)[0]
    began = Edge(earliest, tolerance.seen(run[0])[1], Proof.SAMPLE)
    last, source = tolerance.seen(run[-1])[0], run[0].host
    if rest is None:
        ended, outcome = Edge(last, math.inf, Proof.OPEN), Outcome.OPEN
    else:
        ended = Edge(last, tolerance.seen(rest)[1], Proof.SAMPLE)
        stayed = Outcome.STAYED if rest.host == source else Outcome.LEFT
        outcome = Outcome.DELETED if rest.gone else stayed
    return Flight(server, label, began, ended, outcome, source, kind="without a record")
