"""Labels that go from a Hypervisor to its Eviction (operator sheet §3)."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TRANSPORTED = (
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "kubernetes.metal.cloud.sap/bb",
    "kubernetes.metal.cloud.sap/cluster",
    "kubernetes.metal.cloud.sap/name",
    "kubernetes.metal.cloud.sap/type",
    "worker.garden.sapcloud.io/group",
    "worker.gardener.cloud/pool",
)
_KEY = re.compile(r"!?\s*([A-Za-z0-9][A-Za-z0-9_./-]*)")


def transported(labels: Mapping[str, str], selector: str) -> dict[str, str]:
    """Those of `labels` that the Eviction gets too; the keys of the operator's label selector are among them."""
    keys = (*_TRANSPORTED, *(match[1] for part in _terms(selector) if (match := _KEY.match(part.strip()))))
    return {key: labels[key] for key in keys if key in labels}


def _terms(selector: str) -> list[str]:
    """The requirements of a selector: commas within parentheses part values, not requirements."""
    return re.split(r",(?![^(]*\))", selector)
