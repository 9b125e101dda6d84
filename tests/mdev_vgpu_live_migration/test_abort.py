"""
The user changes his mind

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU and a process running in its guest
    - Migration of the VM that is held in one phase: waiting for its turn, for a node, for the target, or copying
"""

import pytest

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2)]


@pytest.mark.scenario("VGPU-17", caught_by="abort_ignored")
def test_vm_stays_where_it_is(aborted_move, held_phase):
    """
    Test that deleting a migration ends it and leaves the VM running on its node.

    Steps:
        1. Delete the migration while it is in the phase
        2. Wait until it is gone
    Expected:
        - The migration was in that phase, never succeeded, and the VM runs on undisturbed on its node
    """
    move = aborted_move
    assert not move.troubles, move.story()
    assert held_phase in move.migration.phase_names, move.story()
    assert "Succeeded" not in move.migration.phase_names, move.story()
    assert move.stayed_untouched, move.story()


@pytest.mark.scenario("VGPU-21", caught_by="target_pod_leaked")
def test_no_vgpu_is_lost(aborted_move):
    """
    Test that after an abort the vGPU is in use on exactly one node, the VM's own.

    Steps:
        1. Delete the migration while it is in the phase
        2. Wait until its target has finished
    Expected:
        - The vGPU ends up held on the VM's node alone, and no target pod is left
    """
    move = aborted_move
    assert not move.troubles, move.story()
    held = move.timeline.device_nodes(move.vm.vgpu_resource, vmi=move.vm.uid)
    assert held[-1] == {move.node_before: 1}, move.story()
    assert move.launchers_left == 1, move.story()
