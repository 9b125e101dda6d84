"""What a site with a cloud offers to tests, by the names that `@pytest.mark.needs(...)` uses."""

from __future__ import annotations

from utilities.errors import Blocked
from utilities.hypervisors.hypervisors import in_service
from utilities.hypervisors.kinds import HYPERVISORS
from utilities.hypervisors.operator import Operator
from utilities.kubevirt.actor import Actor
from utilities.nova import Nova

NAMES = frozenset({"openstack", "hypervisors", "free_hypervisors", "parallel_eviction"})


def capabilities(actor: Actor, nova: Nova) -> dict[str, int]:
    """Counts.

    openstack: 1, for an administrator who is let in. hypervisors: in service, with a compute host of the same name that
    is up; free_hypervisors: those without servers. parallel_eviction: 1 when the operator's limits are known, or can be
    set.
    """
    hosts = {host.name: host for host in nova.hosts.all() if host.enabled and host.up}
    found = actor.rest.list(HYPERVISORS)["items"]
    usable = [hosts[one["metadata"]["name"]] for one in found if in_service(one) and one["metadata"]["name"] in hosts]
    return {
        "openstack": 1,
        "hypervisors": len(usable),
        "free_hypervisors": sum(not host.servers for host in usable),
        "parallel_eviction": int(_limits_known(Operator(actor))),
    }


def _limits_known(operator: Operator) -> bool:
    try:
        operator.flags()
    except Blocked:
        return False
    return True
