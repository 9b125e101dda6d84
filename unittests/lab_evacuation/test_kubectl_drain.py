"""The real kubectl drains a node of a lab that stands alone. It must be installed; nothing here is skipped.

kubectl asks again every five seconds of the wall clock, which are minutes of the lab.
"""

import json
import os
import shutil
import subprocess

import pytest

from unittests.lab_kubevirt.world import VGPU, vm
from unittests.suite.processes import standing_lab

PATIENCE = 240  # wall seconds for one command on a busy machine
SOURCE, OTHER = "gpu-t4-1", "gpu-t4-2"
GATES = {"spec": {"configuration": {"developerConfiguration": {"featureGates": ["HostDevices", "VGPULiveMigration"]}}}}


class Kubectl:
    """kubectl as administrator of one lab."""

    def __init__(self, kubeconfig):
        path = shutil.which("kubectl")
        assert path, "kubectl is not installed (Debian package kubernetes-client)"
        self._command = [path, f"--kubeconfig={kubeconfig}", f"--cache-dir={kubeconfig.parent / 'cache'}"]
        self._environment = {"HOME": str(kubeconfig.parent), "PATH": os.environ["PATH"]}

    def run(self, *words, typed=""):
        """The process, when it has ended."""
        return subprocess.run(
            [*self._command, *words], env=self._environment, input=typed, capture_output=True, text=True, check=False,
            timeout=PATIENCE,
        )  # fmt: skip

    def __call__(self, *words, typed=""):
        """Standard output of a command that must succeed."""
        done = self.run(*words, typed=typed)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def see(self, *words):
        """The objects of a list."""
        return json.loads(self("get", "-o", "json", *words))["items"]

    def start(self, namespace, *names, **spec):
        """VMs that run on the source node."""
        self("create", "namespace", namespace)
        self("cordon", OTHER)
        for name in names:
            manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", **vm(name, **spec)}
            manifest["metadata"]["namespace"] = namespace
            self("create", "-f", "-", typed=json.dumps(manifest))
        vms = [f"vm/{name}" for name in names]
        self("wait", *vms, "-n", namespace, "--for=condition=Ready", f"--timeout={PATIENCE}s")
        self("uncordon", OTHER)

    def drain(self, *words):
        """kubectl drain, when it has ended by itself."""
        return self.run("drain", SOURCE, "--ignore-daemonsets", "--delete-emptydir-data", *words)

    def guests(self, namespace):
        """(node, UID) of every VMI by name."""
        return {
            vmi["metadata"]["name"]: (vmi["status"]["nodeName"], vmi["metadata"]["uid"])
            for vmi in self.see("vmi", "-n", namespace)
        }


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """kubectl on a lab of plain KubeVirt with the gate on."""
    with standing_lab(tmp_path_factory.mktemp("lab"), "--profile", "kubevirt") as site:
        kubectl = Kubectl(site.parent / "admin.kubeconfig")
        kubectl("patch", "kubevirt", "kubevirt", "-n", "kubevirt", "--type=merge", "-p", json.dumps(GATES))
        yield kubectl


@pytest.fixture
def kubectl(lab, request):
    """The same; the node takes pods again when the test is over, and the VMs are gone."""
    yield lab
    lab("uncordon", SOURCE)
    lab("delete", "vm", "--all", "-A", "--wait=false")


def test_it_moves_more_vms_than_may_move_at_once_and_ends(kubectl):
    names = ("vm-1", "vm-2", "vm-3", "vm-4")
    kubectl.start("moved", *names, evictionStrategy="LiveMigrate")
    before = kubectl.guests("moved")
    assert {node for node, _ in before.values()} == {SOURCE}
    drained = kubectl.drain()
    assert drained.returncode == 0, drained.stderr
    for name in names:
        assert f'Eviction triggered evacuation of VMI "moved/{name}"' in drained.stderr
    assert kubectl.guests("moved") == {name: (OTHER, uid) for name, (_, uid) in before.items()}
    migrations = kubectl.see("vmim", "-n", "moved")
    assert sorted(m["spec"]["vmiName"] for m in migrations) == sorted(names)
    assert {m["status"]["phase"] for m in migrations} == {"Succeeded"}
    pods = kubectl.see("pods", "-A", f"--field-selector=spec.nodeName={SOURCE}")
    assert {owner["kind"] for pod in pods for owner in pod["metadata"]["ownerReferences"]} == {"DaemonSet"}


def test_it_gives_up_on_a_vm_that_must_move_and_cannot(kubectl):
    kubectl.start("stuck", "vm-1", evictionStrategy="LiveMigrate", gpus=(VGPU, VGPU))
    before = kubectl.guests("stuck")
    drained = kubectl.drain("--timeout=7s")
    assert drained.returncode != 0
    assert "VMI vm-1 is configured with an eviction strategy but is not live-migratable" in drained.stderr
    assert kubectl.guests("stuck") == before


def test_it_ends_a_vm_without_a_strategy_which_starts_elsewhere(kubectl):
    kubectl.start("ended", "vm-1", evictionStrategy="None")
    before = kubectl.guests("ended")["vm-1"]
    drained = kubectl.drain("--pod-selector=kubevirt.io=virt-launcher", "--force")
    assert drained.returncode == 0, drained.stderr
    kubectl("wait", "vmi/vm-1", "-n", "ended", "--for=jsonpath={.status.phase}=Running", f"--timeout={PATIENCE}s")
    after = kubectl.guests("ended")["vm-1"]
    assert after[0] == OTHER
    assert after[1] != before[1]
