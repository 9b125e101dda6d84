"""A small cloud: what truly happened to servers, and what its records, its samples and its journal say of it."""

import math
from dataclasses import dataclass

from hypothesis import strategies as st

from utilities.history.nova import (
    Journal,
    MigrationRecord,
    NovaRecording,
    Request,
    ServerHistory,
    ServerState,
    StateSample,
    StatusHistory,
)

END = 60.0


@dataclass(frozen=True)
class Attempt:
    """posted: accepted POST. created, closed: of its record. rested: left, or stayed for good."""

    number: int
    server: str
    posted: float
    created: float
    rested: float
    closed: float
    status: str = "completed"
    kind: str = "live-migration"

    @property
    def stayed(self):
        return self.status not in ("completed", "confirmed")


def record(attempt, *, read=END, resolution=1.0):
    """The record as it is read at a moment; None before it exists."""
    if read < attempt.created:
        return None
    cut = math.floor if resolution else float
    over = attempt.closed <= read
    return MigrationRecord(
        id=attempt.number,
        uuid=f"m{attempt.number}",
        server=attempt.server,
        kind=attempt.kind,
        source="one",
        target="two",
        status=attempt.status if over else "running",
        created=cut(attempt.created),
        updated=cut(attempt.closed) if over else None,
        sent=read,
        received=read,
        resolution=resolution,
    )


def sample(server, attempts, sent, true_at, received, *, skew=0.0, gone=math.inf):
    """The server as it truly was at a moment; the sampler's clock is `skew` ahead."""
    host, task, status = "one", None, "ACTIVE"
    for attempt in sorted(attempts, key=lambda each: each.posted):
        if attempt.posted <= true_at < attempt.rested:
            task, status = "migrating", "MIGRATING"
        elif attempt.rested <= true_at and not attempt.stayed:
            host = "two"
    if true_at >= gone:
        host, task, status = None, None, "DELETED"
    return StateSample(server, sent + skew, received + skew, status, task, host)


def journal(attempts, gone=None):
    """The exact account of attempts; gone: when servers were deleted."""
    requests, migrations, servers = [], [], {}
    for attempt in sorted(attempts, key=lambda each: each.posted):
        request = f"req-{attempt.number}"
        path = f"/v2.1/servers/{attempt.server}/action"
        requests.append(Request(attempt.posted, "POST", path, 202, True, attempt.server, "os-migrateLive", request))
        statuses = ((attempt.created, "accepted"), (attempt.closed, attempt.status))
        migrations.append(
            StatusHistory(
                attempt.number, f"m{attempt.number}", attempt.server, attempt.kind, "one", "two", request, statuses
            )
        )
        states = servers.setdefault(attempt.server, [ServerState(0.0, "active", None, "one")])
        states.append(ServerState(attempt.posted, "active", "migrating", "one"))
        states.append(ServerState(attempt.rested, "active", None, "one" if attempt.stayed else "two"))
    for server, at in (gone or {}).items():
        servers[server] = [state for state in servers[server] if state.at < at] + [
            ServerState(at, "deleted", None, None, 0)
        ]
    histories = tuple(ServerHistory(server, tuple(states)) for server, states in servers.items())
    return Journal(tuple(requests), tuple(migrations), histories, END)


def quarters(least, most):
    return st.integers(round(least * 4), round(most * 4)).map(lambda number: number / 4)


@st.composite
def histories(draw, *, lead=0.0, lag=0.0, most=6):
    """Attempts of some servers, out of host one, at quarters of seconds; a failed one may be followed by another."""
    found = []
    for number in range(draw(st.integers(1, most))):
        at = draw(quarters(1, 20))
        for _ in range(draw(st.integers(1, 2))):
            created = at + draw(quarters(0, lead))
            rested = created + draw(quarters(0.25, 12))
            closed = rested + draw(quarters(0, lag))
            status = draw(st.sampled_from(("completed", "failed", "cancelled")))
            found.append(Attempt(len(found) + 1, f"s{number}", at, created, rested, closed, status))
            if status == "completed":
                break
            at = rested + draw(quarters(0.25, 6))
    return found


@st.composite
def samplings(draw, attempts, skew=0.0):
    """Samples of the servers at some moments; the sampler's clock is ahead or behind by up to `skew`."""
    ahead = draw(quarters(-skew, skew))
    found = []
    for server in sorted({attempt.server for attempt in attempts}):
        mine = [attempt for attempt in attempts if attempt.server == server]
        for sent in draw(st.sets(quarters(0, 55), max_size=8)):
            at = sent + draw(quarters(0, 1))
            found.append(sample(server, mine, sent, at, at + draw(quarters(0, 1)), skew=ahead))
    return found


def recorded(attempts, samples=(), *, resolution=1.0, reads=(END,), **more):
    """A recording of a real cloud."""
    read = [record(attempt, read=at, resolution=resolution) for attempt in attempts for at in reads]
    return NovaRecording.of([each for each in read if each], samples, started=0.0, ended=END, **more)


def journalled(attempts, gone=None):
    """A recording of a lab."""
    return NovaRecording.of(started=0.0, ended=END, journal=journal(attempts, gone))
