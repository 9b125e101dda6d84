"""Faults of the migration engine: disruption, post-copy, cancelling (kubevirt sheet §11, rows 5, 6, 18 and 20)."""

from __future__ import annotations

from lab.controllers.answers import answering
from lab.controllers.decisions import Row, hold
from lab.controllers.effects import Effect, Patch
from lab.faults.fault import Fault, ahead
from lab.faults.plan import BY_POLICY, EVACUATED, drains, scenarios
from lab.kubevirt.merging import difference
from lab.kubevirt.migration.controller import SETTINGS
from lab.kubevirt.migration.job import ABORTS, Job
from lab.kubevirt.migration.monitor import MONITOR, abort, raise_downtime, start_post_copy
from lab.kubevirt.migration.names import PAUSED, RUNNING
from lab.kubevirt.migration.policies import Settings
from lab.kubevirt.migration.view import MigrationView
from lab.kubevirt.migration.work import WORK

AWD_IGNORED = Fault(
    "awd_ignored",
    "A migration is aborted at the acceptable time although workload disruption is allowed.",
    scenarios(12, 13) | drains(18, 19, 20, 21, 22, 23),
    ahead(MONITOR, Row("fault: no help", lambda poll: poll.assist, abort)),
)
AWD_WITHOUT_PERMISSION = Fault(
    "awd_without_permission",
    "A migration disturbs the guest at the acceptable time although that is forbidden.",
    scenarios(14),
    ahead(
        MONITOR,
        Row(
            "fault: help unasked",
            lambda poll: poll.expired and not poll.allow_disruption and poll.mode != PAUSED,
            raise_downtime,
        ),
    ),
)
POSTCOPY_FOR_VFIO = Fault(
    "postcopy_for_vfio",
    "A guest with a vGPU is switched to post-copy, which its device cannot do.",
    scenarios(13),
    ahead(
        MONITOR,
        Row("fault: post-copy for all", lambda poll: poll.assist and poll.allow_post_copy, start_post_copy),
    ),
)
_nobody_cancels: Row[Job] = Row("fault: nobody cancels", lambda _: True, hold)
ABORT_IGNORED = Fault(
    "abort_ignored",
    "A request to cancel a running migration has no effect.",
    scenarios(14, 17, 21) | drains(22),
    ahead(ABORTS, _nobody_cancels),
)
POLICY_IGNORED = Fault(
    "policy_ignored",
    "Migration policies are not looked at.",
    BY_POLICY | EVACUATED | drains(15),
    ahead(SETTINGS, Row("fault: the cluster's own", lambda _: True, answering(lambda asked: Settings(asked.cluster)))),
)


def _reloads(view: MigrationView) -> bool:
    under_way = view.phase == RUNNING and view.owns_state and not view.state.get("endTimestamp")
    return under_way and view.state.get("migrationConfiguration") != view.settings.to_json()


def _reload(view: MigrationView) -> tuple[Effect, ...]:
    change = difference(view.state["migrationConfiguration"], view.settings.to_json())
    return (Patch(view.vmi_ref, {"status": {"migrationState": {"migrationConfiguration": change}}}),)


POLICY_LIVE_RELOAD = Fault(
    "policy_live_reload",
    "A policy that is changed during a migration changes the configuration of that migration.",
    scenarios(16),
    ahead(WORK, Row("fault: settings follow the policy", _reloads, _reload)),
)
