"""Cortex on a small cluster: hosts, slots and commitments, sizes in GiB; requests as Nova sends them."""

import orjson

from lab.controllers.decisions import Faults
from lab.cortex.conf import Conf
from lab.cortex.flavor_groups import learn
from lab.cortex.http.answers import PATH
from lab.cortex.install import install
from lab.cortex.kinds import COMMITTED_RESOURCE, DECISION, HISTORY, PIPELINE, RESERVATION
from lab.cortex.scheduling.defaults import default_pipelines
from lab.hypervisor_operator.kinds import HYPERVISOR
from unittests.lab_cortex.cluster import Cluster
from unittests.lab_cortex.test_flavor_groups import Flavor
from unittests.lab_cortex_scheduling.bodies import GROUP, PROJECT, VM, body

STAMP = "2026-01-01T00:00:00Z"
STEERING = "steering"  # a pipeline of the weigher alone
READ_ONLY = dict.fromkeys(("read_only", "skip_history", "skip_inflight", "skip_committed_resource_tracking"), True)
FLAVORS = (Flavor("m", 4, 16384, 40, {"quota:hw_version": GROUP}), Flavor("payg", 4, 16384, 40))


def condition(kind="Ready", status="True", reason="R"):
    return {"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": STAMP}


class Bed:
    """`ask` goes the way without a socket."""

    def __init__(self, conf=None, faults=None, seed=1, flavors=FLAVORS, pipelines=()):
        cluster = Cluster(seed)
        self.api, self.clock = cluster.api, cluster.clock
        for pipeline in (*default_pipelines(), *pipelines):
            self.api.create(PIPELINE, pipeline)
        self.pipeline(STEERING, [{"name": "kvm_cr_migration_slot"}])
        if flavors:
            learn(self.api, flavors)
        self.cortex = install(self.api, cluster.runtime, conf or Conf(), faults=faults or Faults(), seed=seed)
        self.clock.advance(1)

    @property
    def metrics(self):
        return self.cortex.process.metrics

    def pipeline(self, name, weighers, filters=(), ignore=False):
        spec = {"schedulingDomain": "nova", "type": "filter-weigher", "ignorePreselection": ignore}
        spec |= {"weighers": list(weighers), "filters": list(filters)}
        return self.api.create(PIPELINE, {"metadata": {"name": name}, "spec": spec})

    def host(self, name, memory=64, used=0, cpu=32, zone="az-1"):
        self.api.create(
            HYPERVISOR, {"metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone}}, "spec": {}}
        )
        status = {
            "effectiveCapacity": {"memory": f"{memory}Gi", "cpu": str(cpu)},
            "allocation": {"memory": f"{used}Gi", "cpu": "0"},
            "domainCapabilities": {"hypervisorType": "kvm"},
            "conditions": [condition()],
        }
        self.api.patch(HYPERVISOR, "", name, {"status": status}, subresource="status")

    def slot(self, name, host, size=16, confirmed=(), expected=(), ready=True, part=True):
        """expected: VMs, each 16 GiB."""
        allocations = {vm: {"creationTimestamp": STAMP, "resources": {"memory": "16Gi"}} for vm in expected}
        spec = {"type": "CommittedResourceReservation", "targetHost": host, "resources": {"memory": f"{size}Gi"}}
        if part:
            spec["committedResourceReservation"] = {
                "projectID": PROJECT, "resourceGroup": GROUP, "allocations": allocations,
            }  # fmt: skip
        label = {"reservations.cortex.cloud/type": "committed-resource"}
        self.api.create(RESERVATION, {"metadata": {"name": name, "labels": label}, "spec": spec})
        status = {
            "host": host,
            "conditions": [condition(status="True" if ready else "False")],
            "committedResourceReservation": {"allocations": dict.fromkeys(confirmed, host)},
        }
        self.api.patch(RESERVATION, "", name, {"status": status}, subresource="status")

    def commitment(self, amount=64, used=0, state="confirmed"):
        spec = {
            "amount": f"{amount}Gi", "availabilityZone": "az-1", "commitmentUUID": "c", "domainID": "d",
            "flavorGroupName": GROUP, "projectID": PROJECT, "resourceType": "memory", "state": state,
        }  # fmt: skip
        self.api.create(COMMITTED_RESOURCE, {"metadata": {"name": "c"}, "spec": spec})
        status = {"usedResources": {"memory": f"{used}Gi"}}
        self.api.patch(COMMITTED_RESOURCE, "", "c", {"status": status}, subresource="status")

    def ask(self, *hosts, pipeline=STEERING, **changes):
        """Status and body of the answer; a connection that broke is (0, b"")."""
        if pipeline is not None:
            changes["pipeline"] = pipeline
        return self.post(orjson.dumps(body(*hosts, **changes)))

    def post(self, content, method="POST", path=PATH):
        reply = self.cortex.front.answer(method, path, content)
        self.clock.advance(0.1)
        return (0, b"") if reply is None else (reply.status, reply.body)

    def hosts(self, *hosts, **changes):
        """The hosts of an answer that is as it should be."""
        status, content = self.ask(*hosts, **changes)
        assert status == 200, content
        return orjson.loads(content)["hosts"]

    def decide(self, name, *hosts, pipeline=STEERING, seconds=1.0, **changes):
        """Status of a Decision that was created, after some product seconds."""
        spec = {
            "schedulingDomain": "nova", "pipelineRef": {"name": pipeline}, "resourceID": VM,
            "novaRaw": body(*hosts, **changes),
        }  # fmt: skip
        self.api.create(DECISION, {"metadata": {"name": name}, "spec": spec})
        self.clock.advance(seconds)
        return self.api.get(DECISION, "", name).get("status") or {}

    def history(self, vm=VM):
        return self.api.find(HISTORY, "", f"nova-{vm}")

    def count(self, counter, *values):
        return getattr(self.metrics, counter).values.get(values, 0)

    def revision(self):
        return self.api.store.revision
