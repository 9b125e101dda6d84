"""The product as a lab installs it: a VM on a real guest machine moves, with all the parts in play."""

import asyncio
import json
import random
from xml.etree import ElementTree

import pytest

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.auth import defaults
from lab.apiserver.builtin.install import install as install_builtin
from lab.apiserver.builtin.kinds import BUILTIN, CLUSTER_ROLE, CRD, NAMESPACE, POD
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.clock import ManualClock
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.kubevirt.kinds import HCO, VM, VMI, VMIM
from lab.kubevirt.product import install
from lab.kubevirt.world import build
from lab.profiles import load

from .world import ADMIN, vm

PATCH = json.dumps(
    [
        {
            "op": "add",
            "path": "/spec/configuration/developerConfiguration/featureGates/-",
            "value": "VGPULiveMigration",
        },
        {"op": "remove", "path": "/spec/configuration/developerConfiguration/disabledFeatureGates"},
    ]
)
USER_DATA = "#cloud-config\nuser: fedora\npassword: secret\nchpasswd: {expire: False}\nssh_pwauth: true\n"


class Lab:
    """A whole lab without its front."""

    def __init__(self, seed=1):
        self.clock = ManualClock()
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), strategies(), random.Random(seed))
        defaults.install(self.api)
        runtime = Runtime(self.api, self.clock, random.Random(seed))
        definitions = install_builtin(self.api, runtime)
        self.world = build(self.api, runtime, load("vgpu"), seed=seed, faults=Faults())
        self.installed = install(self.world, definitions)
        self.clock.advance(20)
        self.api.create(NAMESPACE, {"metadata": {"name": "qa"}})

    def vmi(self):
        return self.api.get(VMI, "qa", "vm1")

    def domain(self):
        return self.world.domains.get(self.vmi()["metadata"]["uid"])

    def launcher(self):
        node = self.vmi()["status"]["nodeName"]
        return next(
            pod
            for pod in self.api.list(POD, "qa")
            if pod["spec"].get("nodeName") == node and pod["status"]["phase"] == "Running"
        )

    def virsh(self, *words):
        command = ["virsh", "-c", "qemu+unix:///session?socket=/var/run/libvirt/virtqemud-sock", *words]
        return self.exec(*command)

    def exec(self, *command):
        async def run():
            containers = self.installed.containers
            process = await containers.exec(self.launcher(), "compute", command, stdin=False, tty=False)
            return (await process.stdout.read()).decode(), await process.wait()

        return asyncio.run(run())


@pytest.fixture
def lab():
    lab = Lab()
    body = {"metadata": {"annotations": {"kubevirt.kubevirt.io/jsonpatch": PATCH}}}
    lab.api.patch(HCO, "openshift-cnv", "kubevirt-hyperconverged", body, caller=ADMIN)
    lab.clock.advance(20)
    manifest = vm()
    volumes = manifest["spec"]["template"]["spec"]["volumes"]
    volumes.append({"name": "init", "cloudInitNoCloud": {"userData": USER_DATA}})
    lab.api.create(VM, manifest, caller=ADMIN)
    lab.clock.advance(90)
    return lab


def mdev(text):
    return ElementTree.fromstring(text).find("devices/hostdev/source/address").get("uuid")  # noqa: S314  our own text


def test_a_guest_moves_and_is_the_same(lab):
    before, guest = lab.vmi(), lab.domain().guest
    assert before["status"]["guestOSInfo"]["id"] == "fedora"
    source, _ = lab.virsh("dumpxml", "qa_vm1")
    boot = guest.boot_id
    lab.api.create(VMIM, {"metadata": {"name": "m", "namespace": "qa"}, "spec": {"vmiName": "vm1"}}, caller=ADMIN)
    lab.clock.advance(60)
    after = lab.vmi()
    assert lab.api.get(VMIM, "qa", "m")["status"]["phase"] == "Succeeded"
    assert after["status"]["nodeName"] != before["status"]["nodeName"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert lab.domain().guest is guest
    assert guest.boot_id == boot
    target, _ = lab.virsh("dumpxml", "qa_vm1")
    environment, _ = lab.exec("printenv", "MDEV_PCI_RESOURCE_NVIDIA_COM_GRID_T4_2Q")
    assert mdev(target) == environment.strip() != mdev(source)
    assert ElementTree.fromstring(target).find("devices/hostdev/alias").get("name") == "ua-gpu-gpu0"  # noqa: S314
    used = [lab.world.devices.in_use(node) for node in ("gpu-t4-1", "gpu-t4-2")]
    assert sorted(sum(devices.values()) for devices in used) == [0, 1]


def test_what_the_launcher_pod_answers(lab):
    listing, status = lab.virsh("list")
    assert "qa_vm1" in listing
    assert status == 0
    assert lab.virsh("domstate", "qa_vm1") == ("running\n\n", 0)
    assert lab.virsh("dumpxml", "qa_other")[1] == 1
    with pytest.raises(ApiError, match="does not simulate"):
        lab.exec("ls", "/")


def test_definitions_and_roles_are_there(lab):
    names = {definition["metadata"]["name"] for definition in lab.api.list(CRD)}
    assert {"virtualmachines.kubevirt.io", "hyperconvergeds.hco.kubevirt.io"} <= names
    old = lab.api.catalogue.find("hco.kubevirt.io", "v1beta1", "hyperconvergeds")
    shown = lab.api.get(old, "openshift-cnv", "kubevirt-hyperconverged")
    assert shown["spec"]["featureGates"] == {"disableMDevConfiguration": True}
    assert shown["spec"]["liveMigrationConfig"]["parallelOutboundMigrationsPerNode"] == 1
    admin = lab.api.get(CLUSTER_ROLE, "", "kubevirt.io:admin")["rules"]
    migrations = [rule for rule in admin if "virtualmachineinstancemigrations" in rule["resources"]]
    assert [rule["verbs"] for rule in migrations] == [["get", "list", "watch"]]
    migrate = lab.api.get(CLUSTER_ROLE, "", "kubevirt.io:migrate")["rules"]
    assert any("create" in rule["verbs"] for rule in migrate)


def test_unknown_user_data_is_refused_loudly(lab):
    manifest = vm("vm2")
    volumes = manifest["spec"]["template"]["spec"]["volumes"]
    volumes.append({"name": "init", "cloudInitNoCloud": {"userData": "#cloud-config\npackages: [x]\n"}})
    lab.api.create(VM, manifest, caller=ADMIN)
    lab.clock.advance(60)
    vmi = lab.api.get(VMI, "qa", "vm2")
    assert vmi["status"]["phase"] == "Scheduled"
    failed = next(entry for entry in vmi["status"]["conditions"] if entry["type"] == "Synchronized")
    assert "'packages' is not simulated" in failed["message"]


def test_a_namespace_goes_with_all_its_vms(lab):
    lab.api.delete(NAMESPACE, "", "qa", caller=ADMIN)
    lab.clock.advance(120)
    assert lab.api.find(NAMESPACE, "", "qa") is None
    assert [*lab.api.list(VM), *lab.api.list(VMI), *lab.api.list(POD, "qa")] == []
    assert list(lab.world.domains) == []
    assert lab.world.devices.in_use("gpu-t4-1") == lab.world.devices.in_use("gpu-t4-2") == {}


def test_the_same_seed_gives_the_same_story():
    def story(seed):
        lab = Lab(seed)
        lab.api.create(VM, vm(), caller=ADMIN)
        lab.clock.advance(60)
        return lab.vmi()

    assert story(5) == story(5)
    assert story(5) != story(6)
