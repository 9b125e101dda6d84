"""Faults of what a move does to the guest (kubevirt sheet §11, rows 3, 4, 7, 8 and 9)."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from lab.controllers.answers import answering
from lab.controllers.decisions import Row
from lab.controllers.effects import Do, Effect
from lab.faults.fault import Fault, Rows, ahead, would
from lab.faults.plan import UNDISTURBED, drains, scenarios
from lab.guests import GuestMachine
from lab.kubevirt.domains import Domain
from lab.kubevirt.migration.engine import MDEV
from lab.kubevirt.migration.job import OUTCOMES, Ending, go_on_at_target, move
from lab.kubevirt.migration.names import PAUSED

_CRASHES_AFTER = 3.0  # product seconds on the target
_STALLS_FOR = 90.0
_FIRST_USER = 1000  # accounts below are the system's

_arrives = would(OUTCOMES, "goes on at the target")


def _after_arrival(what: str, act: Callable[[Ending], object]) -> Rows:
    """Something happens to the guest right after it has arrived."""

    def then(ending: Ending) -> Sequence[Effect]:
        return (*go_on_at_target(ending), Do(what, lambda: act(ending)))

    return ahead(OUTCOMES, Row(f"fault: {what}", _arrives, then))


def _crash_later(ending: Ending) -> None:
    machine = ending.job.machine
    machine.clock.call_later(_CRASHES_AFTER, machine.domains.end, ending.domain, "crashed")


def restart_processes(domain: Domain) -> None:
    """Kill what users started, and start the same commands anew."""
    guest = domain.guest
    if not isinstance(guest, GuestMachine):
        return
    users = [process for process in guest.processes() if process.account.uid >= _FIRST_USER and process.alive]
    commands = [(process.account.name, shlex.join(process.argv)) for process in users if process.parent not in users]
    for process in users:
        guest.kill_process(process.pid)
    for user, command in commands:
        guest.run(f"nohup {command} > /dev/null 2>&1 &", user=user)


def lose_gpu(domain: Domain) -> None:
    """Take the GPU off the guest's bus."""
    if isinstance(domain.guest, GuestMachine):
        domain.guest.lose_gpu()


def _arrive_stalled(ending: Ending) -> Sequence[Effect]:
    machine = ending.job.machine

    def resume_late() -> None:
        machine.clock.call_later(_STALLS_FOR, machine.domains.resume, ending.domain, "migration")

    return (move(ending, machine.mdev(ending.job)), Do("resume late", resume_late))


def _stay_suspended(ending: Ending) -> Sequence[Effect]:
    """Failed: stopped at the source for good; done after mode Paused: never resumed at the target."""
    machine = ending.job.machine
    if ending.failed:
        return (Do("stay suspended", lambda: machine.domains.pause(ending.domain, "migration")),)
    return (move(ending, machine.mdev(ending.job)),)


GUEST_LOST_ON_TARGET = Fault(
    "guest_lost_on_target",
    "The guest crashes shortly after it has arrived on the target.",
    UNDISTURBED | scenarios(4, 5, 6, 19, 22, 24) | drains(5, 6, 7, 8, 9, 11, 12, 16, 17, 18, 20, 21, 22, 23, 24, 25),
    _after_arrival("guest crashes", _crash_later),
)
GUEST_REBOOTED = Fault(
    "guest_rebooted",
    "The guest is rebooted instead of moved.",
    UNDISTURBED | drains(7, 12, 23),
    _after_arrival("guest reboots", lambda ending: ending.domain.guest.reboot()),
)
PROCESS_RESTARTED = Fault(
    "process_restarted",
    "Processes of the guest's users are killed by the move and started anew.",
    UNDISTURBED | drains(7, 12, 23),
    _after_arrival("processes restart", lambda ending: restart_processes(ending.domain)),
)
VGPU_LOST_ON_TARGET = Fault(
    "vgpu_lost_on_target",
    "The vGPU is missing in the guest after the move.",
    scenarios(6) | drains(8),
    _after_arrival("GPU vanishes", lambda ending: lose_gpu(ending.domain)),
)
HEARTBEAT_STALLED = Fault(
    "heartbeat_stalled",
    "The guest stands still for a minute and a half after its move.",
    scenarios(8) | drains(7),
    ahead(OUTCOMES, Row("fault: guest stalls", _arrives, _arrive_stalled)),
)
MDEV_NOT_REWRITTEN = Fault(
    "mdev_not_rewritten",
    "The guest keeps the source's mediated device on the target.",
    scenarios(6),
    ahead(
        MDEV,
        Row(
            "fault: as on the source",
            lambda arrival: arrival.domain.mdev_uuid is not None,
            answering(lambda arrival: arrival.domain.mdev_uuid),
        ),
    ),
)
PAUSED_LEFT_AFTER_MIGRATION = Fault(
    "paused_left_after_migration",
    "A guest stays suspended after a migration that failed, or that had to suspend it.",
    scenarios(12, 13, 14, 17) | drains(23),
    ahead(
        OUTCOMES,
        Row(
            "fault: suspended for good",
            lambda ending: not ending.domain.ended and (ending.failed or ending.mode == PAUSED),
            _stay_suspended,
        ),
    ),
)
