"""`status.printableStatus`: first match wins, in the product's order (kubevirt sheet §2.2).

DataVolumeError, Provisioning and WaitingForReceiver cannot occur: DataVolumes and decentralised migration are not
simulated, and refused at admission.
"""

from __future__ import annotations

from collections.abc import Callable

from lab.controllers.answers import says
from lab.controllers.decisions import Row, Table
from lab.kubevirt.conditions import find, is_true, of
from lab.kubevirt.facts import migration_state
from lab.kubevirt.vm.view import VmView


def _row(status: str, when: Callable[[VmView], bool]) -> Row[VmView]:
    return Row(status, when, says(status))


def _migrating(view: VmView) -> bool:
    state = migration_state(view.vmi) if view.vmi is not None else {}
    return bool(state.get("startTimestamp")) and not state.get("endTimestamp")


def _paused(view: VmView) -> bool:
    return view.vmi is not None and view.vmi_phase == "Running" and is_true(of(view.vmi), "Paused")


def _reason_is(kind: str, reason: str) -> Callable[[VmView], bool]:
    def check(view: VmView) -> bool:
        found = find(of(view.vmi), kind) if view.vmi is not None else None
        return found is not None and found["status"] == "False" and found.get("reason") == reason

    return check


def _crash_looping(view: VmView) -> bool:
    if view.vmi is not None and not view.vmi_final:
        return False
    failures = (view.status.get("startFailure") or {}).get("consecutiveFailCount", 0)
    return failures > 0 and view.strategy in ("Always", "RerunOnFailure", "Once")


PRINTABLE: Table[VmView] = Table(
    "vm-printable-status",
    (
        _row("Terminating", lambda view: view.deleting),
        _row("Stopping", lambda view: view.vmi_deleting and not view.vmi_final),
        _row("Migrating", _migrating),
        _row("Paused", _paused),
        _row("Running", lambda view: view.vmi_phase == "Running"),
        _row("ErrorPvcNotFound", _reason_is("Synchronized", "FailedPvcNotFound")),
        _row("ErrorUnschedulable", _reason_is("PodScheduled", "Unschedulable")),
        _row("WaitingForVolumeBinding", lambda view: view.set_to_start and view.unbound_claims),
        _row("ErrImagePull", _reason_is("Synchronized", "ErrImagePull")),
        _row("ImagePullBackOff", _reason_is("Synchronized", "ImagePullBackOff")),
        _row("Starting", lambda view: view.vmi_phase in ("", "Pending", "Scheduling", "Scheduled")),
        _row("CrashLoopBackOff", _crash_looping),
        _row("Stopped", lambda view: view.vmi is None or view.vmi_final),
        _row("Unknown", lambda _: True),
    ),
)
