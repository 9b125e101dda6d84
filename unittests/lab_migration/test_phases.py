"""A migration that succeeds: phases, what is written when, and what is told (kubevirt sheet §4.3, §4.4, §4.7)."""

import pytest

from lab.apiserver.builtin.kinds import POD
from lab.kubevirt.kinds import VMI
from unittests.lab_migration.bed import Bed

ALL = ["Pending", "Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running", "Succeeded"]


@pytest.fixture
def bed():
    """A bed with one vGPU VMI on node-a."""
    bed = Bed()
    bed.vmi()
    return bed


def test_every_phase_is_reached_and_stamped_once(bed):
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    bed.clock.advance(5)
    assert bed.phases() == ALL
    stamps = [entry["phaseTransitionTimestamp"] for entry in bed.vmim()["status"]["phaseTransitionTimestamps"]]
    assert stamps == sorted(stamps)


def test_the_object_carries_label_finalizer_and_annotations(bed):
    bed.migrate()
    bed.clock.advance(0.2)
    metadata = bed.vmim()["metadata"]
    assert metadata["labels"] == {"kubevirt.io/vmi-name": "vm"}
    assert metadata["finalizers"] == ["kubevirt.io/migrationJobFinalize"]
    assert metadata["annotations"] == {
        "kubevirt.io/latest-observed-api-version": "v1",
        "kubevirt.io/storage-observed-api-version": "v1",
    }


def test_the_target_pod_is_made_while_pending_and_keeps_off_the_source(bed):
    bed.migrate(addedNodeSelector={"zone": "east"})
    bed.clock.advance(0.3)
    pod = bed.target()
    assert bed.phase() == "Scheduling"
    assert pod["metadata"]["labels"]["kubevirt.io/migrationJobUID"] == bed.vmim()["metadata"]["uid"]
    assert pod["metadata"]["annotations"]["kubevirt.io/migrationJobName"] == "move"
    terms = pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert terms[-1]["topologyKey"] == "kubernetes.io/hostname"
    assert pod["spec"]["nodeSelector"]["zone"] == "east"
    assert pod["spec"]["nodeSelector"]["cpu-vendor.node.kubevirt.io/Intel"] == "true"
    assert bed.vmim()["status"]["migrationState"].keys() == {"sourcePod"}
    assert bed.state() == {}


def test_hand_off_writes_a_new_state_and_labels_the_vmi(bed):
    old = {"migrationUid": "older", "mode": "Paused", "failed": True, "completed": True, "failureReason": "x"}
    bed.api.patch(VMI, "default", "vm", {"status": {"migrationState": old}})
    source = bed.api.list(POD, "default")[0]["metadata"]["name"]
    bed.migrate()
    pod = bed.to_scheduled()
    bed.until("PreparingTarget", within=1)
    state = bed.state()
    assert state["migrationUid"] == bed.vmim()["metadata"]["uid"]
    assert (state["sourceNode"], state["targetNode"]) == ("node-a", "node-b")
    assert (state["sourcePod"], state["targetPod"]) == (source, pod["metadata"]["name"])
    assert not {"mode", "failed", "completed", "failureReason", "migrationPolicyName"} & state.keys()
    assert state["migrationConfiguration"].keys() == {
        "nodeDrainTaintKey",
        "parallelOutboundMigrationsPerNode",
        "parallelMigrationsPerCluster",
        "allowAutoConverge",
        "bandwidthPerMigration",
        "completionTimeoutPerGiB",
        "maxDowntimeMs",
        "progressTimeout",
        "utilityVolumesTimeout",
        "unsafeMigrationOverride",
        "allowPostCopy",
        "allowWorkloadDisruption",
        "disableTLS",
        "matchSELinuxLevelOnMigration",
    }
    assert bed.see()["metadata"]["labels"]["kubevirt.io/migrationTargetNodeName"] == "node-b"


def test_the_target_says_where_it_listens_then_the_source_starts(bed):
    bed.migrate()
    bed.to_scheduled()
    bed.until("TargetReady", within=6)
    state = bed.state()
    assert state["targetNodeAddress"] == "192.168.40.11"
    assert sorted(state["targetDirectMigrationNodePorts"].values()) == [0, 49152]
    assert state["migrationNetworkType"] == "pod"
    bed.until("Running", within=1)
    state = bed.state()
    assert state["mode"] == "PreCopy"
    assert "startTimestamp" in state
    assert "endTimestamp" not in state


def test_a_block_migration_listens_for_the_disks_too(bed):
    bed.api.patch(VMI, "default", "vm", {"status": {"migrationMethod": "BlockMigration"}})
    bed.migrate()
    bed.to_running()
    assert sorted(bed.state()["targetDirectMigrationNodePorts"].values()) == [0, 49152, 49153]


def test_success_comes_in_two_parts_with_a_window_between(bed):
    seen = []
    bed.api.listen(VMI, lambda change: seen.append(change.new.obj))
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    bed.clock.advance(2)
    moved = [vmi for vmi in seen if vmi["status"]["nodeName"] == "node-b"]
    assert moved[0]["status"]["migrationState"].get("completed") is None
    assert moved[0]["status"]["migrationState"]["endTimestamp"]
    assert moved[0]["metadata"]["labels"]["kubevirt.io/nodeName"] == "node-b"
    assert moved[0]["status"]["launcherContainerImageVersion"] == ""
    assert moved[0]["status"]["interfaces"][0]["ipAddress"].startswith("10.129.")
    assert "kubevirt.io/migrationTargetNodeName" in moved[0]["metadata"]["labels"]
    last = bed.see()
    assert last["status"]["migrationState"]["completed"] is True
    assert "failed" not in last["status"]["migrationState"]
    assert "kubevirt.io/migrationTargetNodeName" not in last["metadata"]["labels"]
    assert last["metadata"]["uid"] == seen[0]["metadata"]["uid"]


def test_eviction_marks_and_outdated_label_go_with_the_move(bed):
    marks = {
        "metadata": {
            "labels": {"kubevirt.io/outdatedLauncherImage": ""},
            "annotations": {"kubevirt.io/eviction-source": "descheduler"},
        },
        "status": {"evacuationNodeName": "node-a"},
    }
    bed.api.patch(VMI, "default", "vm", marks)
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    vmi = bed.see()
    assert "evacuationNodeName" not in vmi["status"]
    assert "kubevirt.io/eviction-source" not in vmi["metadata"]["annotations"]
    assert "kubevirt.io/outdatedLauncherImage" not in vmi["metadata"]["labels"]


def test_the_guest_is_the_same_on_the_target_with_the_targets_device(bed):
    bed.migrate()
    pod = bed.to_running()
    bed.until("Succeeded")
    domain = bed.domain()
    assert (domain.node, domain.pod_uid) == ("node-b", pod["metadata"]["uid"])
    assert domain.mdevs == (f"mdev-of-{pod['metadata']['name']}",)
    assert domain.running
    assert domain.guest.done == ["resume", "pause", "drop connections", "resume"]


def test_the_finished_migration_keeps_a_copy_of_the_state_and_loses_its_finalizer(bed):
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    bed.clock.advance(1)
    migration = bed.vmim()
    assert migration["status"]["migrationState"] == bed.state()
    assert "finalizers" not in migration["metadata"]


def test_the_target_pod_learns_when_the_guest_was_ready(bed):
    bed.migrate()
    pod = bed.to_running()
    bed.until("Succeeded")
    annotations = bed.api.get(POD, "default", pod["metadata"]["name"])["metadata"]["annotations"]
    ready = annotations["kubevirt.io/migration-target-ready-timestamp"]
    assert ready == bed.state()["targetNodeDomainReadyTimestamp"]
    assert bed.state()["targetNodeDomainDetected"] is True


def test_events_of_a_success(bed):
    bed.migrate()
    pod = bed.to_running()
    bed.until("Succeeded")
    ports = ",".join(bed.state()["targetDirectMigrationNodePorts"])
    assert bed.events("n", "move") == [
        ("Normal", "SuccessfulCreate", f"Created migration target pod {pod['metadata']['name']}"),
        ("Normal", "SuccessfulHandOver", "Migration target pod is ready for preparation by virt-handler."),
        ("Normal", "SuccessfulMigration", "Source node reported migration succeeded"),
    ]
    assert bed.events("e", "vm") == [
        ("Normal", "PreparingTarget", "VirtualMachineInstance Migration Target Prepared."),
        ("Normal", "PreparingTarget", f"Migration Target is listening at 192.168.40.11, on ports: {ports}"),
        ("Normal", "Migrating", "VirtualMachineInstance is migrating."),
        ("Normal", "Migrated", "The VirtualMachineInstance migrated to node node-b."),
    ]
    assert bed.told("VirtualMachineInstance is migrating.")["source"] == {
        "component": "virt-handler",
        "host": "node-a",
    }
    moved = bed.told("The VirtualMachineInstance migrated to node node-b.")
    assert moved["source"] == {"component": "virt-handler", "host": "node-b"}
    done = bed.told("Source node reported migration succeeded")
    assert done["source"] == {"component": "virtualmachine-controller"}


def test_it_succeeds_only_when_nothing_is_left_to_change(bed):
    conditions = [{"type": "LiveMigratable", "status": "True"}, {"type": "HotVCPUChange", "status": "True"}]
    bed.migrate()
    bed.to_running()
    bed.api.patch(VMI, "default", "vm", {"status": {"conditions": conditions}})
    bed.clock.advance(10)
    assert bed.state()["completed"] is True
    assert bed.phase() == "Running"
    bed.api.patch(VMI, "default", "vm", {"status": {"conditions": conditions[:1]}})
    bed.until("Succeeded", within=1)


def test_a_user_paused_guest_stays_paused_and_converges_at_once(bed):
    bed.load = bed.load.slowed(-100)  # it would never converge if it ran
    bed.domains.pause(bed.domain(), "user")
    bed.migrate()
    bed.to_running()
    assert bed.until("Succeeded") < 4
    domain = bed.domain()
    assert domain.node == "node-b"
    assert domain.user_paused
    assert not domain.suspended_for_migration
    assert domain.guest.done[-1] == "pause"


def test_back_and_forth(bed):
    here = bed.api.list(POD, "default")[0]
    for number, target in enumerate(("node-b", "node-a", "node-b")):
        name = f"move-{number}"
        bed.migrate(name=name)
        bed.clock.advance(0.3)
        there = bed.target(name)
        bed.run(there, target)
        bed.until("Succeeded", name=name)
        bed.end(here, "Succeeded")
        bed.clock.advance(1)
        assert bed.see()["status"]["nodeName"] == bed.domain().node == target
        here = there


def test_few_timers_for_a_migration_that_does_not_converge_for_long(bed):
    bed.load = bed.load.slowed(-99)  # 1000 Mi/s, working set 256 Mi: iterations of 0.25 s at 1 Gi/s
    bed.configure(migrations={"bandwidthPerMigration": "512Mi", "completionTimeoutPerGiB": 100})
    bed.migrate()
    bed.to_running()
    calls = 0
    original = bed.clock.call_at

    def counted(*arguments):
        nonlocal calls
        calls += 1
        return original(*arguments)

    bed.clock.call_at = counted
    bed.clock.advance(280)
    assert bed.phase() == "Running"
    assert calls < 80
    assert bed.domain().running
