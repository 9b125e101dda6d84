"""How long the judge of drains takes, and how surely it sees one migration too many for one product second.

Beside it the usual way to watch a limit: count what is in flight again and again.
"""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.judge_histories import Move, drained, journalled, looks, overlapping, recorded
from utilities.history.in_flight import InFlight
from utilities.history.nova import STRICT, HypervisorDrain, Journal, NovaRecording, Tolerance, in_flight

LIMIT = 10
_HOSTS, _SERVERS = 50, 200  # 10,000 migrations
_SMALL = 10  # drains for the count at every moment, which takes the square of the time
_RUNS = 100
_ROUNDS = 3  # the quickest counts


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds of processor time, which neighbours do not stretch, for one way to do something with migrations."""

    name: str
    records: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Sight:
    """In how many of `runs` drains with one migration too many a way to watch saw it; false: in how many without."""

    name: str
    runs: int
    seen: int
    false: int


def main(output: Path) -> None:
    """Print both tables and write `judge.json`."""
    speeds, sights = speed(), sight()
    judged = speeds[0].seconds
    print(f"{'10,000 migrations of 50 drains':<52} {'records':>8} {'cpu s':>9} {'ratio':>7}")
    for each in speeds:
        print(f"{each.name:<52} {each.records:>8} {each.seconds:>9.3f} {each.seconds / judged:>7.2f}")
    print(f"\n{'one migration too many for 1 s, seen by':<52} {'of runs':>8} {'seen':>9} {'false':>7}")
    for one in sights:
        print(f"{one.name:<52} {one.runs:>8} {one.seen:>9} {one.false:>7}")
    found = {"speed": [asdict(each) for each in speeds], "sight": [asdict(one) for one in sights]}
    (output / "judge.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def speed() -> list[Speed]:
    """The judge on exact and on real sources, reading what it judges, and counting at every moment instead."""
    drains = [drained(_SERVERS, LIMIT, seed, host=f"node-{seed:02}") for seed in range(_HOSTS)]
    moves = [move for drain in drains for move in drain]
    few = [move for drain in drains[:_SMALL] for move in drain]
    exact, real, part = journalled(moves), recorded(moves), journalled(few)
    text = json.dumps(_answer(exact))
    return [
        Speed("judge, exact journal", len(moves), _timed(lambda: _judge_all(exact, _HOSTS))),
        Speed("judge, records of 1 s", len(moves), _timed(lambda: _judge_all(real, _HOSTS))),
        Speed("only reading the journal", len(moves), _timed(lambda: Journal.of(json.loads(text)))),
        Speed("judge, exact journal", len(few), _timed(lambda: _judge_all(part, _SMALL))),
        Speed("counting at every start and end", len(few), _timed(lambda: _count_everywhere(few))),
    ]


def sight(runs: int = _RUNS) -> list[Sight]:
    """Drains of 30 servers, each with and without one migration that begins a second early."""
    healthy = [drained(30, 3, seed) for seed in range(runs)]
    faulty = [overlapping(moves, 3, seed) for seed, moves in enumerate(healthy)]
    return [
        _sight("judge, exact journal", healthy, faulty, lambda moves, _: _exceeded(journalled(moves))),
        _sight("judge, records of 1 s", healthy, faulty, lambda moves, _: _exceeded(recorded(moves), STRICT)),
        *sampled("sampler", [_flights(moves) for moves in healthy], [_flights(moves) for moves in faulty], 3),
    ]


def sampled(name: str, healthy: Sequence[InFlight], faulty: Sequence[InFlight], limit: int) -> list[Sight]:
    """The same runs through the eyes of samplers, of whatever runs the exact flights are."""

    def seen(flights: Sequence[InFlight], period: float) -> int:
        rngs = [random.Random(f"{period} {number}") for number in range(len(flights))]
        return sum(max(looks(f, period, rng)) > limit for f, rng in zip(flights, rngs, strict=True))

    return [
        Sight(f"{name} every {period:g} s", len(faulty), seen(faulty, period), seen(healthy, period))
        for period in (1.0, 5.0)
    ]


def _sight(
    name: str, healthy: Sequence[list[Move]], faulty: Sequence[list[Move]], sees: Callable[[list[Move], int], bool]
) -> Sight:
    seen = sum(sees(moves, seed) for seed, moves in enumerate(faulty))
    return Sight(name, len(faulty), seen, sum(sees(moves, seed) for seed, moves in enumerate(healthy)))


def _exceeded(recording: NovaRecording, tolerance: Tolerance | None = None) -> bool:
    return in_flight(recording, tolerance).judge(3).exceeded


def _flights(moves: list[Move]) -> InFlight:
    return in_flight(journalled(moves))


def _judge_all(recording: NovaRecording, hosts: int) -> None:
    """As a test does, for every hypervisor: the sources are joined once."""
    flights = in_flight(recording, STRICT)
    for number in range(hosts):
        drain = HypervisorDrain(recording, f"node-{number:02}", flights.out_of(f"node-{number:02}"))
        if drain.judge(LIMIT).exceeded or not drain.reached(LIMIT):
            raise AssertionError(f"the history is of drains at limit {LIMIT}:\n{drain.judge(LIMIT)}")


def _count_everywhere(moves: Sequence[Move]) -> int:
    edges = [at for move in moves for at in (move.posted, move.left)]
    return max(sum(move.posted <= at < move.left for move in moves) for at in edges)


def _timed(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(_ROUNDS):
        gc.collect()
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def _answer(recording: NovaRecording) -> dict[str, Any]:
    """The journal as a lab would send it."""
    journal = recording.journal
    if journal is None:
        raise ValueError("no journal")
    return {
        "now": journal.read,
        "requests": [
            {
                "at": r.at, "service": "compute", "method": r.method, "path": r.path, "action": r.action,
                "status": r.status, "served": r.served, "request_id": r.id,
            }
            for r in journal.requests
        ],
        "migrations": [
            {
                "id": m.id, "uuid": m.uuid, "server": m.server, "type": m.kind, "request_id": m.request,
                "source": m.source, "target": m.target, "hidden": False, "history": [list(s) for s in m.statuses],
            }
            for m in journal.migrations
        ],
        "servers": {
            h.server: [[s.at, s.vm_state, s.task_state, s.power_state, s.host] for s in h.states]
            for h in journal.servers
        },
    }  # fmt: skip
