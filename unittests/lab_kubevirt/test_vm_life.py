"""A VM from created to gone: phases, conditions, events, run strategies."""

import pytest

from lab.apiserver.builtin.kinds import POD
from lab.apiserver.errors import ApiError
from lab.apiserver.options import DeleteOptions
from lab.kubevirt.gates import VGPU_LIVE_MIGRATION
from lab.kubevirt.kinds import VM, VMI

from .world import ADMIN, PASSTHROUGH, VGPU, Virtualization, configured, vm


@pytest.fixture
def cluster():
    return Virtualization()


def started(cluster, manifest=None):
    """A VM that runs, its agent connected."""
    cluster.api.create(VM, manifest or vm(), caller=ADMIN)
    cluster.clock.advance(80)
    assert cluster.vmi()["status"]["phase"] == "Running"
    return cluster


def test_a_vm_starts_and_tells_every_step(cluster):
    cluster.api.create(VM, vm(), caller=ADMIN)
    seen = []
    for _ in range(200):
        cluster.clock.advance(0.5)
        status = cluster.vm()["status"].get("printableStatus")
        if not seen or seen[-1] != status:
            seen.append(status)
    assert seen == ["Starting", "Running"]
    vmi = cluster.vmi()
    assert [entry["phase"] for entry in vmi["status"]["phaseTransitionTimestamps"]] == [
        "Pending", "Scheduling", "Scheduled", "Running",
    ]  # fmt: skip
    (launcher,) = cluster.pods()
    assert (
        vmi["status"]["nodeName"] == vmi["metadata"]["labels"]["kubevirt.io/nodeName"] == launcher["spec"]["nodeName"]
    )
    assert vmi["status"]["activePods"] == {launcher["metadata"]["uid"]: launcher["spec"]["nodeName"]}
    assert vmi["status"]["interfaces"][0]["ipAddress"] == launcher["status"]["podIP"]
    assert cluster.condition("Ready")["status"] == cluster.condition("AgentConnected")["status"] == "True"
    assert cluster.vm()["status"]["ready"] is True
    reasons = [reason for reason, _ in cluster.reasons("VirtualMachineInstance")]
    assert reasons == ["SuccessfulCreate", "Created", "Started"]
    assert cluster.domain().mdev_uuid in {
        device.id for device in cluster.devices.of(launcher["metadata"]["uid"]).devices
    }


def test_live_migratable_is_stale_until_the_vmi_changes(cluster):
    started(cluster)
    blocked = cluster.condition("LiveMigratable")
    assert blocked["reason"] == "HostDeviceNotLiveMigratable"
    assert blocked["message"] == "VMI specifies a GPU but feature gate VGPULiveMigration is not enabled"
    assert blocked["lastTransitionTime"] is None
    cluster.configure(developerConfiguration={"featureGates": ["HostDevices", VGPU_LIVE_MIGRATION]})
    cluster.clock.advance(600)
    assert cluster.condition("LiveMigratable") == blocked
    cluster.api.patch(VMI, "qa", "vm1", {"metadata": {"annotations": {"nudge": "1"}}}, caller=ADMIN)
    cluster.clock.advance(1)
    assert cluster.condition("LiveMigratable")["status"] == "True"
    assert "reason" not in cluster.condition("LiveMigratable")
    assert cluster.condition("StorageLiveMigratable")["status"] == "True"
    copied = [entry for entry in cluster.vm()["status"]["conditions"] if entry["type"] == "LiveMigratable"]
    assert copied == [cluster.condition("LiveMigratable")]


def test_live_migratable_is_not_recomputed_during_a_migration(cluster):
    started(cluster)
    cluster.configure(developerConfiguration={"featureGates": [VGPU_LIVE_MIGRATION]})
    controller = cluster.world.callers.controller
    state = {"startTimestamp": "2026-01-01T00:05:00Z", "migrationUid": "u"}
    cluster.api.patch(VMI, "qa", "vm1", {"status": {"migrationState": state}}, caller=controller)
    cluster.clock.advance(5)
    assert cluster.condition("LiveMigratable")["status"] == "False"
    assert cluster.vm()["status"]["printableStatus"] == "Migrating"
    ended = {"endTimestamp": "2026-01-01T00:05:10Z", "completed": True}
    cluster.api.patch(VMI, "qa", "vm1", {"status": {"migrationState": ended}}, caller=controller)
    cluster.clock.advance(1)
    assert cluster.condition("LiveMigratable")["status"] == "True"
    assert cluster.vm()["status"]["printableStatus"] == "Running"


@pytest.mark.parametrize(
    ("gates", "devices", "message"),
    [
        ((), {"gpus": (), "host_devices": (PASSTHROUGH,)}, "VMI specifies non-migratable generic PCI host device"),
        ((VGPU_LIVE_MIGRATION,), {"gpus": (VGPU, VGPU)}, "VMI specifies too many GPUs"),
        ((), {"gpus": (VGPU, VGPU)}, "VMI specifies too many GPUs"),
        ((VGPU_LIVE_MIGRATION,), {"gpus": (PASSTHROUGH,)}, "VMI specifies non-migratable GPU device"),
        ((VGPU_LIVE_MIGRATION,), {"gpus": (VGPU,)}, None),
        ((), {"gpus": ()}, None),
    ],
)
def test_the_table_of_device_messages(gates, devices, message):
    cluster = started(Virtualization(configured(gates)), vm(**devices))
    found = cluster.condition("LiveMigratable")
    assert found.get("message") == message
    assert found.get("reason") == (None if message is None else "HostDeviceNotLiveMigratable")


def test_a_bridge_on_the_pod_network_comes_first_and_storage_lists_all(cluster):
    bridged = vm(networks=[{"name": "n", "pod": {}}])
    bridged["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"] = [{"name": "n", "bridge": {}}]
    started(cluster, bridged)
    assert cluster.condition("LiveMigratable")["reason"] == "InterfaceNotLiveMigratable"
    assert cluster.condition("StorageLiveMigratable")["message"] == (
        "InterfaceNotLiveMigratable: cannot migrate VMI which does not use masquerade or a migratable plugin to "
        "connect to the pod network, HostDeviceNotLiveMigratable: VMI specifies a GPU but feature gate "
        "VGPULiveMigration is not enabled"
    )


def test_a_gpu_that_is_not_permitted_keeps_the_vmi_pending(cluster):
    cluster.api.create(VM, vm(gpus=("nvidia.com/OTHER",)), caller=ADMIN)
    cluster.clock.advance(30)
    text = (
        "failed to render launch manifest: GPU nvidia.com/OTHER is not permitted in permittedHostDevices configuration"
    )
    assert cluster.vmi()["status"]["phase"] == "Pending"
    assert ("FailedCreate", text) in cluster.reasons("VirtualMachineInstance")
    synchronized = cluster.condition("Synchronized")
    assert (synchronized["status"], synchronized["reason"], synchronized["message"]) == ("False", "FailedCreate", text)
    assert cluster.vm()["status"]["printableStatus"] == "Starting"
    assert cluster.condition("Ready")["reason"] == "PodNotExists"


def test_no_room_is_error_unschedulable_and_heals(cluster):
    for name in ("a", "b", "c", "d", "e"):
        cluster.api.create(VM, vm(name), caller=ADMIN)
        cluster.clock.advance(1)
    cluster.clock.advance(80)
    assert cluster.vm("e")["status"]["printableStatus"] == "ErrorUnschedulable"
    assert "Insufficient nvidia.com/GRID_T4_2Q" in cluster.condition("PodScheduled", "e")["message"]
    cluster.api.delete(VM, "qa", "a", caller=ADMIN)
    cluster.clock.advance(120)
    assert cluster.vm("a") is None
    assert cluster.vm("e")["status"]["printableStatus"] == "Running"
    assert cluster.condition("PodScheduled", "e") is None


def test_an_image_nobody_has(cluster):
    cluster.api.create(VM, vm(image="registry.example/none:1"), caller=ADMIN)
    cluster.clock.advance(5)
    assert cluster.vm()["status"]["printableStatus"] == "ErrImagePull"
    cluster.clock.advance(60)
    assert cluster.vm()["status"]["printableStatus"] == "ImagePullBackOff"
    assert cluster.vmi()["status"]["phase"] == "Scheduling"


def test_halting_shuts_the_guest_down_and_frees_its_device(cluster):
    started(cluster)
    cluster.api.patch(VM, "qa", "vm1", {"spec": {"runStrategy": "Halted"}}, caller=ADMIN)
    cluster.clock.advance(0.5)
    assert cluster.vm()["status"]["printableStatus"] == "Stopping"
    cluster.clock.advance(60)
    assert cluster.vmi() is None
    assert cluster.pods() == []
    assert cluster.vm()["status"]["printableStatus"] == "Stopped"
    assert "ready" not in cluster.vm()["status"]
    assert cluster.devices.in_use("gpu-1") == cluster.devices.in_use("gpu-2") == {}
    assert ("Stopped", "The VirtualMachineInstance was shut down.") in cluster.reasons("VirtualMachineInstance")
    assert cluster.guests.made[0].calls[-1] == "shutdown"


def test_a_guest_that_powers_off_is_started_again_under_always(cluster):
    started(cluster)
    first = cluster.vmi()["metadata"]["uid"]
    cluster.guests.made[0].order.on_off()
    cluster.clock.advance(90)
    assert cluster.vmi()["metadata"]["uid"] != first
    assert cluster.vmi()["status"]["phase"] == "Running"


def test_manual_follows_requests_only(cluster):
    cluster.api.create(VM, vm(strategy="Manual"), caller=ADMIN)
    cluster.clock.advance(30)
    assert cluster.vmi() is None
    assert cluster.vm()["status"]["printableStatus"] == "Stopped"
    request = {"status": {"stateChangeRequests": [{"action": "Start", "data": {"paused": "true"}}]}}
    cluster.api.patch(VM, "qa", "vm1", request, subresource="status")
    cluster.clock.advance(80)
    assert cluster.vm()["status"]["printableStatus"] == "Paused"
    assert "stateChangeRequests" not in cluster.vm()["status"]
    uid = cluster.vmi()["metadata"]["uid"]
    restart = {"status": {"stateChangeRequests": [{"action": "Stop", "uid": uid}, {"action": "Start"}]}}
    cluster.api.patch(VM, "qa", "vm1", restart, subresource="status")
    cluster.clock.advance(200)
    assert cluster.vmi()["metadata"]["uid"] != uid
    assert cluster.vm()["status"]["printableStatus"] == "Running"


def test_a_user_pause_shows_everywhere_and_goes(cluster):
    started(cluster)
    cluster.world.domains.pause(cluster.domain(), "user")
    cluster.clock.advance(2)
    paused = cluster.vmi()["status"]["conditions"][-1]
    assert (paused["type"], paused["reason"], paused["message"]) == ("Paused", "PausedByUser", "VMI was paused by user")
    assert paused["lastTransitionTime"]
    assert cluster.vm()["status"]["printableStatus"] == "Paused"
    (launcher,) = cluster.pods()
    gate = next(c for c in launcher["status"]["conditions"] if c["type"] == "kubevirt.io/virtual-machine-unpaused")
    assert (gate["status"], gate["reason"]) == ("False", "Paused")
    assert cluster.condition("Ready")["status"] == "False"
    cluster.world.domains.resume(cluster.domain(), "user")
    cluster.clock.advance(2)
    assert cluster.condition("Paused") is None
    assert cluster.condition("Ready")["status"] == "True"
    assert cluster.vm()["status"]["printableStatus"] == "Running"


def test_losing_the_pod_kills_the_guest(cluster):
    started(cluster)
    (launcher,) = cluster.pods()
    cluster.api.patch(VM, "qa", "vm1", {"spec": {"runStrategy": "Manual"}}, caller=ADMIN)
    cluster.api.delete(POD, "qa", launcher["metadata"]["name"], options=DeleteOptions(grace_period=0))
    cluster.clock.advance(10)
    assert cluster.vmi()["status"]["phase"] == "Failed"


def test_a_start_that_fails_early_backs_off(cluster):
    cluster.api.create(VM, vm(image="quay.io/containerdisks/fedora:latest"), caller=ADMIN)
    cluster.clock.advance(2)
    (launcher,) = cluster.pods()
    cluster.api.delete(POD, "qa", launcher["metadata"]["name"])
    cluster.clock.advance(4)
    assert cluster.vm()["status"]["startFailure"]["consecutiveFailCount"] == 1
    assert cluster.vm()["status"]["printableStatus"] == "CrashLoopBackOff"
    cluster.clock.advance(100)
    assert cluster.vm()["status"]["printableStatus"] == "Running"
    assert "startFailure" not in cluster.vm()["status"]


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        ({"spec": {"terminationGracePeriodSeconds": 1}}, "update of VMI object is restricted"),
        (
            {"metadata": {"labels": {"kubevirt.io/nodeName": "x"}}},
            "modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited",
        ),
    ],
)
def test_strangers_may_not_change_a_vmi(cluster, patch, text):
    started(cluster)
    with pytest.raises(ApiError) as refused:
        cluster.api.patch(VMI, "qa", "vm1", patch, caller=ADMIN)
    assert refused.value.code == 422
    webhook = "virtualmachineinstances-update-validator.kubevirt.io"
    assert refused.value.message == f'admission webhook "{webhook}" denied the request: {text}'


def test_a_status_written_by_a_stranger_is_put_back(cluster):
    started(cluster)
    cluster.api.patch(VMI, "qa", "vm1", {"status": {"phase": "Failed"}}, caller=ADMIN)
    assert cluster.vmi()["status"]["phase"] == "Running"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"runStrategy": "Sometimes"}, "Invalid RunStrategy (Sometimes)"),
        ({"running": True}, "Running and RunStrategy are mutually exclusive"),
        ({"template": None}, "missing virtual machine template."),
        ({"instancetype": {"name": "u1"}}, "the lab does not simulate spec.instancetype"),
    ],
)
def test_vms_are_checked(cluster, change, text):
    manifest = vm()
    manifest["spec"] |= change
    with pytest.raises(ApiError, match=text.replace("(", r"\(").replace(")", r"\)")):
        cluster.api.create(VM, manifest, caller=ADMIN)


def test_a_second_display_is_refused(cluster):
    manifest = vm(gpus=(VGPU, VGPU))
    for gpu in manifest["spec"]["template"]["spec"]["domain"]["devices"]["gpus"]:
        gpu["virtualGPUOptions"] = {"display": {"enabled": True}}
    with pytest.raises(ApiError, match="configuring multiple displays with ramfb is not valid"):
        cluster.api.create(VM, manifest, caller=ADMIN)


def test_a_vmi_without_a_vm_lives_and_goes_on_its_own(cluster):
    spec = vm()["spec"]["template"]["spec"]
    cluster.api.create(VMI, {"metadata": {"name": "vm1", "namespace": "qa"}, "spec": spec}, caller=ADMIN)
    cluster.clock.advance(80)
    assert cluster.vmi()["status"]["phase"] == "Running"
    cluster.api.delete(VMI, "qa", "vm1", caller=ADMIN)
    cluster.clock.advance(60)
    assert cluster.vmi() is None
    assert cluster.pods() == []


def test_a_vm_deleted_while_its_pod_waits_for_a_node_goes_at_once(cluster):
    cluster.api.create(VM, vm(nodeSelector={"no": "such"}), caller=ADMIN)
    cluster.clock.advance(5)
    assert cluster.vmi()["status"]["phase"] == "Scheduling"
    cluster.api.delete(VM, "qa", "vm1", caller=ADMIN)
    cluster.clock.advance(5)
    assert cluster.vm() is None
    assert cluster.vmi() is None
    assert cluster.pods() == []


def test_a_vm_deleted_before_its_guest_runs(cluster):
    cluster.api.create(VM, vm(), caller=ADMIN)
    while cluster.vmi() is None or cluster.vmi()["status"]["phase"] != "Scheduled":
        cluster.clock.advance(0.2)
    cluster.api.delete(VM, "qa", "vm1", caller=ADMIN)
    cluster.clock.advance(60)
    assert cluster.vm() is None
    assert cluster.pods() == []
    assert cluster.devices.in_use("gpu-1") == cluster.devices.in_use("gpu-2") == {}


def test_a_paused_guest_is_killed_when_its_grace_is_over(cluster):
    started(cluster)
    cluster.world.domains.pause(cluster.domain(), "user")
    cluster.clock.advance(1)
    cluster.api.delete(VM, "qa", "vm1", caller=ADMIN)
    cluster.clock.advance(20)
    assert cluster.vmi() is not None
    cluster.clock.advance(40)
    assert cluster.vm() is None
    assert ("Deleted", "VirtualMachineInstance stopping") in cluster.reasons("VirtualMachineInstance")


def test_a_guest_without_grace_is_killed_at_once_and_has_not_failed(cluster):
    started(cluster, vm(terminationGracePeriodSeconds=0))
    cluster.api.patch(VM, "qa", "vm1", {"spec": {"runStrategy": "Halted"}}, caller=ADMIN)
    cluster.clock.advance(1)
    assert cluster.vmi()["status"]["phase"] == "Succeeded"
    assert ("Stopped", "The VirtualMachineInstance was shut down.") in cluster.reasons("VirtualMachineInstance")


def test_an_eviction_strategy_that_cannot_be_kept_is_told():
    cluster = started(Virtualization(configured(evictionStrategy="LiveMigrate")))
    assert cluster.vmi()["spec"]["evictionStrategy"] == "LiveMigrate"
    text = (
        "EvictionStrategy is set but vmi is not migratable; VMI specifies a GPU but feature gate VGPULiveMigration "
        "is not enabled"
    )
    assert ("Migrated", text) in cluster.reasons("VirtualMachineInstance")


def test_placement_reaches_a_running_vmi_and_everything_else_needs_a_restart(cluster):
    started(cluster)
    template = {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}
    cluster.api.patch(VM, "qa", "vm1", template, caller=ADMIN)
    cluster.clock.advance(2)
    assert cluster.vmi()["spec"]["nodeSelector"] == {"a": "b"}
    kinds = {entry["type"] for entry in cluster.vm()["status"]["conditions"]}
    assert "RestartRequired" not in kinds
    change = {"spec": {"template": {"spec": {"domain": {"memory": {"guest": "3Gi"}}}}}}
    cluster.api.patch(VM, "qa", "vm1", change, caller=ADMIN)
    cluster.clock.advance(2)
    required = next(entry for entry in cluster.vm()["status"]["conditions"] if entry["type"] == "RestartRequired")
    assert required["message"] == "a non-live-updatable field was changed in the template spec"
