"""How many migrations may run at once (kubevirt sheet §5.1, §6)."""

from __future__ import annotations

from utilities.kubevirt.actor import Actor
from utilities.kubevirt.configuration import Configuration

_OUTBOUND, _TOTAL = 2, 5  # the product's own defaults


def outbound_per_node(actor: Actor) -> int:
    """Migrations out of one node at once, as the KubeVirt object says now."""
    return _stated(actor, "parallelOutboundMigrationsPerNode") or _OUTBOUND


def per_cluster(actor: Actor) -> int:
    """Migrations in the cluster at once, as the KubeVirt object says now."""
    return _stated(actor, "parallelMigrationsPerCluster") or _TOTAL


def _stated(actor: Actor, key: str) -> int:
    return int((Configuration(actor).now().get("migrations") or {}).get(key) or 0)
