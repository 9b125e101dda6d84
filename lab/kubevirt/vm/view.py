"""What virt-controller sees of a VM, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.clock import parse_timestamp
from lab.controllers.effects import Ref
from lab.controllers.events import Emit, EventType
from lab.kubevirt.facts import is_deleting, is_final, phase
from lab.kubevirt.kinds import VM, VMI

Json = Mapping[str, Any]
COMPONENT = "virtualmachine-controller"


def run_strategy(vm: Json) -> str:
    """The run strategy; the deprecated `running` means Always or Halted."""
    spec = vm["spec"]
    return str(spec.get("runStrategy") or ("Always" if spec.get("running") else "Halted"))


@dataclass(frozen=True, slots=True)
class VmView:
    """A VM and its VMI at one moment."""

    vm: Json
    vmi: Json | None
    unbound_claims: bool  # whether a PVC of the template is not bound
    spec_changed: bool  # whether the template differs from what the VMI was started with
    stamp: str

    @property
    def strategy(self) -> str:
        """The run strategy."""
        return run_strategy(self.vm)

    @property
    def status(self) -> Json:
        """`status`, empty if there is none."""
        return self.vm.get("status") or {}

    @property
    def deleting(self) -> bool:
        """Whether somebody deleted the VM."""
        return is_deleting(self.vm)

    @property
    def foreign(self) -> bool:
        """Whether a VMI of this name belongs to somebody else."""
        if self.vmi is None:
            return False
        owners = self.vmi["metadata"].get("ownerReferences") or ()
        return not any(owner["uid"] == self.vm["metadata"]["uid"] for owner in owners if owner.get("controller"))

    @property
    def vmi_final(self) -> bool:
        """Whether the VMI is Succeeded or Failed."""
        return self.vmi is not None and is_final(self.vmi)

    @property
    def vmi_phase(self) -> str | None:
        """Phase of the VMI, None without one."""
        return None if self.vmi is None else phase(self.vmi)

    @property
    def vmi_deleting(self) -> bool:
        """Whether the VMI is on its way out."""
        return self.vmi is not None and is_deleting(self.vmi)

    @property
    def request(self) -> Json:
        """The first state change request, empty if there is none."""
        found: list[Json] = self.status.get("stateChangeRequests") or [{}]
        return found[0]

    @property
    def start_requested(self) -> bool:
        """Whether somebody asked for a start."""
        return self.request.get("action") == "Start"

    @property
    def stop_requested(self) -> bool:
        """Whether somebody asked to stop exactly this VMI."""
        if self.request.get("action") != "Stop" or self.vmi is None:
            return False
        return bool(self.request.get("uid") == self.vmi["metadata"]["uid"])

    @property
    def retry_at(self) -> float:
        """Product time before which no start is tried after early failures; 0: at once."""
        failure = self.status.get("startFailure")
        return parse_timestamp(failure["retryAfterTimestamp"]) if failure else 0.0

    @property
    def set_to_start(self) -> bool:
        """Whether the VM wants to run."""
        if self.strategy == "Manual":
            return self.start_requested if self.vmi is None else not self.stop_requested
        if self.strategy == "RerunOnFailure":
            return self.rerun if self.vmi is None else self.vmi_phase != "Succeeded"
        return self.strategy == "Always" or (self.strategy == "Once" and self.vmi is None)

    @property
    def rerun(self) -> bool:
        """Whether RerunOnFailure starts a VMI where there is none."""
        return self.start_requested or self.status.get("runStrategy") != self.strategy

    @property
    def ref(self) -> Ref:
        """The VM."""
        return Ref(VM, self.vm["metadata"]["namespace"], self.vm["metadata"]["name"])

    @property
    def vmi_ref(self) -> Ref:
        """The VMI of the same name."""
        return Ref(VMI, self.vm["metadata"]["namespace"], self.vm["metadata"]["name"])

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event on the VM."""
        return Emit(self.vm, kind, reason, message, COMPONENT)
