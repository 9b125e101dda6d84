"""A small cluster on a manual clock for unit tests."""

import random

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ManualClock
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.profiles.profile import Card, Node, Product
from lab.scheduling import nodes
from lab.scheduling.addresses import Addresses
from lab.scheduling.delays import Delays
from lab.scheduling.devices import DevicePlugins
from lab.scheduling.images import Images
from lab.scheduling.inventory import inventory
from lab.scheduling.kubelet import Kubelet, Machinery
from lab.scheduling.placement import Placement
from lab.scheduling.processes import Processes
from lab.scheduling.scheduler import Scheduler

VGPU = "nvidia.com/GRID_T4_2Q"
PASSTHROUGH = "nvidia.com/TU104GL_Tesla_T4"
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


def bare_api(seed=1):
    """An Api on a manual clock, with the built-in kinds."""
    clock = ManualClock()
    return Api(Store(), clock, Catalogue(BUILTIN), Admission(), Strategies(), random.Random(seed))


class Machines:
    """Nodes, scheduler and kubelets."""

    def __init__(self, shape=NODES, faults=None, managed=lambda pod: False):
        faults = faults or Faults()
        self.api = bare_api()
        self.clock = self.api.clock
        self.runtime = Runtime(self.api, self.clock, random.Random(2))
        self.addresses = Addresses(node.name for node in shape)
        self.devices = DevicePlugins(inventory(shape, random.Random(3)))
        self.processes = Processes()
        self.delays = Delays(4)
        self.images = Images()
        self.placement = Placement(self.api)
        machinery = Machinery(self.processes, self.devices, self.images, self.addresses, self.delays, managed)
        self.kubelet = Kubelet(self.api, machinery, faults)
        nodes.create(self.api, shape, Product(), self.addresses)
        self.runtime.add(Scheduler(self.api, self.placement, self.delays, faults))
        self.runtime.add(self.kubelet)
        self.processes.listen(lambda key: self.runtime.poke(self.kubelet, key))


def pod(name="p1", *, namespace="qa", image="quay.io/kubevirt/test:v1", limits=None, labels=None, **spec):
    """A plain pod manifest."""
    container = {"name": "main", "image": image, "resources": {"limits": limits or {}, "requests": limits or {}}}
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return {"metadata": metadata, "spec": {"containers": [container], **spec}}
