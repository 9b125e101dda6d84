"""What a pod asks of a node, in whole units: millicores, bytes, devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.quantities import milli, whole

Json = Mapping[str, Any]


def requests(pod: Json) -> dict[str, int]:
    """Requests by resource: the sum over containers, or the largest init container if that is more; one pod slot."""
    spec = pod["spec"]
    total: dict[str, int] = {}
    for container in spec.get("containers") or ():
        for name, amount in _of(container).items():
            total[name] = total.get(name, 0) + amount
    for container in spec.get("initContainers") or ():
        for name, amount in _of(container).items():
            total[name] = max(total.get(name, 0), amount)
    return {**total, "pods": 1}


def amounts(resources: Json) -> dict[str, int]:
    """Quantities by name (`allocatable`, `requests`) as whole units."""
    return {name: milli(value) if name == "cpu" else whole(value) for name, value in resources.items()}


def _of(container: Json) -> dict[str, int]:
    resources = container.get("resources") or {}
    return amounts({**(resources.get("limits") or {}), **(resources.get("requests") or {})})
