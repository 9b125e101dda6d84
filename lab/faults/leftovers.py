"""Faults of pods, devices and capacity: leaked, killed, never given back (kubevirt sheet §11, rows 10, 11 and 17)."""

from __future__ import annotations

from collections.abc import Sequence

from lab.apiserver.builtin.kinds import POD
from lab.controllers.decisions import Row, hold
from lab.controllers.effects import Delete, Effect, Ref
from lab.faults.fault import Fault, ahead, as_sound, would
from lab.faults.plan import drains, scenarios
from lab.kubevirt.facts import phase
from lab.kubevirt.launchers import LAUNCH, Launcher
from lab.kubevirt.migration.names import FAILED
from lab.kubevirt.migration.status import STATUS, fail
from lab.kubevirt.migration.target import TARGET, forget
from lab.kubevirt.migration.view import MigrationView
from lab.kubevirt.migration.work import WORK

_gives_up = would(WORK, "unschedulable too long")
_creates = would(WORK, "create target pod")
_guest_left = would(LAUNCH, "guest has gone")


def _without_source(view: MigrationView) -> Sequence[Effect]:
    """As the sound table, and the source pod goes instead of the target's."""
    pod = view.source_pod
    wrong = () if pod is None else (Delete(Ref(POD, pod["metadata"]["namespace"], pod["metadata"]["name"])),)
    return (*as_sound(STATUS, view), *wrong)


def _found_no_room_before(view: MigrationView) -> bool:
    """Whether an earlier migration of the VMI failed before its hand-off."""
    return _creates(view) and any(
        phase(other) == FAILED and "migrationUid" not in (other["status"].get("migrationState") or {})
        for other in view.siblings
    )


UNSCHEDULABLE_NEVER_TIMES_OUT = Fault(
    "unschedulable_never_times_out",
    "A target pod that finds no node is waited for without end.",
    scenarios(9, 10, 11, 20) | drains(11),
    ahead(WORK, Row("fault: waits for ever", _gives_up, hold)),
)
TARGET_POD_LEAKED = Fault(
    "target_pod_leaked",
    "The target pod of a migration that failed or was aborted is left behind.",
    scenarios(11, 20, 21) | drains(12, 22, 24),
    {
        **ahead(WORK, Row("fault: pod stays", would(WORK, "cancel", "unschedulable too long"), hold)),
        **ahead(
            STATUS,
            Row(
                "fault: as if it were gone",
                _gives_up,
                fail("Migration target pod was removed during active migration."),
            ),
        ),
        **ahead(TARGET, Row("fault: launcher stays", would(TARGET, "failed"), lambda view: (forget(view),))),
    },
)
_stays: Row[Launcher] = Row("fault: stays", lambda at: _guest_left(at) and not at.signalled, hold)
SOURCE_DEVICE_LEAKED = Fault(
    "source_device_leaked",
    "The source's launcher keeps running after its guest has left, with its vGPU.",
    scenarios(18, 19) | drains(4, 7, 8, 9, 12, 16, 22, 23, 24),
    ahead(LAUNCH, _stays),
)
SOURCE_KILLED_ON_FAILURE = Fault(
    "source_killed_on_failure",
    "A migration that fails takes the source's pod with it.",
    scenarios(9, 11, 14, 17, 20, 21, 25) | drains(11, 12, 22, 24),
    ahead(
        STATUS,
        Row(
            "fault: the wrong pod goes",
            would(STATUS, "target pod is down", "target pod is gone", "source failed"),
            _without_source,
        ),
    ),
)
CAPACITY_NEVER_RETURNS = Fault(
    "capacity_never_returns",
    "A VM that once found no room never gets a target again.",
    scenarios(11) | drains(12),
    ahead(WORK, Row("fault: no room, as before", _found_no_room_before, hold)),
)
