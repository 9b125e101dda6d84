"""A test bed for migrations: an API, a clock by hand, one VMI with its pod and guest, and no scheduler or kubelet.

What those would do is done by `run` and `end`, so that each test says what it needs and when.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from lab.apiserver.admission import Admission, Caller
from lab.apiserver.api import Api
from lab.apiserver.binding import bind
from lab.apiserver.builtin.kinds import BUILTIN, EVENT, NAMESPACE, NODE, POD
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ManualClock
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.copying.memory import Load
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ConfigSource
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.kinds import HCO, KUBEVIRT, POLICY, VM, VMI, VMIM
from lab.kubevirt.migration.engine import World
from lab.kubevirt.migration.install import migration
from lab.scheduling.processes import Processes

MI = 2**20
USER = Caller("someone", ("system:authenticated",), "test")
GPU = "nvidia.com/GRID_T4_2Q"


class Machine:
    """A guest that only remembers what was done to it."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def pause(self) -> None:
        self.done.append("pause")

    def resume(self) -> None:
        self.done.append("resume")

    def reboot(self) -> None:
        self.done.append("reboot")

    def shutdown(self) -> None:
        self.done.append("shutdown")

    def drop_connections(self) -> None:
        self.done.append("drop connections")


class Bed:
    """Two nodes and what a test puts on them. `load` is how every guest writes its memory."""

    def __init__(self, faults: Faults | None = None, link: float = 1200 * MI, **configuration: Any) -> None:
        self.clock = ManualClock()
        rng = random.Random(7)
        resources = (*BUILTIN, VM, VMI, VMIM, KUBEVIRT, POLICY, HCO)
        self.api = Api(Store(), self.clock, Catalogue(resources), Admission(), Strategies(), rng)
        self.load = Load(rate=10 * MI, working_set=256 * MI)
        self.mdevs: dict[str, tuple[str, ...]] = {}
        self.domains = Domains()
        self.processes = Processes()
        self.callers = Callers("kubevirt")
        self.api.create(NAMESPACE, {"metadata": {"name": "default", "labels": {"team": "blue"}}})
        for node in ("node-a", "node-b"):
            labels = {"cpu-vendor.node.kubevirt.io/Intel": "true"}
            self.api.create(NODE, {"metadata": {"name": node, "labels": labels}, "spec": {}})
        gates = {"featureGates": ["VGPULiveMigration"]}
        devices = {"mediatedDevices": [{"mdevNameSelector": "GRID T4-2Q", "resourceName": GPU}]}
        base = {"developerConfiguration": gates, "permittedHostDevices": devices}
        self.api.create(
            KUBEVIRT,
            {
                "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
                "spec": {"configuration": base | configuration},
            },
        )
        outside = World(load=lambda _: self.load, mdevs=lambda pod: self.mdevs.get(pod, ()), link=link)
        self.runtime = Runtime(self.api, self.clock, rng)
        self.migration = migration(
            self.api,
            ConfigSource(self.api, rng, pick_up=(0.1, 0.2)),
            self.callers,
            self.domains,
            self.processes,
            outside,
            faults or Faults(),
        )
        self.migration.start(self.runtime)

    # --- what exists ---

    def vmi(
        self,
        name: str = "vm",
        *,
        gpus: int = 1,
        memory: str = "2Gi",
        node: str = "node-a",
        labels: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """A running VMI with its pod and guest."""
        devices = {"gpus": [{"name": f"gpu{index}", "deviceName": GPU} for index in range(gpus)]} if gpus else {}
        created = self.api.create(
            VMI,
            {
                "metadata": {"name": name, "namespace": "default", "labels": {"app": name, **(labels or {})}},
                "spec": {"domain": {"memory": {"guest": memory}, "devices": devices}},
                "status": {
                    "phase": "Running",
                    "nodeName": node,
                    "interfaces": [{"name": "default", "ipAddress": "10.128.0.5", "ipAddresses": ["10.128.0.5"]}],
                    "conditions": [{"type": "LiveMigratable", "status": "True"}],
                },
            },
        )
        pod = self.launcher(created, node)
        self.run(pod)
        mdevs = tuple(f"source-mdev-{index}" for index in range(gpus))
        self.domains.start(
            Domain(created["metadata"]["uid"], "default", name, node, pod["metadata"]["uid"], Machine(), mdevs)
        )
        return created

    def launcher(self, vmi: Mapping[str, Any], node: str) -> dict[str, Any]:
        """A launcher pod of that VMI."""
        metadata = vmi["metadata"]
        owner = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "name": metadata["name"]}
        return self.api.create(
            POD,
            {
                "metadata": {
                    "generateName": f"virt-launcher-{metadata['name']}-",
                    "namespace": "default",
                    "labels": {"kubevirt.io": "virt-launcher", "kubevirt.io/created-by": metadata["uid"]},
                    "annotations": {"kubevirt.io/domain": metadata["name"]},
                    "ownerReferences": [{**owner, "uid": metadata["uid"], "controller": True}],
                },
                "spec": {"nodeName": node, "containers": [{"name": "compute", "args": []}]},
            },
        )

    def migrate(self, vmi: str = "vm", name: str = "move", **metadata: Any) -> dict[str, Any]:
        """Ask for a migration, as a user; keywords go into metadata, `priority` and `addedNodeSelector` into spec."""
        spec = {"vmiName": vmi}
        for key in ("priority", "addedNodeSelector"):
            if key in metadata:
                spec[key] = metadata.pop(key)
        caller = self.callers.controller if "priority" in spec else USER
        return self.api.create(
            VMIM, {"metadata": {"name": name, "namespace": "default", **metadata}, "spec": spec}, caller=caller
        )

    # --- what others would do ---

    def run(self, pod: Mapping[str, Any], node: str | None = None) -> None:
        """The scheduler binds the pod, the kubelet runs it."""
        key = ("default", pod["metadata"]["name"])
        if node is not None:
            bind(self.api, *key, {"metadata": {"name": key[1]}, "target": {"kind": "Node", "name": node}})
        place = node or pod["spec"].get("nodeName")
        number = len(self.api.list(POD))
        status = {
            "phase": "Running",
            "podIP": f"10.129.0.{number}",
            "podIPs": [{"ip": f"10.129.0.{number}"}],
            "hostIP": f"192.168.40.{10 + (place == 'node-b')}",
            "containerStatuses": [{"name": "compute", "ready": True, "state": {"running": {}}}],
        }
        self.mdevs[pod["metadata"]["uid"]] = (f"mdev-of-{pod['metadata']['name']}",)
        self.processes.start(pod["metadata"]["uid"], key, managed=True)
        self.api.patch(POD, *key, {"status": status}, subresource="status")

    def refuse(self, pod: Mapping[str, Any]) -> None:
        """The scheduler finds no node for the pod."""
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}
        body = {"status": {"phase": "Pending", "conditions": [condition]}}
        self.api.patch(POD, "default", pod["metadata"]["name"], body, subresource="status")

    def end(self, pod: Mapping[str, Any], phase: str = "Failed") -> None:
        """The pod ends."""
        self.api.patch(POD, "default", pod["metadata"]["name"], {"status": {"phase": phase}}, subresource="status")

    def delete(self, name: str = "move") -> None:
        """The user deletes the VMIM."""
        self.api.delete(VMIM, "default", name, caller=USER)

    def configure(self, **configuration: Any) -> None:
        """Somebody changes the KubeVirt object; every component knows a moment later."""
        self.api.patch(KUBEVIRT, "kubevirt", "kubevirt", {"spec": {"configuration": configuration}})
        self.clock.advance(0.3)

    def annotate(self, name: str = "vm", **annotations: str | None) -> None:
        """Annotations on the VMI, `kubevirt.io/` put before them and `_` read as `-`."""
        body = {f"kubevirt.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
        self.api.patch(VMI, "default", name, {"metadata": {"annotations": body}})

    # --- steps that most tests share ---

    def to_scheduled(self, name: str = "move") -> dict[str, Any]:
        """A target pod runs on node-b; returns it."""
        self.clock.advance(0.3)
        pod = self.target(name)
        assert pod is not None, self.phase(name)
        self.run(pod, "node-b")
        return pod

    def to_running(self, name: str = "move", vmi: str = "vm", within: float = 10.0) -> dict[str, Any]:
        """The job has begun; returns the target pod."""
        pod = self.to_scheduled(name)
        for _ in range(int(within / 0.05)):
            if self.phase(name) == "Running":
                return pod
            self.clock.advance(0.05)
        raise AssertionError(f"VMIM {name} is {self.phase(name)} after {within} s")

    def until(self, phase: str, name: str = "move", within: float = 400.0) -> float:
        """Let time pass until the VMIM is in that phase; returns how long it took, to 20 ms."""
        for step in range(int(within * 50)):
            if self.phase(name) == phase:
                return step / 50
            self.clock.advance(0.02)
        raise AssertionError(f"VMIM {name} is {self.phase(name)} after {within} s, not {phase}")

    # --- what can be seen ---

    def vmim(self, name: str = "move") -> dict[str, Any]:
        """The VMIM."""
        return self.api.get(VMIM, "default", name)

    def gone(self, name: str = "move") -> bool:
        """Whether the VMIM is no more."""
        return self.api.find(VMIM, "default", name) is None

    def phase(self, name: str = "move") -> str:
        """Its phase."""
        found = self.api.find(VMIM, "default", name)
        return "gone" if found is None else found.get("status", {}).get("phase", "")

    def phases(self, name: str = "move") -> list[str]:
        """All phases it went through."""
        return [entry["phase"] for entry in self.vmim(name)["status"]["phaseTransitionTimestamps"]]

    def see(self, name: str = "vm") -> dict[str, Any]:
        """The VMI."""
        return self.api.get(VMI, "default", name)

    def state(self, name: str = "vm") -> dict[str, Any]:
        """Its migrationState."""
        return self.see(name)["status"].get("migrationState", {})

    def domain(self, name: str = "vm") -> Domain:
        """Its guest."""
        domain = self.domains.get(self.see(name)["metadata"]["uid"])
        assert domain is not None
        return domain

    def target(self, name: str = "move") -> dict[str, Any] | None:
        """The target pod of a VMIM."""
        uid = self.vmim(name)["metadata"]["uid"]
        pods = self.api.list(POD, "default")
        return next((p for p in pods if p["metadata"]["labels"].get("kubevirt.io/migrationJobUID") == uid), None)

    def events(self, kind: str = "", name: str = "") -> list[tuple[str, str, str]]:
        """(type, reason, message) of events, in the order they were first recorded."""
        found = [
            event
            for event in self.api.list(EVENT)
            if kind in ("", event["involvedObject"]["kind"][-1]) and name in ("", event["involvedObject"]["name"])
        ]
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["type"], event["reason"], event["message"]) for event in found]

    def told(self, message: str) -> dict[str, Any]:
        """The one event with that message."""
        found = [event for event in self.api.list(EVENT) if event["message"] == message]
        assert len(found) == 1, (message, [event["message"] for event in self.api.list(EVENT)])
        return found[0]
