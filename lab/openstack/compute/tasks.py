"""Work on one server that is no migration, as a table: building, deleting, power (openstack sheet §3, §4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from lab.clock import Timer
from lab.controllers.answers import Answer
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.openstack.compute.claims import Claims
from lab.openstack.compute.delays import Delays
from lab.openstack.compute.external.body import Asker
from lab.openstack.compute.external.searches import Errand, Phase, Searches
from lab.openstack.compute.guests import Guests
from lab.openstack.compute.journal import Journal
from lab.openstack.compute.records import COLD, Stage
from lab.openstack.compute.scheduling import Choice, Wish
from lab.openstack.compute.servers import NO_STATE, PAUSED, RUNNING, SHUTDOWN, Fault, Server
from lab.openstack.compute.state import State
from lab.openstack.compute.steps import Mark, Step, begin_search

DELETION_TAKES = "lab:deletion_takes"
"""Key of a server's metadata: product seconds that its deletion takes, for which no cloud has a switch."""
BUILD, SPAWN = "conductor_build_instances", "compute__do_build_and_run_instance"


@dataclass(frozen=True, slots=True)
class Task:
    """One server with something to do."""

    server: Server
    now: float
    choose: Callable[[], Choice]
    search: Phase
    delay: Callable[[str], float]


@dataclass(frozen=True, slots=True)
class End:
    """How a task ends: the action it belongs to, its event, and the state that follows."""

    action: str
    event: str
    vm_state: str
    power_state: int


ENDS: Mapping[str, End] = {
    "powering-off": End("stop", "compute_stop_instance", "stopped", SHUTDOWN),
    "powering-on": End("start", "compute_start_instance", "active", RUNNING),
    "pausing": End("pause", "compute_pause_instance", "paused", PAUSED),
    "unpausing": End("unpause", "compute_unpause_instance", "active", RUNNING),
    "suspending": End("suspend", "compute_suspend_instance", "suspended", SHUTDOWN),
    "resuming": End("resume", "compute_resume_instance", "active", RUNNING),
    "rebooting": End("reboot", "compute_reboot_instance", "active", RUNNING),
    "rebooting_hard": End("reboot", "compute_reboot_instance", "active", RUNNING),
}


def _unbuilt(task: Task) -> bool:
    return task.server.vm_state == "building" and task.server.host is None


def _fail(task: Task) -> Step:
    reason = task.choose().reason
    fault = Fault(500, reason, task.now, f"NoValidHost_Remote: {reason}")
    server = {"vm_state": "error", "task_state": None, "fault": fault}
    return Step(server=server, marks=(Mark(BUILD, error=reason),), action="create")


def _place(task: Task) -> Step:
    host = task.choose().host
    if host is None:
        raise LookupError(f"server {task.server.id} has no host")
    server = {"host": host.name, "node": host.node, "task_state": "spawning"}
    marks = (Mark(BUILD), Mark(SPAWN, host.name, began=True))
    return Step(server=server, claim="target", marks=marks, action="create")


def _spawn(task: Task) -> Step:
    server = {"vm_state": "active", "task_state": None, "power_state": RUNNING, "launched": task.now}
    return Step(server=server, marks=(Mark(SPAWN, task.server.host or ""),), action="create")


def _deletion_takes(task: Task) -> float:
    told = task.server.metadata.get(DELETION_TAKES, "")
    return float(told) if told.isdecimal() else task.delay("delete")


def _delete(task: Task) -> Step:
    server = {
        "vm_state": "deleted",
        "task_state": None,
        "power_state": NO_STATE,
        "terminated": task.now,
        "deleted": True,
    }
    return Step(server=server, claim="settle", marks=(Mark("compute_terminate_instance", task.server.host or ""),),
                action="delete")  # fmt: skip


def _end(task: Task) -> Step:
    end = ENDS[task.server.task_state or ""]
    server = {"vm_state": end.vm_state, "power_state": end.power_state, "task_state": None}
    return Step(server=server, marks=(Mark(end.event, task.server.host or ""),), action=end.action)


TASKS: Table[Task] = Table(
    "nova-tasks",
    (
        Row("gone", lambda task: task.server.deleted, hold),
        Row(
            "deleted",
            lambda task: task.server.task_state == "deleting",
            lambda task: (Answer(_delete(task)),),
            _deletion_takes,
        ),
        Row(
            "asks the external scheduler",
            lambda task: _unbuilt(task) and task.search is Phase.OPEN,
            begin_search,
            lambda task: task.delay("schedule"),
        ),
        Row("waits for the external scheduler", lambda task: _unbuilt(task) and task.search is Phase.ASKED, hold),
        Row(
            "no valid host",
            lambda task: _unbuilt(task) and task.choose().host is None,
            lambda task: (Answer(_fail(task)),),
            lambda task: task.delay("schedule"),
        ),
        Row("placed", _unbuilt, lambda task: (Answer(_place(task)),), lambda task: task.delay("schedule")),
        Row(
            "spawned",
            lambda task: task.server.vm_state == "building",
            lambda task: (Answer(_spawn(task)),),
            lambda task: task.delay("spawn"),
        ),
        Row(
            "done",
            lambda task: task.server.task_state in ENDS,
            lambda task: (Answer(_end(task)),),
            lambda task: task.delay("power"),
        ),
    ),
    since=lambda task: task.server.entered,
)


class Tasks:
    """Brings servers on whose state says that something is to be done."""

    def __init__(
        self,
        state: State,
        searches: Searches,
        claims: Claims,
        guests: Guests,
        journal: Journal,
        delays: Delays,
        faults: Faults,
    ) -> None:
        self._state = state
        self._searches = searches
        self._claims = claims
        self._guests = guests
        self._journal = journal
        self._delays = delays
        self._table = faults.ahead_of(TASKS)
        self._timers: dict[str, Timer] = {}
        state.listen(self._follow)

    def _follow(self, before: Server | None, after: Server) -> None:
        if before is None or (before.vm_state, before.task_state) != (after.vm_state, after.task_state):
            self._plan(after.id, self._state.clock.now())

    def _plan(self, server_id: str, due: float) -> None:
        timer = self._timers.pop(server_id, None)
        if timer is not None:
            timer.cancel()
        self._timers[server_id] = self._state.clock.call_at(due, self._look, server_id)

    def _look(self, server_id: str) -> None:
        self._timers.pop(server_id, None)
        server = self._state.any_server(server_id)
        if server is None:
            return
        decision = decide(self._table, self._view(server), self._state.clock.now())
        if decision.wake_at is not None:
            self._plan(server_id, decision.wake_at)
        for effect in decision.effects:
            if isinstance(effect, Answer) and effect.value.search:
                self._search(server)
            elif isinstance(effect, Answer):
                self._carry_out(server, effect.value)

    def _view(self, server: Server) -> Task:
        wish, key = _wish(server), _key(server)
        return Task(
            server,
            self._state.clock.now(),
            lambda: self._searches.choice(key, wish),
            self._searches.phase(key),
            lambda what: self._delays.of(what, key),
        )

    def _search(self, server: Server) -> None:
        """Ask the external scheduler, on behalf of whoever wants the server."""
        asker = Asker(server.user_id, server.project_id, self._journal.last(server.id, "create"))
        found = partial(self._look, server.id)
        self._searches.begin(_key(server), Errand(_wish(server), asker), found)

    def _carry_out(self, server: Server, step: Step) -> None:
        request = self._journal.last(server.id, step.action)
        if step.claim == "settle":
            self._forget(server)
        if server.task_state in ("rebooting", "rebooting_hard"):
            self._guests.reboot(server.id)
        after = self._state.change_server(server.id, step.server)
        if step.claim == "target" and after.host is not None:
            self._claims.place(after, after.host)
        self._journal.mark(server.id, request, step.marks)

    def _forget(self, server: Server) -> None:
        """What goes with a deleted server: allocations, its place in groups, its migration records."""
        self._claims.drop(server)
        for group in tuple(self._state.groups.values()):
            if server.id in group.members:
                members = tuple(member for member in group.members if member != server.id)
                self._state.groups[group.id] = replace(group, members=members)
        for record in self._state.records_of(server.id):
            fields = {"hidden": True}
            if record.kind == COLD and not record.over:
                fields |= {"status": "confirmed", "stage": Stage.OVER}  # type: ignore[dict-item]  # mixed values
            self._state.change_record(record.id, fields)


def _wish(server: Server) -> Wish:
    return Wish(server, host=server.wanted_host or "")


def _key(server: Server) -> str:
    """What tells this piece of work from others of the server, in every run with the same seed."""
    return f"{server.id}/{server.entered}"
