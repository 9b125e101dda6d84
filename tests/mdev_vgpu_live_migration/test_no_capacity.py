"""
No free vGPU anywhere else: the move fails, the VM does not

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU and a process running in its guest
    - No free vGPU of the VM's type on any other node while the first migration is attempted, free ones afterwards
"""

import pytest

from utilities.history import VMI, VMIM

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2)]

REMOVED = "Migration target pod was removed during active migration."
SHUT_DOWN = "Migration failed because target pod shutdown during migration"


@pytest.mark.scenario("VGPU-09", caught_by=("unschedulable_never_times_out", "source_killed_on_failure"))
def test_migration_fails_and_vm_stays(starved_move, site):
    """
    [NEGATIVE] Test that the migration fails within the product's timeout and leaves VM and workload alone.

    Steps:
        1. Live-migrate the VM while no other node has a free vGPU
    Expected:
        - The migration ends Failed when the product's timeout for unschedulable targets has passed, and the VM runs on
          undisturbed on its node
    """
    move = starved_move
    assert not move.troubles, move.story()
    assert move.migration.phase == "Failed", move.story()
    waited = move.migration.entered("Failed") - move.migration.entered("Scheduling")
    promised = site.timeouts.unschedulable_target
    assert promised - 5 <= waited <= promised + 60, move.story()
    assert move.timeline.statuses(move.vm.key) == ("Running",), move.story()
    assert move.stayed_untouched, move.story()


@pytest.mark.scenario("VGPU-10", caught_by="failure_unreported")
def test_failure_is_visible(starved_move):
    """
    [NEGATIVE] Test that the failed migration says what went wrong.

    Steps:
        1. Live-migrate the VM while no other node has a free vGPU
    Expected:
        - The migration reads Failed, and its events say that the target could not be scheduled and that it failed
    """
    move = starved_move
    assert not move.troubles, move.story()
    said = {(event.type, event.reason) for event in move.timeline.events(move.migration.uid, kind=VMIM)}
    assert move.migration.phase == "Failed", move.story()
    assert ("Warning", "migrationTargetPodUnschedulable") in said, move.story()
    failures = move.timeline.events(move.migration.uid, kind=VMIM, reason="FailedMigration", of_type="Warning")
    assert failures, move.story()
    assert {event.message for event in failures} <= {REMOVED, SHUT_DOWN}, move.story()


@pytest.mark.scenario("VGPU-20", caught_by="target_pod_leaked")
def test_no_vgpu_is_lost(starved_move):
    """
    [NEGATIVE] Test that a failed migration holds no vGPU anywhere but on the VM's own node.

    Steps:
        1. Live-migrate the VM while no other node has a free vGPU
    Expected:
        - The vGPU is held on the VM's node alone, all the time, and no target pod is left
    """
    move = starved_move
    assert not move.troubles, move.story()
    held = move.timeline.device_nodes(move.vm.vgpu_resource, vmi=move.vm.uid)
    assert list(held) == [{move.migration.source_node: 1}], move.story()
    assert move.launchers_left == 1, move.story()


@pytest.mark.scenario("VGPU-23", caught_by="failure_event_missing")
def test_events_of_a_failure(failed_move):
    """
    [NEGATIVE] Test that a migration that fails in the middle is reported on the VM and on the migration.

    Preconditions:
        - Source told to fail the next migration of the VM
    Steps:
        1. Live-migrate the VM
    Expected:
        - A warning on the migration says that it failed, and one on the VM gives the reason
    """
    move = failed_move
    assert not move.troubles, move.story()
    assert move.migration.phase == "Failed", move.story()
    on_migration = move.timeline.events(move.migration.uid, kind=VMIM, reason="FailedMigration", of_type="Warning")
    assert {event.message for event in on_migration} <= {"source node reported migration failed", SHUT_DOWN}
    assert on_migration, move.story()
    on_vmi = move.timeline.events(move.vm.uid, kind=VMI, reason="Migrated", of_type="Warning")
    expected = f"VirtualMachineInstance migration uid {move.migration.uid} failed. reason:"
    assert [event.message.startswith(expected) for event in on_vmi] == [True], move.story()


@pytest.mark.scenario("VGPU-11", caught_by="capacity_never_returns")
def test_freed_capacity_is_used(starved_move, retried_move):
    """
    Test that a new migration of the same VM succeeds once capacity is free again.

    Steps:
        1. Free the vGPUs of the other nodes
        2. Live-migrate the VM again
    Expected:
        - The first migration failed before, the second one succeeds, and the first one still reads Failed
    """
    assert not starved_move.troubles, starved_move.story()
    assert starved_move.migration.phase == "Failed", starved_move.story()
    move = retried_move
    assert [migration.phase for migration in move.migrations] == ["Failed", "Succeeded"], move.story()
    assert not move.continuity.problems, move.story()
