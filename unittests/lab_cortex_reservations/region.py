"""Hosts, their Hypervisors and agents, slots of commitments, and Cortex's controllers of them; sizes in GiB."""

from dataclasses import dataclass, field

import orjson

from lab.apiserver.admission import Caller
from lab.clock import timestamp
from lab.controllers.decisions import Faults
from lab.cortex import crds
from lab.cortex.flavor_groups import learn
from lab.cortex.kinds import COMMITTED_RESOURCE, RESERVATION
from lab.cortex.metrics.families import Metrics
from lab.cortex.reservations.install import install
from lab.cortex.reservations.vms import NovasVms
from lab.hypervisor_operator.kinds import HYPERVISOR
from unittests.lab_node_agent.region import Region

PROJECT, GROUP, COMMITMENT = "project-1", "hw-1", "commitment-1"
LABEL = {"reservations.cortex.cloud/type": "committed-resource"}
CORTEX = Caller("cortex", ("system:masters",), "cortex")


class Flavor:
    def __init__(self, name, vcpus, ram, group=GROUP):
        self.name, self.vcpus, self.ram, self.disk = name, vcpus, ram, 10
        self.extra_specs = {"quota:hw_version": group}


FLAVORS = (Flavor("large", 8, 32768), Flavor("medium", 4, 16384), Flavor("small", 2, 4096))


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes
    headers: dict = field(default_factory=dict)


class Process:
    """A process of Cortex that lives for ever."""

    alive = True

    def __init__(self):
        self.metrics = Metrics()
        self.starters = []

    def on_start(self, starter):
        self.starters.append(starter)


class Slots(Region):
    """`says`: what the scheduler answers to a document, a list of hosts or a Reply or None."""

    def __init__(self, *, says=lambda _: ["hv-2"], faults=None, settings=None, flavors=FLAVORS, **options):
        super().__init__(faults=faults, **options)
        crds.install(self.api, self.cluster.definitions)
        if flavors:
            learn(self.api, flavors)
        self.says, self.heard, self.process = says, [], Process()
        self.controllers = install(
            self.api,
            self.process,
            self._answer,
            CORTEX,
            faults=faults or Faults(),
            seed=1,
            settings=settings,
            vms=NovasVms(self.cloud.state),
        )
        self.clock.advance(1)

    def _answer(self, method, path, body):
        assert (method, path) == ("POST", "/scheduler/nova/external")
        document = orjson.loads(body)
        self.heard.append((self.clock.now(), document))
        found = self.says(document)
        return Reply(200, orjson.dumps({"hosts": found})) if isinstance(found, list) else found

    def slot(self, name="slot-0", *, target="hv-1", size=16, cpu=4, vms=(), confirmed=(), ready=True, age=3600.0,
             flavor="medium", host=None, vm_size=4):  # fmt: skip
        """A slot as it is after some time; vms: expected ones, confirmed: those of them that are."""
        born = timestamp(self.clock.now() - age)
        allocations = {
            vm: {"creationTimestamp": born, "resources": {"memory": f"{vm_size}Gi", "cpu": "2"}} for vm in vms
        }
        part = {"commitmentUUID": COMMITMENT, "projectID": PROJECT, "resourceGroup": GROUP, "allocations": allocations}
        spec = {
            "type": "CommittedResourceReservation", "schedulingDomain": "nova", "availabilityZone": "az-1",
            "resources": {"memory": f"{size}Gi", "cpu": str(cpu)},
            "committedResourceReservation": part | ({"resourceName": flavor} if flavor else {}),
        }  # fmt: skip
        if target:
            spec["targetHost"] = target
        host = target if host is None else host
        condition = {"type": "Ready", "status": "True" if ready else "False", "reason": "R", "message": "",
                     "lastTransitionTime": born}  # fmt: skip
        # both writes before a controller looks
        self.api.create(RESERVATION, {"metadata": {"name": name, "labels": LABEL}, "spec": spec})
        status = {"host": host, "conditions": [condition],
                  "committedResourceReservation": {"allocations": dict.fromkeys(confirmed, host)}}  # fmt: skip
        if ready or host or confirmed:
            self.api.patch(RESERVATION, "", name, {"status": status}, subresource="status")

    def be_ready(self, name):
        """Say that a Hypervisor is Ready, as the operator does."""
        ready = {"type": "Ready", "status": "True", "reason": "R", "message": "",
                 "lastTransitionTime": self.clock.stamp()}  # fmt: skip
        self.api.patch(HYPERVISOR, "", name, {"status": {"conditions": [ready]}}, subresource="status")

    def reservation(self, name="slot-0"):
        return self.api.get(RESERVATION, "", name)

    def place(self, name="slot-0"):
        """(targetHost, status.host) of a slot."""
        found = self.reservation(name)
        return found["spec"].get("targetHost", ""), (found.get("status") or {}).get("host", "")

    def expected(self, name="slot-0"):
        part = self.reservation(name)["spec"]["committedResourceReservation"]
        return sorted(part.get("allocations") or {})

    def confirmed(self, name="slot-0"):
        part = (self.reservation(name).get("status") or {}).get("committedResourceReservation") or {}
        return dict(part.get("allocations") or {})

    def ready(self, name="slot-0"):
        """(status, reason) of the condition."""
        conditions = (self.reservation(name).get("status") or {}).get("conditions") or []
        return next(((each["status"], each["reason"]) for each in conditions), ("", ""))

    def commitment(self, name="cr", amount=64, **spec):
        wanted = {
            "commitmentUUID": COMMITMENT, "schedulingDomain": "nova", "flavorGroupName": GROUP, "amount": f"{amount}Gi",
            "resourceType": "memory", "availabilityZone": "az-1", "projectID": PROJECT, "domainID": "d",
            "state": "confirmed", **spec,
        }  # fmt: skip
        return self.api.create(COMMITTED_RESOURCE, {"metadata": {"name": name}, "spec": wanted})

    def lands(self, name="vm", host="hv-2"):
        """A live migration of that server; returns when it arrived."""
        self.live(name, host)
        return self.until(lambda: self.vm(name).host == host)
