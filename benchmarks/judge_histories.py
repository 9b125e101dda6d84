"""Drains as they happen, without a cloud: what truly was, and what a journal and records of whole seconds say of it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from utilities.history.in_flight import InFlight
from utilities.history.nova import (
    Journal,
    MigrationRecord,
    NovaRecording,
    Request,
    ServerHistory,
    ServerState,
    StatusHistory,
)

HOST = "node-1"
_POLL = 10.0  # product seconds between two passes of the operator
_BETWEEN = (0.02, 0.2)  # between two POSTs of a pass
_TAKES = (12.0, 45.0)  # a migration
_LOOK = (0.05, 0.35)  # a sampler's request, until its answer is there


@dataclass(frozen=True, slots=True)
class Move:
    """One migration. posted: accepted POST; left: arrived on its target, which closes the record. Product seconds."""

    server: str
    posted: float
    left: float
    host: str = HOST


def drained(servers: int, limit: int, seed: int, *, host: str = HOST, since: float = 0.0) -> list[Move]:
    """A drain by an operator that keeps the limit: in each pass it fills the slots that are free."""
    rng = random.Random(seed)
    waiting = [f"{host}-vm-{number:04}" for number in range(servers)]
    moves: list[Move] = []
    now = since + rng.random()
    while waiting:
        at, flying = now, sum(move.left > now for move in moves)
        for server in waiting[: limit - flying]:
            at += rng.uniform(*_BETWEEN)
            moves.append(Move(server, at, at + rng.uniform(*_TAKES), host))
        del waiting[: max(limit - flying, 0)]
        now = max(now + _POLL, at)
    return moves


def overlapping(moves: Sequence[Move], limit: int, seed: int) -> list[Move]:
    """The same with one migration that begins one product second before its slot is free, and no other fault."""
    ordered = sorted(moves, key=lambda move: move.posted)
    full = [one for one in ordered if _full(ordered, limit, one.left)]
    ends = [one.left for one in full if any(move.posted > one.left for move in ordered)]
    if not ends:
        raise ValueError("the drain is too short: no slot is taken again")
    end = random.Random(seed).choice(ends)
    early = next(move for move in ordered if move.posted > end)
    return [replace(move, posted=end - 1.0) if move is early else move for move in ordered]


def _full(moves: Sequence[Move], limit: int, end: float) -> bool:
    """Whether all slots are taken for the whole second before one becomes free."""
    return sum(move.posted <= end - 1.0 and end <= move.left for move in moves) == limit


def journalled(moves: Sequence[Move]) -> NovaRecording:
    """As a lab records it: exact."""
    return _recording(moves, journal=journal_of(moves))


def recorded(moves: Sequence[Move]) -> NovaRecording:
    """As a real cloud records it: stamps are whole seconds."""
    return _recording(moves, records=[_record(number, move) for number, move in enumerate(moves, start=1)])


def journal_of(moves: Sequence[Move]) -> Journal:
    """The exact account."""
    numbered = list(enumerate(moves, start=1))
    live = "os-migrateLive"
    return Journal(
        requests=tuple(
            Request(m.posted, "POST", f"/v2.1/servers/{m.server}/action", 202, True, m.server, live, f"r{n}")
            for n, m in numbered
        ),
        migrations=tuple(
            StatusHistory(
                n, f"m{n}", m.server, "live-migration", m.host, "node-2", f"r{n}",
                ((m.posted, "accepted"), (m.left, "completed")),
            )
            for n, m in numbered
        ),
        servers=tuple(
            ServerHistory(
                m.server,
                (
                    ServerState(0.0, "active", None, m.host),
                    ServerState(m.posted, "active", "migrating", m.host),
                    ServerState(m.left, "active", None, "node-2"),
                ),
            )
            for m in moves
        ),
        read=_end(moves),
    )  # fmt: skip


def looks(flights: InFlight, period: float, rng: random.Random, look: tuple[float, float] = _LOOK) -> Iterator[int]:
    """How many a sampler counts, look by look, over any flights: it looks, sleeps for `period`, and looks again.

    look: product seconds that a look takes, at random between the two; (0, 0) is a sampler without any delay. Its first
    look comes at random within its period.
    """
    starts = [flight.sure for flight in flights]
    at = min(start for start, _ in starts) + rng.uniform(0, period)
    end = max(end for _, end in starts)
    while at < end:
        yield sum(start <= at < stop for start, stop in starts)
        at += period + rng.uniform(*look)


def _record(number: int, move: Move) -> MigrationRecord:
    return MigrationRecord(
        id=number,
        uuid=f"m{number}",
        server=move.server,
        kind="live-migration",
        source=move.host,
        target="node-2",
        status="completed",
        created=math.floor(move.posted),
        updated=math.floor(move.left),
        sent=move.left + 60,
        received=move.left + 60,
    )


def _end(moves: Sequence[Move]) -> float:
    return max(move.left for move in moves) + 60


def _recording(
    moves: Sequence[Move], *, records: Sequence[MigrationRecord] = (), journal: Journal | None = None
) -> NovaRecording:
    return NovaRecording.of(records, started=-1.0, ended=_end(moves), journal=journal)
