"""The operator's two kinds, both cluster-scoped (operator sheet §1)."""

from __future__ import annotations

from lab.apiserver.resources import Resource

GROUP = "kvm.cloud.sap"
EVICTION = Resource(
    GROUP, "v1", "evictions", "Eviction", namespaced=False, short_names=("evi",), subresources=("status",),
    custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
HYPERVISOR = Resource(
    GROUP, "v1", "hypervisors", "Hypervisor", namespaced=False, short_names=("hv",), subresources=("status",),
    custom=True, generation=True, unconditional_update=False,
)  # fmt: skip
