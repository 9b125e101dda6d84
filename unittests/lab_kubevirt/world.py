"""A small cluster on a manual clock for unit tests."""

import random

from lab.apiserver.admission import Admission, Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import BUILTIN, EVENT, POD
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ManualClock
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.kubevirt.handler.guests import Agent
from lab.kubevirt.install import install_machines, install_virtualization
from lab.kubevirt.kinds import HCO, KUBEVIRT, POLICY, VM, VMI, VMIM
from lab.kubevirt.world import build
from lab.profiles.profile import Card, Node, Profile

VGPU = "nvidia.com/GRID_T4_2Q"
PASSTHROUGH = "nvidia.com/TU104GL_Tesla_T4"
ADMIN = Caller("admin", ("system:masters",), "kubectl")
IMAGE = "quay.io/containerdisks/fedora:latest"
T4_SLICED = Card(
    address="0000:3b:00.0",
    pci_id="10de:1eb8",
    resource=VGPU,
    mdev_type="GRID T4-2Q",
    mdev_type_id="nvidia-231",
    guest_name="GRID T4-2Q",
    instances=2,
)
T4_WHOLE = Card(address="0000:86:00.0", pci_id="10de:1eb8", resource=PASSTHROUGH, guest_name="NVIDIA Tesla T4")
NODES = (
    Node(name="control-1", roles=("control-plane",)),
    Node(name="gpu-1", cards=(T4_SLICED, T4_WHOLE)),
    Node(name="gpu-2", cards=(T4_SLICED,)),
    Node(name="worker-1"),
)
PROFILE = Profile(description="for unit tests", nodes=NODES)


def bare_api(seed=1):
    """An Api on a manual clock, with the built-in kinds and KubeVirt's."""
    catalogue = Catalogue((*BUILTIN, VM, VMI, VMIM, KUBEVIRT, POLICY, HCO))
    return Api(Store(), ManualClock(), catalogue, Admission(), Strategies(), random.Random(seed))


class Machines:
    """Nodes, scheduler and kubelets."""

    def __init__(self, profile=PROFILE, faults=None, seed=1):
        self.api = bare_api(seed)
        self.clock = self.api.clock
        runtime = Runtime(self.api, self.clock, random.Random(2))
        self.world = build(self.api, runtime, profile, seed=seed, faults=faults or Faults())
        self.devices, self.processes, self.placement = self.world.devices, self.world.processes, self.world.placement
        install_machines(self.world)


class Machine:
    """A guest that does what it is told and keeps a list of it."""

    def __init__(self, order):
        self.order = order
        self.calls = []
        self.booted = True

    def pause(self):
        self.calls.append("pause")

    def resume(self):
        self.calls.append("resume")

    def reboot(self):
        self.calls.append("reboot")

    def shutdown(self):
        self.calls.append("shutdown")

    def drop_connections(self):
        self.calls.append("drop_connections")


class Maker:
    """Makes such guests; their agents connect 20 s after the start."""

    def __init__(self, clock):
        self.clock = clock
        self.made = []
        self.connected = set()

    def make(self, order):
        machine = Machine(order)
        self.made.append(machine)

        def connect():
            self.connected.add(id(machine))
            order.on_change()

        self.clock.call_later(20, connect)
        return machine

    def agent(self, guest):
        return Agent("guest", {"name": "Fedora Linux"}, "9.2") if id(guest) in self.connected else None


class Virtualization(Machines):
    """A cluster with KubeVirt; the configuration is that of a plain KubeVirt object unless told otherwise."""

    def __init__(self, configuration=None, **kwargs):
        super().__init__(**kwargs)
        self.guests = Maker(self.clock)
        configuration = configuration or configured()
        manifest = {"metadata": {"name": "kubevirt", "namespace": "kubevirt"}, "spec": {"configuration": configuration}}
        self.api.create(KUBEVIRT, manifest)
        install_virtualization(self.world, self.guests)
        self.clock.advance(10)

    def vmi(self, name="vm1"):
        return self.api.find(VMI, "qa", name)

    def vm(self, name="vm1"):
        return self.api.find(VM, "qa", name)

    def pods(self):
        return [pod for pod in self.api.list(POD, "qa") if pod["metadata"]["name"].startswith("virt-launcher")]

    def domain(self, name="vm1"):
        return self.world.domains.get(self.vmi(name)["metadata"]["uid"])

    def condition(self, kind, name="vm1"):
        found = (entry for entry in self.vmi(name)["status"].get("conditions", ()) if entry["type"] == kind)
        return next(found, None)

    def reasons(self, kind, name="vm1"):
        """(reason, message) of the events about one object, in order."""
        events = [event for event in self.api.list(EVENT, "qa") if event["involvedObject"]["kind"] == kind]
        events.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["reason"], event["message"]) for event in events if event["involvedObject"]["name"] == name]

    def configure(self, **configuration):
        """Change `spec.configuration` of the KubeVirt object and let every component pick it up."""
        found = self.api.list(KUBEVIRT)[0]["metadata"]
        body = {"spec": {"configuration": configuration}}
        self.api.patch(KUBEVIRT, found["namespace"], found["name"], body)
        self.clock.advance(10)


def configured(gates=(), disabled=(), **more):
    """`spec.configuration` with the T4's devices permitted."""
    return {
        "developerConfiguration": {"featureGates": ["HostDevices", *gates], "disabledFeatureGates": list(disabled)},
        "network": {"defaultNetworkInterface": "masquerade"},
        "permittedHostDevices": {
            "mediatedDevices": [{"mdevNameSelector": "GRID T4-2Q", "resourceName": VGPU}],
            "pciHostDevices": [{"pciVendorSelector": "10de:1eb8", "resourceName": PASSTHROUGH}],
        },
        **more,
    }


def vm(name="vm1", *, gpus=(VGPU,), host_devices=(), strategy="Always", image=IMAGE, **spec):
    """A VM manifest."""
    devices = {
        "gpus": [{"name": f"gpu{number}", "deviceName": device} for number, device in enumerate(gpus)],
        "hostDevices": [{"name": f"dev{number}", "deviceName": device} for number, device in enumerate(host_devices)],
    }
    template = {
        "domain": {"devices": {key: value for key, value in devices.items() if value}, "memory": {"guest": "2Gi"}},
        "volumes": [{"name": "root", "containerDisk": {"image": image}}],
        **spec,
    }
    return {
        "metadata": {"name": name, "namespace": "qa"},
        "spec": {"runStrategy": strategy, "template": {"metadata": {"labels": {"app": name}}, "spec": template}},
    }


def pod(name="p1", *, namespace="qa", image="quay.io/kubevirt/test:v1", limits=None, labels=None, **spec):
    """A plain pod manifest."""
    container = {"name": "main", "image": image, "resources": {"limits": limits or {}, "requests": limits or {}}}
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return {"metadata": metadata, "spec": {"containers": [container], **spec}}
