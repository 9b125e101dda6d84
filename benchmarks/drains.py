"""Drains of VMs in the lab, each judged by its record and counted at every write: with and without the limit race.

A verdict is wrong when the judge says that a limit was exceeded and the count does not, or the other way round. Beside
it the usual way to watch a limit: count what is in flight once a second.
"""

from __future__ import annotations

import json
import random
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.drain_lab import SOURCE, DrainLab
from lab.faults.drain import OUTBOUND_LIMIT_RACE

VMS = 12
SEEDS = 50
LIMITS = ((2, 5), (5, 12))
"""Out of a node, and in the cluster: as the product ships, and where the node's limit alone can be in the way."""


@dataclass(frozen=True, slots=True)
class Drained:
    """One drain. counted, judged: whether more than the limits allow were in flight. sampled: the same, once a second.

    complete: everybody left the node by itself. reached: so many as the limits allow were in flight at once.
    """

    seed: int
    complete: bool
    counted: tuple[bool, bool]
    judged: tuple[bool, bool]
    sampled: bool
    reached: bool

    @property
    def right(self) -> bool:
        """Whether judge and count agree, for the node and for the cluster."""
        return self.counted == self.judged


@dataclass(frozen=True, slots=True)
class Row:
    """Drains with the same limits, healthy or not, and seconds of processor time for one of them."""

    node_limit: int
    cluster_limit: int
    race: bool
    drains: tuple[Drained, ...]
    seconds: float

    def line(self) -> str:
        """The row of the table."""
        counts = (
            sum(drain.complete for drain in self.drains),
            sum(drain.reached for drain in self.drains),
            sum(any(drain.counted) for drain in self.drains),
            sum(any(drain.judged) for drain in self.drains),
            sum(drain.sampled for drain in self.drains),
            sum(not drain.right for drain in self.drains),
        )
        limits = f"{self.node_limit} of {self.cluster_limit}, {'race' if self.race else 'healthy'}"
        cells = " ".join(f"{count:>9}" for count in (len(self.drains), *counts))
        return f"{limits:<18} {cells} {self.seconds:>9.1f}"


def main(output: Path, seeds: int = SEEDS) -> None:
    """Print the table and write `drains.json`. Raises SystemExit when a verdict was wrong."""
    heads = ("drains", "complete", "reached", "exceeded", "judged so", "sampled", "wrong", "cpu s")
    print(f"{f'limits, {VMS} VMs':<18} " + " ".join(f"{head:>9}" for head in heads))
    rows = []
    for node, cluster in LIMITS:
        for race in (False, True):
            started = time.process_time()
            drains = tuple(drained(seed, node, cluster, race=race) for seed in range(1, seeds + 1))
            rows.append(Row(node, cluster, race, drains, (time.process_time() - started) / seeds))
            print(rows[-1].line(), flush=True)
    wrong = sum(not drain.right for row in rows for drain in row.drains)
    found = {"wrong": wrong, "rows": [asdict(row) for row in rows]}
    (output / "drains.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    if wrong:
        raise SystemExit(f"{wrong} wrong verdicts")


def drained(seed: int, node_limit: int, cluster_limit: int, *, race: bool, vms: int = VMS) -> Drained:
    """One drain in a lab of its own."""
    lab = DrainLab(seed, [OUTBOUND_LIMIT_RACE] if race else [])
    lab.configure(parallelOutboundMigrationsPerNode=node_limit, parallelMigrationsPerCluster=cluster_limit)
    names = lab.start(vms)
    complete = lab.drain(SOURCE) and all(lab.see(name)["status"]["nodeName"] != SOURCE for name in names)
    flights = lab.timeline().migrations().in_flight
    leaving = flights.out_of(SOURCE)
    return Drained(
        seed=seed,
        complete=complete,
        counted=(lab.truth.nodes[SOURCE] > node_limit, lab.truth.cluster > cluster_limit),
        judged=(leaving.judge(node_limit).exceeded, flights.judge(cluster_limit).exceeded),
        sampled=max(_looks(lab.truth.course, 1.0, random.Random(seed))) > node_limit,
        reached=leaving.reached(min(node_limit, cluster_limit)),
    )


def _looks(course: Sequence[tuple[float, Counter[str]]], period: float, rng: random.Random) -> Iterator[int]:
    """Migrations out of the source that somebody sees who looks once in so many product seconds."""
    times = [at for at, _ in course]
    at = times[0] + rng.uniform(0, period)
    while at < times[-1]:
        yield course[bisect_right(times, at) - 1][1][SOURCE]
        at += period
