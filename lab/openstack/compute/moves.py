"""Drives migrations: each record is decided about by its table until it has to wait for time or for somebody."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial

from lab.clock import Timer
from lab.controllers.answers import Answer
from lab.controllers.decisions import Faults, Table, decide
from lab.openstack.compute.claims import Claims
from lab.openstack.compute.cold import COLD
from lab.openstack.compute.delays import Delays
from lab.openstack.compute.external.body import Asker
from lab.openstack.compute.external.searches import Errand, Phase, Searches
from lab.openstack.compute.guests import Guests
from lab.openstack.compute.journal import Journal
from lab.openstack.compute.live import LIVE
from lab.openstack.compute.records import LIVE as LIVE_KIND
from lab.openstack.compute.records import Record, Stage
from lab.openstack.compute.scheduling import Choice, Scheduler, Wish
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.compute.steps import Mark, Move, Step
from lab.openstack.compute.transfers import BANDWIDTH, Transfers
from lab.openstack.shape import NovaOptions

_UNLIMITED = 1000  # green threads: what 0 means (openstack sheet §5)


@dataclass(frozen=True, slots=True)
class Parts:
    """What moves work with."""

    state: State
    scheduler: Scheduler
    searches: Searches
    claims: Claims
    guests: Guests
    journal: Journal
    delays: Delays
    options: NovaOptions
    link: float  # bytes per second of one migration


class Moves:
    """All migrations of one cloud."""

    def __init__(self, parts: Parts, faults: Faults) -> None:
        self._parts = parts
        self._state = parts.state
        self._clock = parts.state.clock
        self._tables: dict[str, Table[Move]] = {LIVE.name: faults.ahead_of(LIVE), COLD.name: faults.ahead_of(COLD)}
        self._timers: dict[int, Timer] = {}
        self._queue: deque[int] = deque()
        self._draining = False
        bandwidth = faults.ahead_of(BANDWIDTH)
        self.transfers = Transfers(parts.state, parts.guests, parts.options, parts.link, bandwidth, copied=self._copied)
        parts.state.listen(self._follow)

    def begin(self, record: Record) -> None:
        """A new record."""
        self._state.add_record(record)
        self.poke(record.id)

    def poke(self, number: int) -> None:
        """Something changed that this record may wait for."""
        self._queue.append(number)
        if self._draining:
            return
        self._draining = True
        try:
            while self._queue:
                self._advance(self._queue.popleft())
        finally:
            self._draining = False

    def poke_host(self, host: str) -> None:
        """A service changed: everything that goes on from or to it is looked at."""
        for record in self._state.open_records():
            if host in (record.source_compute, record.dest_compute):
                self.poke(record.id)

    def interrupt(self, host: str) -> None:
        """nova-compute of a source stops: what waits or runs there is cut off."""
        cut_off = [
            record
            for record in self._state.open_records()
            if record.source_compute == host and (record.stage is Stage.QUEUED or record.holds_slot)
        ]
        for record in cut_off:  # all of them, before a slot that becomes free lets another one begin
            self._state.change_record(record.id, {"interrupted": True})
        for record in cut_off:
            self.poke(record.id)

    def choose(self, record: Record, server: Server) -> Choice:
        """What Nova's own scheduler says for this migration, whatever an external one would."""
        return self._settled(record, server) or self._parts.scheduler.choose(_wish(record, server))

    def _settled(self, record: Record, server: Server) -> Choice | None:
        """What is clear without the scheduler."""
        order = record.order
        if order.host and order.unchecked:
            return Choice(self._state.hosts[order.host])
        source = self._state.hosts[record.source_compute]
        if record.kind == LIVE_KIND and not source.alive:
            return Choice(None, f"Compute service of {source.name} is unavailable at this time.")
        if order.host == source.name:
            return Choice(None, f"Unable to migrate instance ({server.id}) to current host ({source.name}).")
        return None

    def _copied(self, number: int) -> None:
        self._state.change_record(number, {"copied": True})
        self.poke(number)

    def _follow(self, before: Server | None, after: Server) -> None:
        """A deletion concerns the migrations of the server."""
        if before is not None and (before.task_state, before.deleted) != (after.task_state, after.deleted):
            for record in self._state.records_of(after.id):
                if not record.over:
                    self.poke(record.id)

    def _advance(self, number: int) -> None:
        """Decide about a record; after a step it is looked at again, and so is whoever waits for its slot."""
        timer = self._timers.pop(number, None)
        if timer is not None:
            timer.cancel()
        record = self._state.record(number)
        server = self._state.any_server(record.server_id) if record is not None else None
        if record is None or server is None:
            return
        table = self._tables[LIVE.name if record.kind == LIVE_KIND else COLD.name]
        decision = decide(table, self._view(record, server), self._clock.now())
        if decision.wake_at is not None:
            self._timers[number] = self._clock.call_at(decision.wake_at, self.poke, number)
            return
        for effect in decision.effects:
            if isinstance(effect, Answer):
                if effect.value.search:
                    self._search(record, server)
                else:
                    self._carry_out(record, server, effect.value)
                self._queue.append(number)
        after = self._state.record(number)
        if after is not None and record.holds_slot and not after.holds_slot:
            self._queue.extend(self._waiting(record.source_compute)[: self._free(record.source_compute)])

    def _view(self, record: Record, server: Server) -> Move:
        memo: list[Choice] = []
        settled = self._settled(record, server) if record.stage is Stage.CONDUCTED else None

        def choose() -> Choice:
            if not memo:
                found = settled or self._parts.searches.choice(record.uuid, _wish(record, server))
                memo.append(found)
            return memo[0]

        return Move(
            record=record,
            server=server,
            now=self._clock.now(),
            source=self._state.hosts[record.source_compute],
            target=self._state.hosts[record.dest_compute] if record.dest_compute is not None else None,
            options=self._parts.options,
            search=Phase.FOUND if settled is not None else self._parts.searches.phase(record.uuid),
            turn=self._turn(record),
            limit=self._limit(server),
            choose=choose,
            delay=lambda what: self._parts.delays.of(what, str(record.id)),
        )

    def _search(self, record: Record, server: Server) -> None:
        """Ask the external scheduler, on behalf of whoever asked for the migration."""
        action = self._state.action(record.server_id, record.order.request_id)
        user, project = (
            (action.user_id, action.project_id) if action is not None else (server.user_id, server.project_id)
        )
        asker = Asker(user, project, record.order.request_id)
        check = "live_migrate" if record.kind == LIVE_KIND else "resize"
        errand = Errand(_wish(record, server), asker, check, record.uuid, record.source_compute)
        self._parts.searches.begin(record.uuid, errand, partial(self.poke, record.id))

    def _waiting(self, host: str) -> list[int]:
        """Queued records of a source in order of arrival."""
        queued = [r for r in self._state.open_records() if r.source_compute == host and r.stage is Stage.QUEUED]
        return [r.id for r in sorted(queued, key=lambda r: (r.entered, r.id))]

    def _free(self, host: str) -> int:
        """Slots of a source that nobody holds."""
        held = sum(r.source_compute == host and r.holds_slot for r in self._state.open_records())
        return (self._parts.options.max_concurrent_live_migrations or _UNLIMITED) - held

    def _turn(self, record: Record) -> bool:
        if record.stage is not Stage.QUEUED:
            return False
        waiting = self._waiting(record.source_compute)
        return waiting.index(record.id) < self._free(record.source_compute)

    def _limit(self, server: Server) -> float:
        """Seconds that the copy may take: per GiB of memory and copied disk, at least two of them."""
        disk = server.flavor.disk if server.disk == "local" else 0
        size = max(2.0, server.flavor.ram / 1024 + disk)
        return self._parts.options.live_migration_completion_timeout * size

    def _carry_out(self, record: Record, server: Server, step: Step) -> None:
        """One instant: everything of the step, or nobody sees any of it (there is one thread)."""
        self._transfer(step, record, server)
        after = self._state.change_record(record.id, step.record)
        if step.server:
            server = self._state.change_server(server.id, step.server)
        if step.transfer == "start":
            self.transfers.start(after, server)
        elif step.transfer in ("stop", "power-on"):
            self.transfers.stop(after, server)
        self._claim(step, after, server)
        self._mark(step, record)

    def _transfer(self, step: Step, record: Record, server: Server) -> None:
        if step.transfer == "suspend":
            self.transfers.suspend(record, server)
        elif step.transfer == "post-copy":
            self.transfers.post_copy(record, server)
        elif step.transfer == "power-off":
            self._parts.guests.power_off(server.id)
        elif step.transfer == "power-on":
            self._parts.guests.power_on(server.id)

    def _claim(self, step: Step, record: Record, server: Server) -> None:
        if step.claim == "target":
            self._parts.claims.move(record, server)
        elif step.claim == "back":
            self._parts.claims.back(record, server)
        elif step.claim == "settle":
            self._parts.claims.settle(record)

    def _mark(self, step: Step, record: Record) -> None:
        request = record.order.request_id
        if step.action:
            request = self._parts.journal.last(record.server_id, step.action)
        self._parts.journal.mark(record.server_id, request, step.marks)

    def begun(self, record: Record, event: str) -> None:
        """The first event of a migration runs."""
        self._parts.journal.mark(record.server_id, record.order.request_id, (Mark(event, began=True),))


def _wish(record: Record, server: Server) -> Wish:
    order = record.order
    live = record.kind == LIVE_KIND
    return Wish(server, frozenset({record.source_compute}), order.host, live, order.block)
