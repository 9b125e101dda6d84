"""How many migrations may run at once (kubevirt sheet §5.1, §6)."""

from __future__ import annotations

from utilities.history import dig
from utilities.kubevirt.actor import Actor
from utilities.kubevirt.configuration import Configuration

_OUTBOUND = 2  # the product's own default


def outbound_per_node(actor: Actor) -> int:
    """Migrations out of one node at once, as the KubeVirt object says now."""
    stated = dig(Configuration(actor).now(), "migrations", "parallelOutboundMigrationsPerNode")
    return int(stated or _OUTBOUND)
