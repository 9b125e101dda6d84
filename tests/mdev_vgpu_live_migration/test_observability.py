"""
What the cluster tells about a move

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU that was live-migrated once
"""

import pytest

from utilities.history import VMI, VMIM

pytestmark = pytest.mark.needs(gpu_nodes=2)


@pytest.mark.scenario("VGPU-22", caught_by="success_event_missing")
def test_events_of_a_success(completed_move):
    """
    Test that a successful move is reported on the VM and on the migration.

    Steps:
        1. Live-migrate the VM
    Expected:
        - The migration's events tell of target creation, hand-over and success, the VM's of preparation, start and end,
          each once, and none warns
    """
    move = completed_move
    assert move.succeeded, move.story()
    on_migration = move.timeline.events(move.migration.uid, kind=VMIM)
    assert [(event.type, event.reason, event.count) for event in on_migration] == [
        ("Normal", "SuccessfulCreate", 1),
        ("Normal", "SuccessfulHandOver", 1),
        ("Normal", "SuccessfulMigration", 1),
    ], move.story()
    assert on_migration[-1].message == "Source node reported migration succeeded", move.story()
    on_vmi = move.timeline.events(move.vm.uid, kind=VMI)
    assert "Warning" not in {event.type for event in on_vmi}, move.story()
    said = [event.message for event in on_vmi if event.reason in ("PreparingTarget", "Migrating", "Migrated")]
    assert "VirtualMachineInstance Migration Target Prepared." in said, move.story()
    assert "VirtualMachineInstance is migrating." in said, move.story()
    assert f"The VirtualMachineInstance migrated to node {move.migration.target_node}." in said, move.story()
