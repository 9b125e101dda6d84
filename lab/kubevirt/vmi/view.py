"""What virt-controller sees of a VMI, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.controllers.effects import Ref
from lab.controllers.events import Emit, EventType
from lab.kubevirt.facts import pod_is_down
from lab.kubevirt.kinds import VMI
from lab.kubevirt.seen import SeenVmi

Json = Mapping[str, Any]
COMPONENT = "virtualmachine-controller"
FOREGROUND = "kubevirt.io/foregroundDeleteVirtualMachine"
VM_FINALIZER = "kubevirt.io/virtualMachineControllerFinalize"


@dataclass(frozen=True, slots=True)
class VmiView(SeenVmi):
    """A VMI with its pods at one moment."""

    pod: Json | None  # the launcher its guest runs in, or will
    pods: tuple[Json, ...]  # all pods it controls, migration targets and finished ones too
    manifest: Json | None  # the pod to create, once one is needed
    refusal: str  # why no pod can be rendered, "" if it can
    migrating: bool  # whether a VMIM for it is not final
    owned: bool  # whether the VM that owns it exists
    now: str

    @property
    def unprocessed(self) -> bool:
        """Whether no pod was ever seen for it."""
        return self.phase in ("", "Pending")

    @property
    def pod_is_down(self) -> bool:
        """Whether its pod ends or has ended."""
        return self.pod is not None and pod_is_down(self.pod)

    @property
    def marked_for_eviction(self) -> bool:
        """Whether its node is being drained."""
        return bool((self.vmi.get("status") or {}).get("evacuationNodeName"))

    @property
    def ref(self) -> Ref:
        """The VMI."""
        return Ref(VMI, self.vmi["metadata"]["namespace"], self.vmi["metadata"]["name"])

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event on the VMI."""
        return Emit(self.vmi, kind, reason, message, COMPONENT)
