"""The user deletes the VMIM, in each phase (kubevirt sheet §4.8)."""

import pytest

from lab.controllers.decisions import Faults, Row, hold
from lab.kubevirt.kinds import POLICY, VMI, VMIM
from unittests.lab_migration.bed import Bed

SLOW = {"bandwidthPerMigration": "64Mi"}  # 32 s for 2 GiB


@pytest.fixture
def bed():
    """A bed whose migrations take half a minute, with one vGPU VMI on node-a."""
    bed = Bed(migrations=SLOW)
    bed.vmi()
    return bed


def last_states(bed):
    """Every state of the VMIM from now on; it is gone when the test looks."""
    seen = []
    bed.api.listen(VMIM, lambda change: seen.append(change.new.obj))
    return seen


def assert_untouched(bed, before):
    """The VMI is as it was, the guest never stood still."""
    assert bed.see() == before
    assert bed.domain().guest.done == ["resume"]


def test_before_the_controller_saw_it(bed):
    before = bed.see()
    bed.migrate()
    bed.delete()
    bed.clock.advance(1)
    assert bed.gone()
    assert_untouched(bed, before)


@pytest.mark.parametrize("phase", ["Scheduling", "Scheduled"])
def test_before_the_hand_off(bed, phase):
    before = bed.see()
    seen = last_states(bed)
    bed.migrate()
    bed.clock.advance(0.3)
    pod = bed.target()
    if phase == "Scheduled":
        bed.run(pod, "node-b")
        bed.until("Scheduled", within=1)
    bed.delete()
    bed.clock.advance(1)
    assert bed.gone()
    last = seen[-1]["status"]
    assert last["phase"] == "Failed"
    assert [c["type"] for c in last["conditions"]] == ["migrationAbortRequested"]
    assert_untouched(bed, before)
    name = f"default/{pod['metadata']['name']}"
    told = bed.events("n", "move")
    assert ("Normal", "SuccessfulDelete", f"migration canceled and pod {name} is deleted") in told
    assert ("Warning", "FailedMigration", "Migration failed due to being canceled") in told
    assert bed.state() == {}


def test_while_held_back_by_a_limit(bed):
    bed.configure(migrations={"parallelMigrationsPerCluster": 0})
    before = bed.see()
    bed.migrate()
    bed.clock.advance(3)
    assert bed.phase() == "Pending"
    assert bed.target() is None
    bed.delete()
    bed.clock.advance(1)
    assert bed.gone()
    assert_untouched(bed, before)


def test_while_the_target_is_prepared_it_waits_until_running(bed):
    seen = last_states(bed)
    bed.migrate()
    bed.to_scheduled()
    bed.until("PreparingTarget", within=1)
    bed.delete()
    bed.clock.advance(0.3)
    assert bed.phase() == "PreparingTarget"
    assert [c["type"] for c in bed.vmim()["status"]["conditions"]] == ["migrationAbortRequested"]
    bed.clock.advance(6)
    assert bed.gone()
    assert "Running" in [obj["status"].get("phase") for obj in seen if "status" in obj]
    state = bed.state()
    assert (state["abortRequested"], state["abortStatus"]) == (True, "Succeeded")
    assert bed.domain().running


def test_a_target_that_is_never_ready_keeps_it_until_its_pod_dies(bed):
    bed.annotate(func_test_block_migration_target_preparation="")
    bed.migrate()
    pod = bed.to_scheduled()
    bed.until("PreparingTarget", within=1)
    bed.delete()
    bed.clock.advance(100)
    assert bed.phase() == "PreparingTarget"
    bed.end(pod)
    bed.clock.advance(1)
    assert bed.gone()
    assert bed.state()["failureReason"] == "Target pod is down"


def test_while_running(bed):
    seen = last_states(bed)
    bed.migrate()
    pod = bed.to_running()
    bed.clock.advance(5)
    bed.delete()
    bed.clock.advance(3)
    assert bed.gone()
    assert seen[-1]["status"]["phase"] == "Failed"
    state = bed.state()
    assert (state["abortRequested"], state["abortStatus"]) == (True, "Succeeded")
    assert (state["failed"], state["completed"]) == (True, True)
    assert state["failureReason"] == "Live migration has been aborted"
    assert state["endTimestamp"]
    vmi = bed.see()
    assert vmi["status"]["nodeName"] == "node-a"
    assert vmi["status"]["phase"] == "Running"
    assert bed.domain().running
    assert bed.domain().guest.done == ["resume", "resume"]
    assert bed.processes.get(pod["metadata"]["uid"]).signalled
    assert ("Normal", "SuccessfulAbortMigration", "Migration is ready to be canceled by virt-handler.") in bed.events()
    assert ("Normal", "Migrating", "VirtualMachineInstance is aborting migration.") in bed.events("e", "vm")
    assert ("Warning", "FailedMigration", "source node reported migration failed") in bed.events("n", "move")


def test_abort_status_is_aborting_in_between(bed):
    states = []
    bed.migrate()
    bed.to_running()
    bed.api.listen(VMI, lambda change: states.append(change.new.obj["status"]["migrationState"].get("abortStatus")))
    bed.delete()
    bed.clock.advance(3)
    assert [status for index, status in enumerate(states) if index == 0 or states[index - 1] != status] == [
        None,
        "Aborting",
        "Succeeded",
    ]


def test_during_the_switch_the_guest_goes_on_at_the_source(bed):
    bed.configure(migrations={**SLOW, "completionTimeoutPerGiB": 5, "allowWorkloadDisruption": True})
    bed.load = bed.load.slowed(-5)  # 60 Mi/s, hardly less than the line takes away
    bed.migrate()
    bed.to_running()
    bed.clock.advance(17)
    assert bed.state()["mode"] == "Paused"
    assert not bed.domain().running
    bed.delete()
    bed.clock.advance(2)
    assert bed.gone()
    assert bed.domain().running
    assert bed.domain().node == "node-a"


def test_an_abort_that_has_no_effect_within_half_a_minute_has_failed():
    faults = Faults({"migration-abort": (Row("nobody listens", lambda _: True, hold),)})
    bed = Bed(faults, migrations={"bandwidthPerMigration": "16Mi", "completionTimeoutPerGiB": 0})
    bed.vmi()
    bed.migrate()
    bed.to_running()
    bed.delete()
    bed.clock.advance(29)
    assert bed.state()["abortStatus"] == "Aborting"
    statuses = []
    bed.api.listen(VMI, lambda change: statuses.append(change.new.obj["status"]["migrationState"].get("abortStatus")))
    bed.clock.advance(2)
    assert "Failed" in statuses
    assert bed.phase() == "Running"


def test_post_copy_cannot_be_aborted():
    migrations = {**SLOW, "completionTimeoutPerGiB": 5, "allowPostCopy": True}
    bed = Bed(migrations=migrations)
    bed.vmi(gpus=0)
    bed.migrate()
    bed.to_running()
    bed.clock.advance(17)
    assert bed.state()["mode"] == "PostCopy"
    bed.delete()
    bed.clock.advance(30)
    assert bed.gone()
    assert bed.see()["status"]["nodeName"] == "node-b"
    assert bed.state()["completed"] is True
    assert "failed" not in bed.state()
    assert bed.api.list(POLICY) == []
