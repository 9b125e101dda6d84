"""No room on any target: the timers of a pending target pod (kubevirt sheet §4.6)."""

import pytest

from unittests.lab_migration.bed import Bed


@pytest.fixture
def bed():
    """A bed with one vGPU VMI on node-a."""
    bed = Bed()
    bed.vmi()
    return bed


def unschedulable(bed, **annotations):
    """A migration whose target pod finds no node; returns the pod."""
    bed.migrate(annotations={f"kubevirt.io/{key}": value for key, value in annotations.items()})
    bed.clock.advance(0.3)
    pod = bed.target()
    bed.refuse(pod)
    bed.clock.advance(0.3)
    return pod


def failed_after(bed):
    """Seconds from the VMIM's creation to Failed."""
    bed.until("Failed", within=1200)
    stamps = {entry["phase"]: entry for entry in bed.vmim()["status"]["phaseTransitionTimestamps"]}
    return int(stamps["Failed"]["phaseTransitionTimestamp"][17:19]) + 60 * int(
        stamps["Failed"]["phaseTransitionTimestamp"][14:16]
    )


def test_an_unschedulable_pod_is_given_up_after_five_minutes(bed):
    pod = unschedulable(bed)
    name = f"default/{pod['metadata']['name']}"
    assert bed.phase() == "Scheduling"
    bed.clock.advance(298)
    assert bed.phase() == "Scheduling"
    assert failed_after(bed) == 300
    bed.clock.advance(1)
    assert bed.target() is None
    assert bed.events("n", "move") == [
        ("Normal", "SuccessfulCreate", f"Created migration target pod {pod['metadata']['name']}"),
        (
            "Warning",
            "migrationTargetPodUnschedulable",
            "Migration target pod for VMI [default/vm] is currently unschedulable.",
        ),
        ("Normal", "SuccessfulDelete", f"unschedulable pod {name} timeout period exceeded"),
        ("Warning", "FailedMigration", "Migration target pod was removed during active migration."),
    ]


def test_the_vmi_is_left_as_it_was(bed):
    before = bed.see()
    unschedulable(bed)
    failed_after(bed)
    bed.clock.advance(5)
    assert bed.see() == before
    assert bed.vmim()["status"]["migrationState"].keys() == {"sourcePod"}
    assert bed.domain().guest.done == ["resume"]


def test_the_timeout_can_be_set_on_the_migration(bed):
    unschedulable(bed, migrationUnschedulablePodTimeoutSeconds="10")
    assert failed_after(bed) == 10


def test_an_unreadable_timeout_is_ignored(bed):
    unschedulable(bed, migrationUnschedulablePodTimeoutSeconds="soon")
    assert failed_after(bed) == 300


def test_a_pod_pending_for_another_reason_gets_fifteen_minutes(bed):
    bed.migrate()
    bed.clock.advance(0.3)
    name = bed.target()["metadata"]["name"]
    bed.clock.advance(899)
    assert bed.phase() == "Scheduling"
    assert failed_after(bed) == 900
    assert ("Normal", "SuccessfulDelete", f"pending pod default/{name} timeout period exceeded") in bed.events()


def test_that_timeout_can_be_set_too(bed):
    bed.migrate(annotations={"kubevirt.io/migrationPendingPodTimeoutSeconds": "30"})
    assert failed_after(bed) == 30


def test_capacity_freed_in_time_lets_the_same_pod_go_on(bed):
    pod = unschedulable(bed)
    bed.clock.advance(200)
    bed.run(pod, "node-b")
    assert bed.until("Succeeded") < 10
    assert bed.target()["metadata"]["uid"] == pod["metadata"]["uid"]


def test_after_a_failure_a_new_migration_may_come(bed):
    unschedulable(bed, migrationUnschedulablePodTimeoutSeconds="5")
    failed_after(bed)
    bed.clock.advance(1)
    bed.migrate(name="again")
    bed.to_running("again")
    bed.until("Succeeded", "again")
