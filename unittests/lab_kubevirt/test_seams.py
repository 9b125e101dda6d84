"""The seams controllers share: quantities, gates, configuration, launcher pods and domains."""

import pytest

from lab.kubevirt.config import KubeVirtConfig, PermittedDevices, effective
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.gates import LIBVIRT_HOOKS, VGPU_LIVE_MIGRATION, Gates
from lab.kubevirt.launcher_pod import HOOK_ARG, VGPU_ARG, RenderError, cpu_vendor_selector, render
from lab.quantities import QuantityError, milli, whole

VGPU = "nvidia.com/GRID_T4_2Q"


@pytest.mark.parametrize(
    ("text", "value"), [("2Gi", 2**31), ("64Mi", 2**26), ("1k", 1000), ("1500m", 2), ("1e3", 1000), (4, 4), ("0", 0)]
)
def test_whole_rounds_up(text, value):
    assert whole(text) == value


def test_milli_and_refusal():
    assert milli("0.25") == 250
    with pytest.raises(QuantityError, match="12Q"):
        whole("12Q")


@pytest.mark.parametrize(
    ("gate", "enabled", "disabled", "on"),
    [
        (VGPU_LIVE_MIGRATION, (), (), False),
        (VGPU_LIVE_MIGRATION, (VGPU_LIVE_MIGRATION,), (), True),
        (LIBVIRT_HOOKS, (), (), True),
        (LIBVIRT_HOOKS, (), (LIBVIRT_HOOKS,), False),
        (LIBVIRT_HOOKS, (LIBVIRT_HOOKS,), (LIBVIRT_HOOKS,), True),
        ("LiveMigration", (), ("LiveMigration",), True),
        ("DisableMDEVConfiguration", (), (), False),
        ("NoSuchGate", ("NoSuchGate",), (), False),
    ],
)
def test_gate_precedence(gate, enabled, disabled, on):
    assert Gates(enabled, disabled).on(gate) is on


def test_workload_disruption_follows_post_copy_only_when_unset():
    def awd(**migrations):
        return effective({"spec": {"configuration": {"migrations": migrations}}}).migrations.allow_workload_disruption

    assert awd(allowPostCopy=True) is True
    assert awd(allowPostCopy=True, allowWorkloadDisruption=False) is False
    assert awd(allowWorkloadDisruption=True) is True
    assert awd() is False


def vmi(**spec):
    domain = {"devices": {"gpus": [{"name": "gpu", "deviceName": VGPU}]}, "memory": {"guest": "2Gi"}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "vm1", "namespace": "qa", "uid": "u-1", "labels": {"app": "x"}},
        "spec": {"domain": domain, **spec},
    }


CONFIG = KubeVirtConfig(devices=PermittedDevices(mediated=frozenset({VGPU})))


def test_source_pod():
    pod = render(vmi(nodeSelector={"zone": "a"}), CONFIG, node_selector={"zone": "b"})
    assert pod["metadata"]["generateName"] == "virt-launcher-vm1-"
    assert pod["metadata"]["labels"]["kubevirt.io/created-by"] == "u-1"
    assert "kubevirt.io/migrationJobUID" not in pod["metadata"]["labels"]
    assert pod["spec"]["nodeSelector"]["zone"] == "a"
    assert pod["spec"]["nodeSelector"]["kubevirt.io/schedulable"] == "true"
    assert "affinity" not in pod["spec"]
    compute = pod["spec"]["containers"][0]
    assert compute["resources"]["requests"][VGPU] == compute["resources"]["limits"][VGPU] == "1"
    assert VGPU_ARG not in compute["args"]
    assert HOOK_ARG in compute["args"]


def test_target_pod_fixes_gates_and_never_shares_a_node():
    config = KubeVirtConfig(gates=Gates((VGPU_LIVE_MIGRATION,), (LIBVIRT_HOOKS,)), devices=CONFIG.devices)
    migration = {"metadata": {"name": "mig", "uid": "m-1"}, "spec": {"vmiName": "vm1", "addedNodeSelector": {"n": "1"}}}
    pod = render(vmi(), config, migration=migration)
    assert pod["metadata"]["labels"]["kubevirt.io/migrationJobUID"] == "m-1"
    assert pod["metadata"]["annotations"]["kubevirt.io/migrationJobName"] == "mig"
    assert pod["spec"]["nodeSelector"]["n"] == "1"
    (term,) = pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["labelSelector"]["matchLabels"] == {"kubevirt.io/created-by": "u-1"}
    assert VGPU_ARG in pod["spec"]["containers"][0]["args"]
    assert HOOK_ARG not in pod["spec"]["containers"][0]["args"]


def test_unpermitted_gpu_is_refused():
    with pytest.raises(RenderError, match=r"GPU nvidia\.com/GRID_T4_2Q is not permitted"):
        render(vmi(), KubeVirtConfig())


def test_cpu_vendor_selector():
    node = {"metadata": {"labels": {"cpu-vendor.node.kubevirt.io/Intel": "true", "x": "true"}}}
    assert cpu_vendor_selector(node) == {"cpu-vendor.node.kubevirt.io/Intel": "true"}


class Machine:
    """Counts what the domain does to it."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda: self.calls.append(name)


def test_a_guest_stands_still_while_any_reason_to_pause_is_left():
    domains, seen = Domains(), []
    domains.listen(lambda domain: seen.append((domain.node, domain.paused)))
    machine = Machine()
    domain = Domain("u-1", "qa", "vm1", "n1", "p1", machine, mdevs=("a",))
    domains.start(domain)
    domains.pause(domain, "user")
    domains.pause(domain, "migration")
    domains.resume(domain, "migration")
    assert domain.paused
    domains.move(domain, "n2", "p2", "b")
    assert domain.mdev_uuid == "b"
    domains.resume(domain, "user")
    assert domain.running
    assert seen[-1] == ("n2", False)
    domains.destroy(domain)
    assert domains.get("u-1") is None
    assert machine.calls[-1] == "shutdown"
