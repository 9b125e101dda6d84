"""Migrations in a whole cluster: scheduler, kubelets, device plugins, launchers and virt-handler do their part."""

import pytest

from lab.apiserver.errors import ApiError
from lab.kubevirt.kinds import VM, VMI, VMIM
from unittests.lab_kubevirt.world import ADMIN, PASSTHROUGH, VGPU, configured, vm
from unittests.lab_migration.whole import GATE, Whole


def printable(cluster):
    """printableStatus of the VM from now on, each when it changes."""
    seen = []

    def note(change):
        status = change.new.obj["status"].get("printableStatus")
        if not seen or seen[-1] != status:
            seen.append(status)

    cluster.api.listen(VM, note)
    return seen


def test_a_vgpu_vm_moves():
    cluster = Whole()
    source = cluster.started()
    uid, mdev = cluster.vmi()["metadata"]["uid"], cluster.domain().mdev_uuid
    shown = printable(cluster)
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(10)
    target = cluster.vmi()["status"]["nodeName"]
    assert {source, target} == {"gpu-1", "gpu-2"}
    assert cluster.vmi()["metadata"]["uid"] == uid
    assert cluster.domain().mdev_uuid not in (None, mdev)
    assert cluster.in_use() == {source: {}, target: {VGPU: 1}}
    assert [pod["metadata"]["name"] for pod in cluster.live_pods()] == [cluster.state()["targetPod"]]
    assert shown == ["Migrating", "Running"]
    reasons = [reason for reason, _ in cluster.reasons("VirtualMachineInstance")]
    assert reasons.count("Started") == reasons.count("Created") == 1
    assert cluster.condition("Paused") is None
    assert cluster.condition("LiveMigratable")["status"] == "True"


def test_the_vm_reads_running_until_the_source_starts():
    cluster = Whole()
    cluster.started()
    cluster.api.patch(
        VMI,
        "qa",
        "vm1",
        {"metadata": {"annotations": {"kubevirt.io/func-test-block-migration-target-preparation": ""}}},
    )
    shown = printable(cluster)
    cluster.migrate()
    cluster.until(lambda: cluster.phase() == "PreparingTarget", 30)
    cluster.clock.advance(20)
    assert cluster.vm()["status"]["printableStatus"] == "Running"
    assert shown in ([], ["Running"])


def test_three_times_back_and_forth():
    cluster = Whole()
    nodes = [cluster.started()]
    for number in range(3):
        cluster.migrate(f"move-{number}")
        assert cluster.ended(f"move-{number}") == "Succeeded"
        nodes.append(cluster.vmi()["status"]["nodeName"])
    assert nodes == [nodes[0], nodes[1]] * 2
    cluster.clock.advance(10)
    assert len(cluster.live_pods()) == 1
    assert cluster.domain().guest.calls.count("pause") == 3


def test_no_capacity_then_some():
    cluster = Whole()
    source = cluster.started()
    other = "gpu-2" if source == "gpu-1" else "gpu-1"
    for number in range(2):
        cluster.started(f"filler-{number}", nodeSelector={"kubernetes.io/hostname": other})
    before = cluster.vmi()
    cluster.migrate("first", **{"kubevirt.io/migrationUnschedulablePodTimeoutSeconds": "40"})
    assert cluster.ended("first") == "Failed"
    cluster.clock.advance(5)
    told = [message for reason, message in cluster.reasons("VirtualMachineInstanceMigration", "first")]
    assert "Migration target pod for VMI [qa/vm1] is currently unschedulable." in told
    assert told[-1] in (
        "Migration target pod was removed during active migration.",
        "Migration failed because target pod shutdown during migration",
    )
    assert cluster.vmi()["status"] == before["status"] | {"activePods": cluster.vmi()["status"]["activePods"]}
    assert cluster.in_use() == {source: {VGPU: 1}, other: {VGPU: 2}}
    cluster.api.delete(VM, "qa", "filler-0", caller=ADMIN)
    cluster.until(lambda: cluster.vmi("filler-0") is None, 120)
    cluster.migrate("second")
    assert cluster.ended("second") == "Succeeded"


def test_capacity_freed_while_the_target_waits():
    cluster = Whole()
    source = cluster.started()
    other = "gpu-2" if source == "gpu-1" else "gpu-1"
    for number in range(2):
        cluster.started(f"filler-{number}", nodeSelector={"kubernetes.io/hostname": other})
    cluster.migrate()
    cluster.clock.advance(30)
    assert cluster.phase() == "Scheduling"
    cluster.api.delete(VM, "qa", "filler-0", caller=ADMIN)
    assert cluster.ended() == "Succeeded"


def test_an_abort_leaves_nothing_behind():
    cluster = Whole(configured(gates=(GATE,), migrations={"bandwidthPerMigration": "64Mi"}))
    source = cluster.started()
    shown = printable(cluster)
    cluster.migrate()
    cluster.until(lambda: cluster.phase() == "Running", 60)
    cluster.clock.advance(3)
    cluster.api.delete(VMIM, "qa", "move", caller=ADMIN)
    cluster.until(lambda: cluster.phase() == "gone", 10)
    cluster.clock.advance(10)
    assert cluster.vmi()["status"]["nodeName"] == source
    assert cluster.vmi()["status"]["phase"] == "Running"
    assert cluster.domain().running
    assert len(cluster.live_pods()) == 1
    assert sum(used.get(VGPU, 0) for used in cluster.in_use().values()) == 1
    assert shown == ["Migrating", "Running"]


def test_a_failure_leaves_nothing_behind():
    cluster = Whole()
    source = cluster.started()
    note = {"kubevirt.io/func-test-force-launcher-migration-failure": ""}
    cluster.api.patch(VMI, "qa", "vm1", {"metadata": {"annotations": note}})
    cluster.migrate()
    assert cluster.ended() == "Failed"
    cluster.clock.advance(10)
    assert cluster.vmi()["status"]["nodeName"] == source
    assert cluster.domain().running
    assert len(cluster.live_pods()) == 1
    assert sum(used.get(VGPU, 0) for used in cluster.in_use().values()) == 1
    assert cluster.condition("Paused") is None


def test_the_gate_decides_at_the_next_look():
    cluster = Whole(configured())
    cluster.started()
    with pytest.raises(ApiError, match="HostDeviceNotLiveMigratable, Message: VMI specifies a GPU but feature gate"):
        cluster.migrate()
    cluster.configure(developerConfiguration={"featureGates": ["HostDevices", GATE]})
    cluster.clock.advance(60)
    assert cluster.condition("LiveMigratable")["status"] == "False"
    cluster.api.patch(VMI, "qa", "vm1", {"metadata": {"annotations": {"nudge": "1"}}})
    cluster.clock.advance(1)
    assert cluster.condition("LiveMigratable")["status"] == "True"
    cluster.migrate()
    assert cluster.ended() == "Succeeded"


def test_a_paused_vm_stays_paused():
    cluster = Whole()
    cluster.started()
    cluster.world.domains.pause(cluster.domain(), "user")
    cluster.clock.advance(2)
    assert cluster.condition("Paused")["reason"] == "PausedByUser"
    shown = printable(cluster)
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    cluster.clock.advance(5)
    assert cluster.condition("Paused")["reason"] == "PausedByUser"
    assert not cluster.domain().running
    assert shown[-1] == "Paused"


def test_mode_paused_shows_no_paused_condition():
    migrations = {"bandwidthPerMigration": "64Mi", "completionTimeoutPerGiB": 15, "allowWorkloadDisruption": True}
    cluster = Whole(configured(gates=(GATE,), migrations=migrations))
    cluster.load = cluster.load.slowed(-9)
    cluster.started()
    seen = set()
    cluster.api.listen(VMI, lambda change: seen.update(c["type"] for c in change.new.obj["status"]["conditions"]))
    cluster.migrate()
    assert cluster.ended() == "Succeeded"
    assert cluster.state()["mode"] == "Paused"
    assert "Paused" not in seen


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        ({"gpus": (VGPU, VGPU)}, "VMI specifies too many GPUs"),
        ({"gpus": (PASSTHROUGH,)}, "VMI specifies non-migratable GPU device"),
        ({"gpus": (), "host_devices": (PASSTHROUGH,)}, "VMI specifies non-migratable generic PCI host device"),
    ],
)
def test_what_cannot_move_is_refused(devices, message):
    cluster = Whole()
    cluster.started(**devices)
    with pytest.raises(ApiError, match=f"Reason: HostDeviceNotLiveMigratable, Message: {message}"):
        cluster.migrate()


def test_the_migrations_of_a_deleted_vm_go_with_it():
    cluster = Whole(configured(gates=(GATE,), migrations={"bandwidthPerMigration": "16Mi"}))
    cluster.started()
    cluster.migrate()
    cluster.until(lambda: cluster.phase() == "Running", 60)
    cluster.api.delete(VM, "qa", "vm1", caller=ADMIN)
    cluster.until(lambda: cluster.vmi() is None, 120)
    cluster.clock.advance(60)
    assert cluster.phase() == "gone"
    assert cluster.pods() == []
    assert cluster.in_use() == {"gpu-1": {}, "gpu-2": {}}


def test_two_vms_move_at_once():
    cluster = Whole()
    for name in ("vm1", "vm2"):
        cluster.api.create(VM, vm(name), caller=ADMIN)
    cluster.clock.advance(90)
    before = {name: cluster.vmi(name)["status"]["nodeName"] for name in ("vm1", "vm2")}
    for name in before:
        cluster.migrate(f"move-{name}", vmi=name)
    assert [cluster.ended(f"move-{name}") for name in before] == ["Succeeded"] * 2
    assert all(cluster.vmi(name)["status"]["nodeName"] != node for name, node in before.items())
