"""Labels that go from a Hypervisor to its Eviction (operator sheet §3)."""

from __future__ import annotations

from collections.abc import Mapping

from lab.apiserver.selectors import Selector

_TRANSPORTED = (
    "kubernetes.io/hostname",
    "kubernetes.metal.cloud.sap/bb",
    "kubernetes.metal.cloud.sap/cluster",
    "kubernetes.metal.cloud.sap/name",
    "kubernetes.metal.cloud.sap/type",
    "worker.garden.sapcloud.io/group",
    "worker.gardener.cloud/pool",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
)


def transported(labels: Mapping[str, str], selector: Selector) -> dict[str, str]:
    """Those of `labels` that the Eviction gets too; the keys of the operator's label selector are among them."""
    keys = (*_TRANSPORTED, *(requirement.key for requirement in selector.labels))
    return {key: labels[key] for key in keys if key in labels}
