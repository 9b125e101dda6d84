"""What can be asked of Nova about a server: checked and begun here, carried out by moves and tasks (sheet §4, §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.controllers.decisions import Table
from lab.openstack.compute import cold, live
from lab.openstack.compute.callers import Caller
from lab.openstack.compute.checks import Begin, admit
from lab.openstack.compute.delays import Delays
from lab.openstack.compute.journal import Journal
from lab.openstack.compute.moves import Moves
from lab.openstack.compute.records import COLD, IN_PROGRESS_LIVE, LIVE, Kind, Order, Record, Stage
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.compute.steps import Mark
from lab.openstack.refusals import RefusalError

UNAVAILABLE = "Service is unavailable at this time."
Json = Mapping[str, Any]
_SIMPLE: Mapping[str, tuple[str, str]] = {  # action -> its name in the journal, and the task it begins
    "os-stop": ("stop", "powering-off"),
    "os-start": ("start", "powering-on"),
    "pause": ("pause", "pausing"),
    "unpause": ("unpause", "unpausing"),
    "suspend": ("suspend", "suspending"),
    "resume": ("resume", "resuming"),
}


@dataclass(frozen=True, slots=True)
class Verbs:
    """The compute API of one cloud."""

    state: State
    moves: Moves
    journal: Journal
    delays: Delays
    actions: Table[Begin]

    def live_migrate(self, server: Server, order: Order, caller: Caller, *, wait: bool) -> None:
        """Begin a live migration. `wait`: look for a target first, as below microversion 2.34, and refuse with 400."""
        self._admit(server, "os-migrateLive", caller)
        if order.host and order.host not in self.state.hosts:
            raise RefusalError(400, f"Compute host {order.host} could not be found.")
        server = self.state.change_server(server.id, {"task_state": "migrating", "progress": 0})
        self.journal.begin(server, "live-migration", caller)
        record = self._record(server, LIVE, order)
        if not wait:
            delay = self.delays.of("conduct", self._key(server))
            self.state.clock.call_later(delay, self._conduct, record, live.CONDUCTOR)
            return
        self._conduct(record, live.CONDUCTOR)
        choice = self.moves.choose(record, server)
        if choice.host is None:
            self._undo(record, choice.reason)
            self.state.change_server(server.id, {"task_state": None})
            raise RefusalError(400, choice.reason)

    def migrate(self, server: Server, order: Order, caller: Caller) -> None:
        """Begin a cold migration."""
        self._admit(server, "migrate", caller)
        if order.host and order.host not in self.state.hosts:
            raise RefusalError(400, f"Compute host {order.host} could not be found.")
        if order.host and order.host == server.host:
            raise RefusalError(400, "The target host can't be the same one.")
        self._demand_source(server)
        fields = {"task_state": "resize_prep", "old_vm_state": server.vm_state}
        server = self.state.change_server(server.id, fields)
        self.journal.begin(server, "migrate", caller)
        delay = self.delays.of("conduct", self._key(server))
        self.state.clock.call_later(delay, self._conduct, self._record(server, COLD, order), cold.CONDUCTOR)

    def confirm(self, server: Server, caller: Caller) -> None:
        """Confirm a cold migration."""
        self._admit(server, "confirmResize", caller)
        record = self._finished(server)
        if not self.state.hosts[record.source_compute].alive:
            raise RefusalError(409, UNAVAILABLE)
        self.journal.begin(server, "confirmResize", caller)
        self._decide(record, "confirming", Stage.CONFIRMING)

    def revert(self, server: Server, caller: Caller) -> None:
        """Take a cold migration back."""
        self._admit(server, "revertResize", caller)
        record = self._finished(server)
        self.state.change_server(server.id, {"task_state": "resize_reverting"})
        self.journal.begin(server, "revertResize", caller)
        self._decide(record, "reverting", Stage.REVERTING)

    def abort(self, server: Server, number: str, caller: Caller, *, early: bool) -> None:
        """Abort a live migration. `early`: also one that does not run yet, from microversion 2.65 on."""
        self._admit(server, "abort live migration", caller)
        record = self._in_progress(server, number)
        if record is None:
            raise RefusalError(404, f"Migration {number} not found for instance {server.id}")
        allowed = ("running", "queued", "preparing") if early else ("running",)
        self._demand_status(record, allowed, "abort live migration")
        self.journal.begin(server, "live_migration_cancel", caller)
        delay = self.delays.of("abort", self._key(server))
        mark = Mark("compute_live_migration_abort", record.source_compute)
        self.state.clock.call_later(delay, self._abort, record.id, caller.request_id, mark)

    def force_complete(self, server: Server, number: str, caller: Caller) -> None:
        """Let a live migration end, whatever the guest does."""
        self._admit(server, "force_complete", caller)
        record = self._in_progress(server, number)
        if record is None:
            raise RefusalError(400, f"Migration {number} not found for instance {server.id}")
        self._demand_status(record, ("running",), "force complete")
        self.journal.begin(server, "live_migration_force_complete", caller)
        delay = self.delays.of("abort", self._key(server))
        mark = Mark("compute_live_migration_force_complete", record.source_compute)
        self.state.clock.call_later(delay, self._force, record.id, caller.request_id, mark)

    def simple(self, server: Server, action: str, caller: Caller) -> None:
        """Stop, start, pause, unpause, suspend, resume."""
        self._admit(server, action, caller)
        name, task = _SIMPLE[action]
        self.journal.begin(server, name, caller)
        self.state.change_server(server.id, {"task_state": task})

    def reboot(self, server: Server, caller: Caller, *, hard: bool) -> None:
        """Reboot."""
        self._admit(server, "reboot", caller)
        if not hard and server.vm_state != "active":
            raise RefusalError(409, f"Cannot 'reboot' instance {server.id} while it is in vm_state {server.vm_state}")
        self.journal.begin(server, "reboot", caller)
        self.state.change_server(server.id, {"task_state": "rebooting_hard" if hard else "rebooting"})

    def reset(self, server: Server, vm_state: str, caller: Caller) -> None:
        """Say that a server is in ERROR or active, whatever it is."""
        self.journal.begin(server, "resetState", caller)
        self.state.change_server(server.id, {"vm_state": vm_state, "task_state": None})

    def delete(self, server: Server, caller: Caller) -> None:
        """Begin to delete; a second request changes nothing."""
        if server.locked and not caller.admin:
            raise RefusalError(409, f"Instance {server.id} is locked")
        if server.task_state != "deleting":
            self.journal.begin(server, "delete", caller)
            self.state.change_server(server.id, {"task_state": "deleting", "progress": 0})

    def lock(self, server: Server, reason: str | None, caller: Caller) -> None:
        """Lock against all but admins."""
        self.journal.begin(server, "lock", caller)
        self.state.change_server(server.id, {"locked": True, "locked_reason": reason})

    def unlock(self, server: Server, caller: Caller) -> None:
        """Take the lock away."""
        self.journal.begin(server, "unlock", caller)
        self.state.change_server(server.id, {"locked": False, "locked_reason": None})

    def _admit(self, server: Server, action: str, caller: Caller) -> None:
        admit(self.actions, Begin(server, action, caller.admin))

    def _key(self, server: Server) -> str:
        """What tells this action of the server apart, in every run with the same seed."""
        return f"{server.id}/{len(self.state.actions_of(server.id))}"

    def _demand_source(self, server: Server) -> None:
        if server.host is None or not self.state.hosts[server.host].alive:
            raise RefusalError(409, UNAVAILABLE)

    def _record(self, server: Server, kind: Kind, order: Order) -> Record:
        """A record as it will be once the conductor makes it; the number is not drawn yet."""
        now = self.state.clock.now()
        return Record(
            id=0,
            uuid=self.state.new_id(),
            server_id=server.id,
            kind=kind,
            order=order,
            status="accepted" if kind == LIVE else "pre-migrating",
            source_compute=server.host or "",
            source_node=server.node,
            created=now,
            entered=now,
            stage=Stage.CONDUCTED,
            flavor=server.flavor.number,
            user_id=server.user_id,
            project_id=server.project_id,
        )

    def _conduct(self, record: Record, event: str) -> None:
        """The conductor makes the record, unless the server went meanwhile, or was reset and asked again."""
        server = self.state.server(record.server_id)
        name, task = ("live-migration", "migrating") if record.kind == LIVE else ("migrate", "resize_prep")
        asked_again = self.journal.last(record.server_id, name) != record.order.request_id
        if server is None or server.task_state != task or asked_again:
            return
        now = self.state.clock.now()
        made = replace(record, id=self.state.next_record(), created=now, entered=now)
        self.moves.begun(made, event)
        self.moves.begin(made)

    def _undo(self, record: Record, reason: str) -> None:
        """The synchronous form of no-valid-host."""
        made = self.state.records_of(record.server_id)[-1]
        self.state.change_record(made.id, {"status": "error", "stage": Stage.OVER})
        error = Mark(live.CONDUCTOR, error=reason)
        self.journal.mark(record.server_id, record.order.request_id, (error,))

    def _finished(self, server: Server) -> Record:
        found = [r for r in self.state.records_of(server.id) if r.stage is Stage.FINISHED]
        if not found:
            raise RefusalError(400, "Instance has not been resized.")
        return found[-1]

    def _decide(self, record: Record, status: str, stage: Stage) -> None:
        self.state.change_record(record.id, {"status": status, "stage": stage})
        self.moves.poke(record.id)

    def _in_progress(self, server: Server, number: str) -> Record | None:
        record = self.state.record(int(number)) if number.isdecimal() else None
        return record if record is not None and record.server_id == server.id else None

    def _demand_status(self, record: Record, allowed: tuple[str, ...], what: str) -> None:
        if record.kind != LIVE or record.status not in allowed:
            raise RefusalError(
                400,
                f"Migration {record.id} state of instance {record.server_id} is {record.status}. "
                f"Cannot {what} while the migration is in this state.",
            )

    def _abort(self, number: int, request_id: str, mark: Mark) -> None:
        self._ask(number, {"abort": True}, request_id, mark)

    def _force(self, number: int, request_id: str, mark: Mark) -> None:
        record = self.state.record(number)
        server = self.state.server(record.server_id) if record is not None else None
        self._ask(number, {"force": True}, request_id, mark)
        record = self.state.record(number)
        if record is not None and server is not None and record.stage is Stage.COPYING:
            self.moves.transfers.suspend(record, server)

    def _ask(self, number: int, fields: Json, request_id: str, mark: Mark) -> None:
        record = self.state.record(number)
        if record is None:
            return
        self.journal.mark(record.server_id, request_id, (mark,))
        if record.status in IN_PROGRESS_LIVE and not record.over:
            self.state.change_record(number, fields)
            self.moves.poke(number)
