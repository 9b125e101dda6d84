"""A lab in this process, on a clock by hand, with VMs on one node: drained as kubectl does, and watched exactly.

What is counted here is counted anew at every write, from all objects as they are then: slow, simple, and independent of
the product's way to count as of the judge's.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.admission import Admission, Caller
from lab.apiserver.api import Api
from lab.apiserver.auth import defaults
from lab.apiserver.builtin.install import install as install_builtin
from lab.apiserver.builtin.kinds import BUILTIN, EVENT, NAMESPACE, NODE, POD
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.errors import ApiError
from lab.apiserver.eviction import evict
from lab.apiserver.resources import Catalogue, Resource
from lab.apiserver.store import Change as StoreChange
from lab.apiserver.store import Store
from lab.clock import ManualClock
from lab.controllers.runtime import Runtime
from lab.faults import Fault, together
from lab.kubevirt.handler.guests import Agent, Order
from lab.kubevirt.kinds import KUBEVIRT, VM, VMI, VMIM
from lab.kubevirt.product import install
from lab.kubevirt.world import build
from lab.profiles import Profile
from lab.profiles.profile import Card, Node, Product
from utilities.history import Change, Record, Timeline

VGPU = "nvidia.com/GRID_T4_2Q"
SOURCE, TARGETS = "gpu-1", ("gpu-2", "gpu-3")
ADMIN = Caller("admin", ("system:masters",), "kubectl")
SPACE = "qa"
RETRY = 5.0  # product seconds after which kubectl asks again
ACTIVE = ("Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running")
FINAL = ("Succeeded", "Failed")
_RECORDED = (VM, VMI, VMIM, POD, EVENT)
_CHANGES = {"ADDED": Change.ADDED, "MODIFIED": Change.MODIFIED, "DELETED": Change.DELETED}


def profile(devices: int = 16) -> Profile:
    """Three nodes with so many vGPUs each, and plain KubeVirt with the gate on."""
    card = Card(
        address="0000:3b:00.0",
        pci_id="10de:1eb8",
        resource=VGPU,
        mdev_type="GRID T4-2Q",
        mdev_type_id="nvidia-231",
        guest_name="GRID T4-2Q",
        instances=devices,
    )
    nodes = [Node(name=name, cards=(card,)) for name in (SOURCE, *TARGETS)]
    return Profile(
        name="drain",
        description="for drains in one process",
        product=Product(installed_by="kubevirt"),
        nodes=(Node(name="control-1", roles=("control-plane",)), *nodes),
        feature_gates=("VGPULiveMigration",),
    )


class Guest:
    """A guest that does nothing, which is enough to be moved."""

    def pause(self) -> None:
        """Nothing."""

    resume = reboot = shutdown = drop_connections = pause


class Guests:
    """Makes them."""

    def make(self, _: Order) -> Guest:
        """One more."""
        return Guest()

    def agent(self, _: object) -> Agent | None:
        """It has no agent."""
        return None


@dataclass
class Truth:
    """The most that were active, in the cluster and by node left, and every count by node with its product time."""

    cluster: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    course: list[tuple[float, Counter[str]]] = field(default_factory=list)


class DrainLab:
    """VMs on the source node of a lab with a seed and faults."""

    def __init__(self, seed: int = 1, faults: Sequence[Fault] = (), devices: int = 16) -> None:
        self.clock = ManualClock()
        rng = random.Random(seed)
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), strategies(), rng)
        defaults.install(self.api)
        runtime = Runtime(self.api, self.clock, rng)
        definitions = install_builtin(self.api, runtime)
        self.world = build(self.api, runtime, profile(devices), seed=seed, faults=together(faults))
        install(self.world, definitions, Guests())
        self.clock.advance(20)
        self.api.create(NAMESPACE, {"metadata": {"name": SPACE}})
        self.records: list[Record] = []
        self.truth = Truth()
        for resource in _RECORDED:
            self.api.listen(resource, lambda change, kind=resource: self._note(kind, change))

    # --- what is done ---

    def configure(self, **migrations: Any) -> None:
        """Change settings of live migration and wait until every component knows."""
        (found,) = self.api.list(KUBEVIRT)
        body = {"spec": {"configuration": {"migrations": migrations}}}
        self.api.patch(KUBEVIRT, found["metadata"]["namespace"], found["metadata"]["name"], body)
        self.clock.advance(10)

    def start(self, count: int = 1, node: str = SOURCE, strategy: str = "LiveMigrate", name: str = "vm") -> list[str]:
        """Running VMs on a node; returns their names."""
        others = [other for other in (SOURCE, *TARGETS) if other != node]
        for other in others:
            self.cordon(other)
        names = [f"{name}-{number}" for number in range(1, count + 1)]
        for each in names:
            self.api.create(VM, _manifest(each, strategy), caller=ADMIN)
        self.until(lambda: all(self.see(each)["status"].get("phase") == "Running" for each in names), 300)
        for other in others:
            self.cordon(other, on=False)
        return names

    def cordon(self, node: str, *, on: bool = True) -> None:
        """Let a node take no more pods, or again."""
        self.api.patch(NODE, "", node, {"spec": {"unschedulable": on or None}}, caller=ADMIN)
        self.clock.advance(0.1)

    def evict(self, pod: str, **eviction: Any) -> str:
        """What is answered to an eviction, "" if it is granted or the pod is gone."""
        try:
            evict(self.api, SPACE, pod, {"metadata": {"name": pod}, **eviction}, caller=ADMIN)
        except ApiError as error:
            return "" if error.code == 404 else error.message
        return ""

    def drain(self, *nodes: str, within: float = 600.0) -> bool:
        """Empty nodes; returns whether it ended by itself. Afterwards every migration is final."""
        left = [pod["metadata"]["name"] for pod in self.launchers() if pod["spec"].get("nodeName") in nodes]
        for node in nodes:
            self.cordon(node)
        asked = 0.0
        while left and asked < within:
            for pod in left:
                self.evict(pod)
            self.clock.advance(RETRY)
            asked += RETRY
            left = [name for name in left if self.api.find(POD, SPACE, name) is not None]
        with suppress(AssertionError):
            self.until(lambda: all(migration["status"].get("phase") in FINAL for migration in self.migrations()), 60)
        return not left

    def migrate(self, vmi: str, name: str = "move") -> Mapping[str, Any]:
        """A user asks for a migration. Raises ApiError when it is refused."""
        manifest = {"metadata": {"name": name, "namespace": SPACE}, "spec": {"vmiName": vmi}}
        return self.api.create(VMIM, manifest, caller=ADMIN)

    def until(self, true: Any, within: float) -> None:
        """Let time pass until it is so."""
        for _ in range(int(within * 5)):
            if true():
                return
            self.clock.advance(0.2)
        raise AssertionError(f"not so after {within} s")

    # --- what is seen ---

    def see(self, vmi: str) -> Mapping[str, Any]:
        """The VMI, empty while there is none."""
        return self.api.find(VMI, SPACE, vmi) or {"status": {}}

    def migrations(self, vmi: str = "") -> list[Mapping[str, Any]]:
        """All migrations, or those of one VMI, oldest first."""
        found = [one for one in self.api.list(VMIM, SPACE) if vmi in ("", one["spec"]["vmiName"])]
        return sorted(found, key=lambda one: int(one["metadata"]["resourceVersion"]))

    def launchers(self) -> list[Mapping[str, Any]]:
        """Launcher pods that exist."""
        return [pod for pod in self.api.list(POD, SPACE) if pod["metadata"]["name"].startswith("virt-launcher")]

    def timeline(self) -> Timeline:
        """Everything that was written since the start, as a watch would have told it."""
        return Timeline.of(self.records, watched=[resource.kind for resource in _RECORDED])

    def _note(self, resource: Resource, change: StoreChange) -> None:
        if change.new.namespace == SPACE:
            received = self.clock.now()
            self.records.append(Record.of(_CHANGES[change.type], resource.kind, change.new.obj, received=received))
            self._count()

    def _count(self) -> None:
        """Count by the product's own definition (kubevirt sheet §6), from nothing but the objects."""
        pods = {pod["metadata"]["labels"].get("kubevirt.io/migrationJobUID") for pod in self.launchers()}
        nodes: Counter[str] = Counter()
        active = 0
        for migration in self.api.list(VMIM, SPACE):
            phase = (migration.get("status") or {}).get("phase") or ""
            if phase in ACTIVE or (phase in ("", "Pending") and migration["metadata"]["uid"] in pods):
                active += 1
                status = self.see(migration["spec"]["vmiName"])["status"]
                left = {status.get("nodeName"), (status.get("migrationState") or {}).get("sourceNode")}
                nodes.update(left - {None})
        self.truth.course.append((self.clock.now(), nodes))
        self.truth.cluster = max(self.truth.cluster, active)
        self.truth.nodes |= nodes


def _manifest(name: str, strategy: str) -> dict[str, Any]:
    spec = {
        "evictionStrategy": strategy,
        "domain": {"devices": {"gpus": [{"name": "gpu0", "deviceName": VGPU}]}, "memory": {"guest": "512Mi"}},
        "volumes": [{"name": "root", "containerDisk": {"image": "quay.io/containerdisks/fedora:latest"}}],
    }
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return {"metadata": {"name": name, "namespace": SPACE}, "spec": {"runStrategy": "Always", "template": template}}
