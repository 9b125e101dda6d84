"""A cloud and a Kubernetes side with Hypervisors and their agents, on one clock."""

from lab.controllers.decisions import Faults
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.node_agent.install import install
from lab.openstack.cloud import build
from lab.openstack.compute.callers import Caller
from lab.openstack.compute.records import Order
from lab.openstack.shape import CloudShape, HostShape, ServerShape
from unittests.lab_hypervisor_operator.cluster import Cluster

HOSTS = ("hv-1", "hv-2", "hv-3")


class Region:
    """Three hosts of 64 vCPUs and 512 GiB; `vms` medium servers on the first."""

    def __init__(self, vms=1, *, faults=None, state="active", agents=True, cpu_ratio=4.0, machine=None):
        self.cluster = Cluster()
        self.api, self.clock = self.cluster.api, self.cluster.clock
        shape = CloudShape(
            hosts=tuple(HostShape(name=name, zone="az-1", cpu_ratio=cpu_ratio) for name in HOSTS),
            servers=(ServerShape(name="vm", count=vms, host=HOSTS[0], state=state),) if vms else (),
        )
        self.cloud = build(self.clock, shape, seed=1, faults=faults)
        for name in HOSTS:
            self.api.create(HYPERVISOR, {"metadata": {"name": name}, "spec": {}})
        if agents:
            install(self.api, self.cluster.runtime, self.cloud.state, machine=machine, faults=faults or Faults())
        self.clock.advance(60)

    def hypervisor(self, name):
        return self.api.get(HYPERVISOR, "", name)

    def status(self, name):
        return self.hypervisor(name)["status"]

    def listed(self, name):
        """(id, active) of the instances of a Hypervisor."""
        return [(entry["id"], entry["active"]) for entry in self.status(name)["instances"]]

    def vm(self, name="vm"):
        return next(server for server in self.cloud.state.servers() if server.name == name)

    def record(self):
        return list(self.cloud.state.records())[-1]

    def stands(self, stage):
        """Whether the newest migration is at a stage."""
        records = list(self.cloud.state.records())
        return bool(records) and records[-1].stage is stage

    @property
    def caller(self):
        return Caller("someone", "admins", frozenset({"admin"}), "req-1")

    def live(self, name="vm", host="hv-2"):
        self.cloud.verbs.live_migrate(self.vm(name), Order("req-1", host), self.caller, wait=False)

    def cold(self, name="vm", host="hv-2"):
        self.cloud.verbs.migrate(self.vm(name), Order("req-1", host), self.caller)

    def until(self, happened, within=300.0):
        """Let time pass until something is so; returns when that was."""
        for _ in range(int(within * 20)):
            if happened():
                return self.clock.now()
            self.clock.advance(0.05)
        raise AssertionError("it never happened")
