"""When a VM starts and stops its VMI: one block of rows per run strategy (kubevirt sheet §2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Delete, Effect, Patch
from lab.kubevirt.kinds import VMI
from lab.kubevirt.vm.instance import instance
from lab.kubevirt.vm.view import VmView
from lab.kubevirt.vmi.view import VM_FINALIZER

START_FAILED = "Failure while starting VMI: "


@dataclass(frozen=True, slots=True)
class StartVmi:
    """Create the VMI and tell of it."""

    view: VmView

    def apply(self, api: Api, caller: Caller) -> None:
        """Create it; a refusal is told in an event and raised."""
        try:
            vmi = api.create(VMI, instance(self.view), caller=caller)
        except ApiError as error:
            text = f"Error creating virtual machine instance: {error.message}"
            self.view.event("Warning", "FailedCreate", text).apply(api, caller)
            raise
        name = vmi["metadata"]["name"]
        text = f"Started the virtual machine by creating the new virtual machine instance {name}"
        self.view.event("Normal", "SuccessfulCreate", text).apply(api, caller)


def _start(view: VmView) -> Sequence[Effect]:
    return (StartVmi(view),)


def _stop(view: VmView) -> Sequence[Effect]:
    if view.vmi is None or view.vmi_deleting:
        return ()
    text = f"Stopped the virtual machine by deleting the virtual machine instance {view.vmi['metadata']['uid']}"
    return (Delete(view.vmi_ref), view.event("Normal", "SuccessfulDelete", text))


def _stop_and_start_again(view: VmView) -> Sequence[Effect]:
    asked = [*(view.status.get("stateChangeRequests") or ()), {"action": "Start"}]
    return (*_stop(view), Patch(view.ref, {"status": {"stateChangeRequests": asked}}, subresource="status"))


def _finalizers(view: VmView, kept: list[str]) -> Sequence[Effect]:
    return (Patch(view.ref, {"metadata": {"finalizers": kept}}),)


def _drop_finalizer(view: VmView) -> Sequence[Effect]:
    return _finalizers(view, [name for name in view.vm["metadata"].get("finalizers") or () if name != VM_FINALIZER])


def _add_finalizer(view: VmView) -> Sequence[Effect]:
    return _finalizers(view, [*(view.vm["metadata"].get("finalizers") or ()), VM_FINALIZER])


def _always(view: VmView) -> Sequence[Effect]:
    return (Patch(view.ref, {"spec": {"runStrategy": "Always", "running": None}}),)


def _when(strategy: str, condition: Callable[[VmView], bool]) -> Callable[[VmView], bool]:
    return lambda view: view.strategy == strategy and condition(view)


def _absent(view: VmView) -> bool:
    return view.vmi is None


def _retry_at(view: VmView) -> float:
    return view.retry_at


RUNNING: Table[VmView] = Table(
    "vm-run-strategy",
    (
        Row(
            "gone",
            lambda view: (
                view.deleting and view.vmi is None and VM_FINALIZER in view.vm["metadata"].get("finalizers", ())
            ),
            _drop_finalizer,
        ),
        Row("deleted", lambda view: view.deleting, _stop),
        Row("new", lambda view: VM_FINALIZER not in (view.vm["metadata"].get("finalizers") or ()), _add_finalizer),
        Row("a VMI of that name is not ours", lambda view: view.foreign, hold),
        Row("always: ended or restarted", _when("Always", lambda view: view.stop_requested or view.vmi_final), _stop),
        Row("always: start", _when("Always", _absent), _start, after=_retry_at),
        Row(
            "rerun: failed",
            _when("RerunOnFailure", lambda view: view.vmi_phase == "Failed" and not view.vmi_deleting),
            _stop_and_start_again,
        ),
        Row(
            "rerun: ended or stopped",
            _when("RerunOnFailure", lambda view: view.stop_requested or view.vmi_phase == "Succeeded"),
            _stop,
        ),
        Row(
            "rerun: start",
            _when("RerunOnFailure", lambda view: view.vmi is None and view.rerun),
            _start,
            after=_retry_at,
        ),
        Row("manual: stop", _when("Manual", lambda view: view.stop_requested), _stop),
        Row("manual: start", _when("Manual", lambda view: view.vmi is None and view.start_requested), _start),
        Row("halted: start paused", _when("Halted", lambda view: view.vmi is None and view.start_requested), _always),
        Row("halted: stop", _when("Halted", lambda view: view.vmi is not None), _stop),
        Row("once: start", _when("Once", lambda view: view.vmi is None), _start),
        Row("as wanted", lambda _: True, hold),
    ),
)
