"""Flights as a lab's journal tells them: from the accepted POST until the server's state says that it is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from utilities.history.in_flight.flights import NEVER, Edge, Flight, Outcome, Proof
from utilities.history.nova.facts import FINAL_STATUSES, MIGRATE, Request, ServerState, StatusHistory
from utilities.history.nova.journal import Journal

_KINDS = {MIGRATE: "migration"}


def flights(journal: Journal, labels: Mapping[str, str]) -> Iterator[Flight]:
    """Every migration that was begun, live or cold, in no order. labels: of servers, by uuid.

    It begins when the POST takes effect, whatever the answer was. It ends when the server is seen by Nova as at rest:
    on another host (left), where it was (stayed), in error (stayed), or no more (deleted). At rest is a cold migration
    in VERIFY_RESIZE. A server that is being deleted in mid-flight flies until it is gone.
    """
    posts = {request.id: request for request in journal.requests if request.moves and request.served}
    states = {history.server: history.states for history in journal.servers}
    recorded: set[str] = set()
    for migration in journal.migrations:
        recorded.add(migration.request)
        if migration.kind in ("live-migration", "migration"):
            post = posts.get(migration.request)
            yield _flight(migration, post, states.get(migration.server, ()), labels)
    for post in posts.values():
        if post.id not in recorded:
            yield _unrecorded(post, states.get(post.server, ()), labels)


def host_at(states: tuple[ServerState, ...], at: float) -> str | None:
    """Where a server was just before a moment."""
    before = [state.host for state in states if state.at < at]
    return before[-1] if before else (states[0].host if states else None)


def _flight(
    migration: StatusHistory, post: Request | None, states: tuple[ServerState, ...], labels: Mapping[str, str]
) -> Flight:
    created, _ = migration.statuses[0]
    began = Edge.exactly(post.at, Proof.POST) if post else Edge.exactly(created, Proof.RECORD)
    ended, outcome = _end(states, began.latest, migration.source)
    closed, status = migration.statuses[-1]
    if outcome is Outcome.OPEN and status in FINAL_STATUSES and not _moved(states, began.latest):
        stayed = status not in ("completed", "confirmed")  # its server's states were not told
        ended, outcome = Edge.exactly(closed, Proof.RECORD), Outcome.STAYED if stayed else Outcome.LEFT
    return Flight(
        subject=migration.server,
        label=labels.get(migration.server, migration.server),
        began=began,
        ended=ended,
        outcome=outcome,
        source=migration.source,
        target=migration.target,
        attempt=migration.uuid,
        kind=migration.kind,
    )


def _unrecorded(post: Request, states: tuple[ServerState, ...], labels: Mapping[str, str]) -> Flight:
    """Accepted, but Nova has not written a record."""
    source = host_at(states, post.at)
    ended, outcome = _end(states, post.at, source)
    return Flight(
        subject=post.server,
        label=labels.get(post.server, post.server),
        began=Edge.exactly(post.at, Proof.POST),
        ended=ended,
        outcome=outcome,
        source=source,
        kind=_KINDS.get(post.action, "live-migration"),
    )


def _end(states: tuple[ServerState, ...], began: float, source: str | None) -> tuple[Edge, Outcome]:
    moving = False
    for state in states:
        if state.at < began:
            continue
        if state.vm_state == "deleted":
            return Edge.exactly(state.at, Proof.STATE), Outcome.DELETED
        if state.moving:
            moving = True
        elif moving and state.task_state != "deleting":
            outcome = Outcome.STAYED if state.host == source else Outcome.LEFT
            return Edge.exactly(state.at, Proof.STATE), outcome
    return NEVER, Outcome.OPEN


def _moved(states: tuple[ServerState, ...], began: float) -> bool:
    return any(state.moving for state in states if state.at >= began)
