"""The definition of Eviction: which hypervisor to empty and why; its status is the work queue (operator sheet §1)."""

from __future__ import annotations

from typing import Any

from lab.hypervisor_operator.crds.parts import (
    CONDITIONS,
    LONG,
    NAME,
    TEXT,
    TEXTS,
    column,
    condition_column,
    default,
    definition,
    obj,
    ruled,
)
from lab.hypervisor_operator.kinds import EVICTION


def evictions() -> dict[str, Any]:
    """The CustomResourceDefinition. `spec` itself may be missing; hypervisor and reason may not be missing in it."""
    spec = obj(
        {"hypervisor": ruled(NAME, ("self == oldSelf", "Value is immutable")), "reason": NAME}, "hypervisor", "reason"
    )
    status = obj(
        {
            "conditions": CONDITIONS,
            "hypervisorServiceId": TEXT,
            "outstandingInstances": TEXTS,
            "outstandingRamMb": default(LONG, 0),
        }
    )
    columns = (
        column("Hypervisor", ".spec.hypervisor"),
        column("Reason", ".spec.reason"),
        condition_column("State", "Evicting", "reason"),
        column("Created", ".metadata.creationTimestamp", type="date"),
    )
    return definition(EVICTION, columns, spec, status)
