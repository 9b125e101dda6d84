"""Faults of what the product tells: events, phases, statuses (kubevirt sheet §11, row 19)."""

from __future__ import annotations

from lab.controllers.answers import says
from lab.controllers.decisions import Row, hold
from lab.faults.fault import Fault, ahead, silent, would
from lab.faults.plan import drains, scenarios
from lab.kubevirt.migration.names import SUCCEEDED
from lab.kubevirt.migration.source import SOURCE
from lab.kubevirt.migration.status import STATUS, enter
from lab.kubevirt.migration.target import TARGET, TargetView
from lab.kubevirt.migration.work import WORK
from lab.kubevirt.vm.printable import PRINTABLE

_cannot_prepare = would(TARGET, "cannot prepare")


def _hook_is_missing(view: TargetView) -> bool:
    return _cannot_prepare(view) and "LibvirtHooksServerAndClient" in view.error


SUCCESS_EVENT_MISSING = Fault(
    "success_event_missing",
    "A migration that succeeds is not reported, neither on the migration nor on the VMI.",
    scenarios(22),
    {**ahead(STATUS, silent(STATUS, "completed")), **ahead(TARGET, silent(TARGET, "guest has arrived"))},
)
FAILURE_EVENT_MISSING = Fault(
    "failure_event_missing",
    "A migration that fails at the source is not reported, neither on the migration nor on the VMI.",
    scenarios(23),
    {**ahead(STATUS, silent(STATUS, "source failed")), **ahead(SOURCE, silent(SOURCE, "failed"))},
)
FAILURE_UNREPORTED = Fault(
    "failure_unreported",
    "A migration that finds no room fails without a word.",
    scenarios(10),
    {
        **ahead(WORK, silent(WORK, "unschedulable", "unschedulable too long")),
        **ahead(STATUS, silent(STATUS, "target pod is down", "target pod is gone")),
    },
)
FAILURE_REPORTED_AS_SUCCESS = Fault(
    "failure_reported_as_success",
    "A migration that fails at the source reads Succeeded.",
    scenarios(14, 17, 23) | drains(22, 24),
    ahead(STATUS, Row("fault: all is well", would(STATUS, "source failed"), enter(SUCCEEDED))),
)
PRINTABLE_STATUS_WRONG = Fault(
    "printable_status_wrong",
    "A VM that migrates reads Starting.",
    scenarios(24) | drains(6),
    ahead(PRINTABLE, Row("fault: starting again", would(PRINTABLE, "Migrating"), says("Starting"))),
)
HOOK_GATE_UNREPORTED = Fault(
    "hook_gate_unreported",
    "A target that cannot be prepared for want of the hook gate says nothing.",
    scenarios(25),
    ahead(TARGET, Row("fault: waits in silence", _hook_is_missing, hold)),
)
