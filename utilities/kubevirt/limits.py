"""How many migrations may run at once (kubevirt sheet §5.1, §6)."""

from __future__ import annotations

from utilities.clients import KUBEVIRTS
from utilities.history import dig
from utilities.kubevirt.actor import Actor

_OUTBOUND = 2  # the product's own default


def outbound_per_node(actor: Actor) -> int:
    """Migrations out of one node at once, as the KubeVirt object says now."""
    product = actor.site.product
    kubevirt = actor.rest.get(KUBEVIRTS, product.kubevirt, product.namespace)
    stated = dig(kubevirt, "spec", "configuration", "migrations", "parallelOutboundMigrationsPerNode")
    return int(stated or _OUTBOUND)
