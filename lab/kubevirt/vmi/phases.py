"""The phase and the Ready condition virt-controller gives a VMI (kubevirt sheet §2.3, §2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table
from lab.kubevirt.conditions import find, of
from lab.kubevirt.facts import pod_is_ready
from lab.kubevirt.vmi.view import VmiView


@dataclass(frozen=True, slots=True)
class Readiness:
    """What the Ready condition says; times are None: now."""

    ready: bool
    reason: str = ""
    message: str = ""
    transition: str | None = None
    copied: bool = False


def _handed_over(view: VmiView) -> bool:
    return view.phase == "Scheduling" and view.pod is not None and pod_is_ready(view.pod) and not view.deleting


PHASES: Table[VmiView] = Table(
    "vmi-phase",
    (
        Row("final", lambda view: view.final, answering(lambda view: view.phase)),
        Row("pod exists", lambda view: view.unprocessed and view.pod is not None, says("Scheduling")),
        Row("deleted early", lambda view: view.unprocessed and view.deleting, says("Failed")),
        Row("no pod yet", lambda view: view.unprocessed, says("Pending")),
        Row("pod is gone", lambda view: view.pod is None, says("Failed")),
        Row("pod is ready", _handed_over, says("Scheduled")),
        Row("pod went down", lambda view: view.phase == "Scheduling" and view.pod_is_down, says("Failed")),
        Row("unchanged", lambda _: True, answering(lambda view: view.phase)),
    ),
)


def _pod_ready(view: VmiView) -> Readiness:
    found = find(of(view.pod or {}), "Ready")
    if found is None:
        return Readiness(False, "PodConditionMissing", "virt-launcher pod is missing the Ready condition")
    texts = (found.get("reason", ""), found.get("message", ""))
    return Readiness(found["status"] == "True", *texts, transition=found.get("lastTransitionTime"), copied=True)


READY: Table[VmiView] = Table(
    "vmi-ready",
    (
        Row(
            "no pod",
            lambda view: view.pod is None,
            says(Readiness(False, "PodNotExists", "virt-launcher pod has not yet been scheduled")),
        ),
        Row(
            "pod ends",
            lambda view: view.pod_is_down,
            says(Readiness(False, "PodTerminating", "virt-launcher pod is terminating")),
        ),
        Row(
            "guest does not run",
            lambda view: view.phase != "Running",
            says(Readiness(False, "GuestNotRunning", "Guest VM is not reported as running")),
        ),
        Row("as the pod says", lambda _: True, answering(_pod_ready)),
    ),
)
