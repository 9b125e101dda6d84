"""Puts the node agents into a lab in which Nova and the Hypervisors are there already."""

from __future__ import annotations

from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.node_agent.agent import NodeAgents
from lab.node_agent.machines import Machine
from lab.openstack.compute.state import State

ZONE = "topology.kubernetes.io/zone"


def install(
    api: Api, runtime: Runtime, state: State, *, machine: Machine | None = None, faults: Faults | None = None
) -> NodeAgents:
    """Start an agent on every host of Nova; Hypervisors are named as Nova's hosts.

    What they have from elsewhere in a real region is set first, where it is missing: the label with the zone (the
    operator takes it from the Node) and the overcommit ratio of CPUs that Nova works with.
    """
    for host in state.hosts.values():
        obj = api.find(HYPERVISOR, "", host.name)
        if obj is None:
            continue
        labels = {ZONE: host.zone, **(obj["metadata"].get("labels") or {})}
        overcommit = {"cpu": host.cpu_ratio, **(obj["spec"].get("overcommit") or {})}
        api.patch(HYPERVISOR, "", host.name, {"metadata": {"labels": labels}, "spec": {"overcommit": overcommit}})
    agents = NodeAgents(api, runtime, state, machine or Machine(), faults or Faults())
    runtime.add(agents)
    return agents
