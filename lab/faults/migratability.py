"""Faults of the LiveMigratable condition: who may move (kubevirt sheet §11, rows 1 and 2)."""

from __future__ import annotations

from lab.controllers.answers import says
from lab.controllers.decisions import Row
from lab.faults.fault import Fault, ahead, would
from lab.faults.plan import ALL_MOVES, EVACUATED, drains, scenarios
from lab.kubevirt.gates import VGPU_LIVE_MIGRATION
from lab.kubevirt.handler.migratable import DEVICES

GATE_IGNORED = Fault(
    "gate_ignored",
    "A VM with one vGPU counts as live-migratable although the gate is off.",
    scenarios(1, 2, 4) | drains(13, 14),
    ahead(DEVICES, Row("fault: gate ignored", would(DEVICES, "gate is off"), says(""))),
)
GATE_STALE = Fault(
    "gate_stale",
    "A VM with one vGPU stays not live-migratable although the gate is on.",
    ALL_MOVES | EVACUATED,
    ahead(
        DEVICES,
        Row(
            "fault: gate is not seen",
            would(DEVICES, "one vGPU"),
            says(f"VMI specifies a GPU but feature gate {VGPU_LIVE_MIGRATION} is not enabled"),
        ),
    ),
)
TWO_GPUS_MIGRATABLE = Fault(
    "two_gpus_migratable",
    "A VM with two vGPUs counts as live-migratable.",
    frozenset({"VGPU-26"}),
    ahead(DEVICES, Row("fault: any number of GPUs", would(DEVICES, "too many GPUs"), says(""))),
)
PASSTHROUGH_MIGRATABLE = Fault(
    "passthrough_migratable",
    "A VM with a whole GPU counts as live-migratable.",
    frozenset({"VGPU-27"}),
    ahead(DEVICES, Row("fault: any GPU", would(DEVICES, "not an mdev"), says(""))),
)
HOST_DEVICE_MIGRATABLE = Fault(
    "host_device_migratable",
    "A VM with a generic host device counts as live-migratable.",
    frozenset({"VGPU-28"}),
    ahead(DEVICES, Row("fault: any host device", would(DEVICES, "generic host device"), says(""))),
)
