"""Flavor groups as Cortex knows them: the Knowledge `flavor-groups` (cortex sheet §1.6)."""

from __future__ import annotations

from utilities.cortex.kinds import KNOWLEDGES
from utilities.cortex.request import Flavor
from utilities.errors import Blocked, NotFound
from utilities.history import dig
from utilities.kubevirt.actor import Actor

NAME = "flavor-groups"


def flavors_of_one_group(actor: Actor, *memory_mb: int) -> tuple[Flavor, ...]:
    """Flavors with these sizes of one group, in this order. Raises Blocked when no group has all of them."""
    try:
        groups = dig(actor.rest.get(KNOWLEDGES, NAME), "status", "raw", "features") or ()
    except NotFound:
        groups = ()
    for group in groups:
        by_size = {one["memoryMB"]: one for one in group["flavors"]}
        if all(size in by_size for size in memory_mb):
            return tuple(_flavor(by_size[size], group["name"]) for size in memory_mb)
    raise Blocked(
        f"no flavor group has flavors of {' and '.join(map(str, memory_mb))} MiB",
        next_step=f"make them with the same extra spec quota:hw_version, and look at the Knowledge {NAME}",
    )


def _flavor(told: dict[str, object], group: str) -> Flavor:
    specs = told.get("extraSpecs")
    kind = specs.get("capabilities:hypervisor_type", "CH") if isinstance(specs, dict) else "CH"
    return Flavor(str(told["name"]), int(str(told["memoryMB"])), int(str(told["vcpus"])), group, str(kind))
