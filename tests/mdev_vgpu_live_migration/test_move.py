"""
One live migration of a VM with one mdev vGPU between two compatible nodes

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - Two nodes with free vGPUs of one type
    - VM with one vGPU that was live-migrated once, with a process running in its guest before, during and after
"""

import pytest

pytestmark = pytest.mark.needs(gpu_nodes=2)


@pytest.mark.scenario("VGPU-05", caught_by="guest_lost_on_target")
def test_vm_runs_on_the_other_node(completed_move):
    """
    Test that the VM runs on the target node after the move, as the same instance.

    Steps:
        1. Live-migrate the VM
    Expected:
        - The migration succeeds, and the same instance is on the source node, then on the target node
    """
    move = completed_move
    assert move.succeeded, move.story()
    visited = list(move.timeline.nodes(move.vm.key))
    assert visited == [move.migration.source_node, move.migration.target_node], move.story()
    assert len(set(visited)) == 2, move.story()
    assert move.timeline.identities(move.vm.key) == (move.vm.uid,), move.story()


@pytest.mark.scenario("VGPU-06", caught_by=("vgpu_lost_on_target", "mdev_not_rewritten"))
def test_vgpu_is_visible_and_is_the_targets(completed_move):
    """
    Test that the guest sees its vGPU after the move, backed by a device of the target node.

    Steps:
        1. Live-migrate the VM
    Expected:
        - The guest shows one vGPU with a live driver, and the mediated device behind it is another one than before
    """
    move = completed_move
    assert move.succeeded, move.story()
    assert move.after is not None, move.story()
    assert move.after.devices == move.before.devices, move.story()
    assert (move.after.devices.controllers, len(move.after.devices.listed)) == (1, 1), move.story()
    assert move.after.mdev, move.story()
    assert move.after.mdev != move.before.mdev, move.story()


@pytest.mark.scenario("VGPU-07", caught_by=("guest_rebooted", "process_restarted"))
def test_process_keeps_its_identity(completed_move):
    """
    Test that a process started before the move keeps its process id and start time, and the guest its boot id.

    Steps:
        1. Live-migrate the VM
    Expected:
        - Process id, process start time and boot id are the same after the move
    """
    move = completed_move
    assert move.succeeded, move.story()
    assert move.after is not None, move.story()
    assert move.after.identity == move.before.identity, move.story()


@pytest.mark.scenario("VGPU-08", caught_by=("heartbeat_stalled", "guest_rebooted"))
def test_heartbeat_is_unbroken(completed_move, site):
    """
    Test that the heartbeat of the guest is unbroken over the move.

    Steps:
        1. Live-migrate the VM
    Expected:
        - No beat is missing, beats go on after the move, and the largest gap stays below the product's switchover limit
    """
    move = completed_move
    assert move.succeeded, move.story()
    assert not move.continuity.problems, move.story()
    assert move.beats_after_end > 0, move.story()
    assert move.continuity.downtime <= site.timeouts.target_domain, move.story()


@pytest.mark.scenario("VGPU-19", caught_by="source_device_leaked")
def test_vgpu_is_held_on_exactly_one_node(completed_move):
    """
    Test that after a successful move the vGPU is in use on exactly one node, the target.

    Steps:
        1. Live-migrate the VM
        2. Wait until the source's launcher has finished
    Expected:
        - The vGPU is held on the source, then on both, then on the target alone
    """
    move = completed_move
    assert move.succeeded, move.story()
    source, target = move.migration.source_node, move.migration.target_node
    held = move.timeline.device_nodes(move.vm.vgpu_resource, vmi=move.vm.uid)
    assert list(held) == [{source: 1}, {source: 1, target: 1}, {target: 1}], move.story()


@pytest.mark.scenario("VGPU-24", caught_by="printable_status_wrong")
def test_status_reads_migrating_in_between(completed_move):
    """
    Test that the VM's status reads running, migrating, running through the move, and nothing else.

    Steps:
        1. Live-migrate the VM
    Expected:
        - The status is Running, then Migrating, then Running
    """
    move = completed_move
    assert move.succeeded, move.story()
    shown = list(move.timeline.statuses(move.vm.key))
    assert shown == ["Running", "Migrating", "Running"], move.story()
