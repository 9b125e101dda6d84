"""Why a migration failed, each cause with its text and what becomes of the VMI (kubevirt sheet §4.5, §4.7)."""

import pytest

from lab.apiserver.builtin.kinds import POD
from lab.apiserver.options import DeleteOptions
from lab.kubevirt.kinds import VMI, VMIM
from unittests.lab_migration.bed import MI, Bed

SLOW = {"bandwidthPerMigration": "64Mi"}  # 32 s for 2 GiB


@pytest.fixture
def bed():
    """A bed whose migrations take half a minute, with one vGPU VMI on node-a."""
    bed = Bed(migrations=SLOW)
    bed.vmi()
    return bed


def failure(bed, name="move"):
    """The FailedMigration texts on the VMIM, which must be Failed."""
    assert bed.phase(name) == "Failed"
    return [message for kind, reason, message in bed.events("n", name) if reason == "FailedMigration"]


def test_the_vmi_is_gone(bed):
    bed.migrate()
    bed.clock.advance(0.5)
    statuses = []
    bed.api.listen(VMIM, lambda change: statuses.append(change.new.obj["status"]["phase"]))
    bed.api.delete(VMI, "default", "vm")
    bed.clock.advance(1)
    assert bed.gone()
    assert "Failed" in statuses
    assert ("Warning", "FailedMigration", "Migration failed because vmi does not exist.") in bed.events("n", "move")


def test_finished_migrations_go_with_the_vmi_as_they_are(bed):
    bed.migrate()
    bed.to_running()
    bed.until("Succeeded")
    bed.api.delete(VMI, "default", "vm")
    bed.clock.advance(1)
    assert bed.gone()
    assert all(reason != "FailedMigration" for _, reason, _ in bed.events())


def test_the_vmi_has_ended(bed):
    bed.migrate()
    bed.to_running()
    bed.api.patch(VMI, "default", "vm", {"status": {"phase": "Succeeded"}})
    bed.clock.advance(1)
    assert failure(bed) == ["Migration failed vmi shutdown during migration."]


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
def test_the_target_pod_ends_before_the_hand_off(bed, phase):
    bed.migrate()
    bed.clock.advance(0.3)
    bed.end(bed.target(), phase)
    bed.clock.advance(1)
    assert failure(bed) == ["Migration failed because target pod shutdown during migration"]
    assert bed.state() == {}


def test_the_target_pod_ends_before_the_start(bed):
    bed.annotate(func_test_block_migration_target_preparation="")
    bed.migrate()
    pod = bed.to_scheduled()
    bed.until("PreparingTarget")
    bed.end(pod)
    bed.clock.advance(1)
    assert failure(bed) == ["Migration failed because target pod shutdown during migration"]
    state = bed.state()
    assert state["failed"] is state["completed"] is True
    assert state["failureReason"] == "Target pod is down"
    assert state["startTimestamp"]
    assert state["endTimestamp"]
    uid = bed.vmim()["metadata"]["uid"]
    text = f"VirtualMachineInstance migration uid {uid} failed. reason: Target pod is down"
    assert ("Warning", "FailedMigration", text) in bed.events("e", "vm")
    assert "kubevirt.io/migrationTargetNodeName" not in bed.see()["metadata"]["labels"]


def test_the_target_pod_ends_while_running(bed):
    bed.migrate()
    pod = bed.to_running()
    bed.end(pod)
    bed.clock.advance(2)
    assert failure(bed) in (
        ["Migration failed because target pod shutdown during migration"],
        ["source node reported migration failed"],
    )
    assert bed.state()["failed"] is True
    assert bed.domain().running
    assert bed.domain().node == "node-a"
    assert bed.see()["status"]["nodeName"] == "node-a"


def test_the_target_pod_is_removed(bed):
    bed.migrate()
    bed.clock.advance(0.3)
    bed.api.delete(POD, "default", bed.target()["metadata"]["name"], options=DeleteOptions(grace_period=0))
    bed.clock.advance(1)
    assert failure(bed) == ["Migration target pod was removed during active migration."]


def test_the_state_is_cleared(bed):
    bed.migrate()
    bed.to_running()
    bed.api.patch(VMI, "default", "vm", {"status": {"migrationState": None}})
    bed.clock.advance(1)
    assert failure(bed) == ["VMI's migration state was cleared during the active migration."]


def test_the_state_is_taken_over(bed):
    bed.migrate()
    bed.to_running()
    bed.api.patch(VMI, "default", "vm", {"status": {"migrationState": {"migrationUid": "other"}}})
    bed.clock.advance(1)
    text = "VMI's migration state was taken over by another migration job during active migration."
    assert failure(bed) == [text]


def test_the_source_failed(bed):
    bed.annotate(func_test_force_launcher_migration_failure="")
    bed.migrate()
    pod = bed.to_scheduled()
    bed.until("Failed", within=8)
    bed.clock.advance(1)
    assert failure(bed) == ["source node reported migration failed"]
    state = bed.state()
    assert state["failed"] is state["completed"] is True
    assert state["failureReason"] == "Failed migration to satisfy functional test condition"
    assert "abortStatus" not in state
    uid = bed.vmim()["metadata"]["uid"]
    text = f"VirtualMachineInstance migration uid {uid} failed. reason:{state['failureReason']}"
    assert ("Warning", "Migrated", text) in bed.events("e", "vm")
    assert bed.told(text)["source"] == {"component": "virt-handler", "host": "node-a"}
    assert bed.processes.get(pod["metadata"]["uid"]).signalled
    assert bed.see()["status"]["nodeName"] == "node-a"
    assert bed.vmim()["status"]["migrationState"] == state


def test_another_migration_already_owns_the_vmi(bed):
    bed.migrate()
    bed.to_running()
    spec = {"vmiName": "vm"}
    labels = {"kubevirt.io/vmi-name": "vm"}
    rival = {"metadata": {"name": "rival", "namespace": "default", "labels": labels, "uid": "u2"}, "spec": spec}
    stamp = {"creationTimestamp": bed.clock.stamp()}
    stored = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceMigration", **rival}
    stored["metadata"] |= stamp
    bed.api.store.put(VMIM.key, stored)  # past admission, as if two had been created at once
    bed.clock.advance(1)
    assert failure(bed, "rival") == ["VMI is not eligible for migration because another migration job is in progress."]
    assert bed.phase() == "Running"


def test_a_later_migration_leaves_an_older_one_alone(bed):
    bed.annotate(func_test_force_launcher_migration_failure="")
    bed.migrate(name="first")
    pod = bed.to_scheduled("first")
    bed.until("Failed", "first")
    bed.clock.advance(1)
    before = bed.vmim("first")
    bed.end(pod)
    bed.annotate(func_test_force_launcher_migration_failure=None)
    bed.migrate(name="second")
    bed.to_running("second")
    bed.until("Succeeded", "second")
    assert bed.vmim("first") == before
    assert "failureReason" not in bed.state()


def test_utility_volumes_hold_a_migration_back_until_their_time_is_up(bed):
    bed.api.patch(VMI, "default", "vm", {"spec": {"utilityVolumes": [{"name": "tools"}]}})
    bed.migrate(annotations={"kubevirt.io/migrationUtilityVolumesTimeoutSeconds": "20"})
    bed.clock.advance(2)
    assert bed.phase() == "Pending"
    assert bed.target() is None
    conditions = bed.vmim()["status"]["conditions"]
    assert [(c["type"], c["reason"]) for c in conditions] == [
        ("migrationBlockedByUtilityVolumes", "UtilityVolumesPresent")
    ]
    bed.clock.advance(19)
    assert failure(bed) == [
        "Migration timeout waiting for utility volumes to detach from VMI [default/vm]. "
        "Utility volumes still present after 20 seconds."
    ]


def test_detached_utility_volumes_let_it_go_on(bed):
    bed.api.patch(VMI, "default", "vm", {"spec": {"utilityVolumes": [{"name": "tools"}]}})
    bed.migrate()
    bed.clock.advance(2)
    bed.api.patch(VMI, "default", "vm", {"spec": {"utilityVolumes": None}})
    bed.clock.advance(1)
    assert bed.phase() == "Scheduling"
    assert not bed.vmim()["status"].get("conditions")


def test_a_pod_that_cannot_be_created_is_tried_again(bed):
    def refuse(review):
        if review.obj["metadata"].get("labels", {}).get("kubevirt.io/migrationJobUID"):
            from lab.apiserver.errors import forbidden

            raise forbidden(POD, "x", "exceeded quota: gpus")

    bed.api.admission.validate_with(POD.key, ("CREATE",), refuse)
    bed.migrate()
    bed.clock.advance(12)
    assert bed.phase() == "Pending"
    assert [c["type"] for c in bed.vmim()["status"]["conditions"]] == ["migrationRejectedByResourceQuota"]
    kind, reason, message = bed.events("e", "vm")[0]
    assert (kind, reason) == ("Warning", "FailedCreate")
    assert message.startswith("Error creating pod: ")


def test_a_device_that_is_no_longer_permitted_cannot_be_rendered(bed):
    bed.configure(permittedHostDevices=None)
    bed.migrate()
    bed.clock.advance(1)
    assert bed.phase() == "Pending"
    assert bed.events("e", "vm") == [
        (
            "Warning",
            "FailedCreate",
            "failed to render launch manifest: GPU nvidia.com/GRID_T4_2Q is not permitted in permittedHostDevices "
            "configuration",
        )
    ]


def test_a_guest_that_vanishes_on_arrival_is_reported_after_a_minute(bed):
    bed.migrate()
    bed.to_running()

    def crash(domain):
        if domain.node == "node-b":
            bed.clock.call_later(0, bed.domains.end, domain, "crashed")

    bed.domains.listen(crash)
    bed.clock.advance(60)
    assert bed.phase() == "Running"
    bed.clock.advance(60)
    text = (
        "The VirtualMachineInstance's domain was never observed on the target after the migration completed within "
        "the timeout period."
    )
    assert ("Warning", "Migrated", text) in bed.events("e", "vm")
    assert bed.see()["status"]["phase"] == "Failed"
    assert bed.phase() == "Failed"


def test_gate_off_at_rendering_leaves_the_source_device_in_the_guest(bed):
    bed.configure(developerConfiguration={"featureGates": []})
    bed.migrate()  # the condition is stale and still says yes
    bed.to_scheduled()
    bed.until("Failed", within=8)
    assert bed.state()["failureReason"] == "device not found: mediated device 'source-mdev-0' not found"
    assert bed.domain().running


def test_what_the_lab_does_not_simulate_fails_and_says_so():
    bed = Bed(developerConfiguration={"featureGates": ["VGPULiveMigration", "MigrationStallDetection"]})
    bed.vmi()
    bed.migrate()
    bed.to_scheduled()
    bed.until("Failed", within=8)
    assert bed.state()["failureReason"] == "the lab does not simulate MigrationStallDetection"
    assert bed.load.rate == 10 * MI
