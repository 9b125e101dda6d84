"""The hypervisor operator's side in Kubernetes: maintenance, Evictions, the operator's own flags, restarts and log."""

from utilities.hypervisors.drain import Drain
from utilities.hypervisors.eviction import Eviction, created, outstanding, said
from utilities.hypervisors.flags import Flags
from utilities.hypervisors.hypervisors import Hypervisors, in_service
from utilities.hypervisors.kinds import (
    DISABLED,
    EVICTING,
    EVICTIONS,
    FAILED,
    HYPERVISORS,
    MIGRATING,
    PREFLIGHT,
    READY,
    RUNNING,
    SUCCEEDED,
    TRAITS_UPDATED,
)
from utilities.hypervisors.logs import Line, Pass
from utilities.hypervisors.operator import Operator
from utilities.hypervisors.pods import Crash, Ended

__all__ = [
    "DISABLED",
    "EVICTING",
    "EVICTIONS",
    "FAILED",
    "HYPERVISORS",
    "MIGRATING",
    "PREFLIGHT",
    "READY",
    "RUNNING",
    "SUCCEEDED",
    "TRAITS_UPDATED",
    "Crash",
    "Drain",
    "Ended",
    "Eviction",
    "Flags",
    "Hypervisors",
    "Line",
    "Operator",
    "Pass",
    "created",
    "in_service",
    "outstanding",
    "said",
]
