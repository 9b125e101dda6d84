"""Nova, Cortex, Hypervisors with their agents and the controllers of slots, all in one process on one clock."""

import random
from dataclasses import replace

from lab.controllers.decisions import Faults
from lab.cortex.conf import Conf
from lab.cortex.install import CALLER, install_definitions
from lab.cortex.install import install as install_cortex
from lab.cortex.kinds import COMMITTED_RESOURCE, HISTORY, RESERVATION
from lab.cortex.reservations.install import install as install_reservations
from lab.cortex.reservations.near import NearCortex, NovasDoor
from lab.cortex.reservations.vms import NovasVms
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.words import entry
from lab.node_agent.install import install as install_agents
from lab.openstack.cloud import build
from lab.openstack.compute.callers import Caller
from lab.openstack.compute.records import Order
from lab.openstack.shape import CloudShape, FlavorShape, HostShape, ServerShape
from unittests.lab_hypervisor_operator.cluster import Cluster

GROUP, COMMITMENT = "hw-1", "commitment-1"
SPECS = {"capabilities:hypervisor_type": "CH", "quota:hw_version": GROUP}
FLAVORS = (
    FlavorShape(id="1", name="m", vcpus=4, ram=16384, extra_specs=SPECS),
    FlavorShape(id="2", name="s", vcpus=2, ram=8192, extra_specs=SPECS),
    FlavorShape(id="3", name="payg", vcpus=2, ram=8192, extra_specs={"capabilities:hypervisor_type": "CH"}),
)


class Whole:
    """hosts: names with GiB of memory; servers: name, host, flavor."""

    def __init__(self, *, hosts=None, servers=(("vm", "hv-1", "s"),), faults=None, seed=1, conf=None):
        cluster = Cluster(seed)
        self.api, self.clock, faults = cluster.api, cluster.clock, faults or Faults()
        hosts = hosts or {"hv-1": 128, "hv-2": 128, "hv-3": 128}
        shape = CloudShape(
            flavors=FLAVORS,
            hosts=tuple(HostShape(name=name, zone="az-1", ram=size * 1024 + 512) for name, size in hosts.items()),
            servers=tuple(ServerShape(name=name, host=host, flavor=flavor) for name, host, flavor in servers),
        )
        self.cloud = build(self.clock, shape, seed=seed, faults=faults)
        stamp = self.clock.stamp()
        for name in hosts:
            self.api.create(HYPERVISOR, {"metadata": {"name": name}, "spec": {}})
            ready = {**entry("Ready", True, "Ready", ""), "lastTransitionTime": stamp}
            self.api.patch(HYPERVISOR, "", name, {"status": {"numInstances": 0, "conditions": [ready]}},
                           subresource="status")  # fmt: skip
        install_agents(self.api, cluster.runtime, self.cloud.state, faults=faults)
        conf = conf or Conf()
        install_definitions(self.api, cluster.definitions, self.cloud.state.flavors.values(), conf.revision)
        self.cortex = install_cortex(self.api, cluster.runtime, conf, faults=faults, seed=seed)
        answer = self.cortex.front.answer
        vms = NovasVms(self.cloud.state)
        install_reservations(self.api, self.cortex.process, answer, CALLER, faults=faults, seed=seed, vms=vms)
        self.cloud.searches.connect(NovasDoor(NearCortex(answer, self.clock, random.Random(f"{seed}/nova"))))
        self.clock.advance(60)

    @property
    def asked(self):
        return self.cloud.searches.asked

    @property
    def project(self):
        return self.cloud.directory.default_project("demo").id

    def vm(self, name="vm"):
        return next(server for server in self.cloud.state.servers() if server.name == name)

    def live(self, name="vm", host=""):
        """Ask for a live migration on behalf of an administrator; returns when that was."""
        admin = self.cloud.directory.default_project("admin").id
        caller = Caller("operator", admin, frozenset({"admin"}), f"req-{len(self.asked)}-{name}")
        self.cloud.verbs.live_migrate(self.vm(name), Order(caller.request_id, host), caller, wait=False)
        return self.clock.now()

    def build(self, name, flavor, host):
        """A new server, wanted on that host."""
        now, old = self.clock.now(), self.vm()
        wanted = next(each for each in self.cloud.state.flavors.values() if each.name == flavor)
        self.cloud.state.add_server(
            replace(
                old,
                id=self.cloud.state.new_id(),
                name=name,
                flavor=wanted,
                vm_state="building",
                task_state=None,
                power_state=0,
                host=None,
                node=None,
                wanted_host=host,
                launched=None,
                created=now,
                updated=now,
                entered=now,
            )
        )

    def commit(self, amount=16, name="commitment-a"):
        """A commitment of so many GiB for the project of the servers."""
        spec = {
            "commitmentUUID": COMMITMENT, "schedulingDomain": "nova", "flavorGroupName": GROUP, "amount": f"{amount}Gi",
            "resourceType": "memory", "availabilityZone": "az-1", "projectID": self.project, "domainID": "default",
            "state": "confirmed",
        }  # fmt: skip
        self.api.create(COMMITTED_RESOURCE, {"metadata": {"name": name}, "spec": spec})

    def slot(self, name, host, vm="", size=16, vm_size=8, group=GROUP):
        """A slot that has been there for a while; vm: the name of the server confirmed in it."""
        vms = {self.vm(vm).id: {"creationTimestamp": "2025-12-31T00:00:00Z",
                                "resources": {"memory": f"{vm_size}Gi", "cpu": "2"}}} if vm else {}  # fmt: skip
        part = {"commitmentUUID": COMMITMENT, "projectID": self.project, "resourceGroup": group, "resourceName": "m",
                "allocations": vms}  # fmt: skip
        spec = {"type": "CommittedResourceReservation", "schedulingDomain": "nova", "availabilityZone": "az-1",
                "targetHost": host, "resources": {"memory": f"{size}Gi", "cpu": "4"},
                "committedResourceReservation": part}  # fmt: skip
        label = {"reservations.cortex.cloud/type": "committed-resource"}
        self.api.create(RESERVATION, {"metadata": {"name": name, "labels": label}, "spec": spec})
        ready = {**entry("Ready", True, "ReservationActive", ""), "lastTransitionTime": self.clock.stamp()}
        status = {"host": host, "conditions": [ready],
                  "committedResourceReservation": {"allocations": dict.fromkeys(vms, host)}}  # fmt: skip
        self.api.patch(RESERVATION, "", name, {"status": status}, subresource="status")

    def place(self, name):
        found = self.api.get(RESERVATION, "", name)
        return found["spec"].get("targetHost", ""), (found.get("status") or {}).get("host", "")

    def until(self, happened, within=300.0):
        for _ in range(int(within * 20)):
            if happened():
                return self.clock.now()
            self.clock.advance(0.05)
        raise AssertionError("it never happened")

    def lands(self, name="vm", host=""):
        """Migrate and wait for the end; returns the host."""
        before = self.vm(name).host
        self.live(name, host)
        self.until(lambda: self.vm(name).host != before or (self.cloud.state.open_records() == [] and self.records))
        return self.vm(name).host

    @property
    def records(self):
        return list(self.cloud.state.records())

    def history(self, name="vm"):
        return self.api.find(HISTORY, "", f"nova-{self.vm(name).id}")
