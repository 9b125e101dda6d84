"""
A copy that cannot keep up: paused with permission, aborted without

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU whose guest dirties memory faster than the policy's bandwidth can copy it
    - Policy with an acceptable time of 20 s per GB
"""

import pytest

from utilities.history import VMI

pytestmark = pytest.mark.needs(gpu_nodes=2)


@pytest.mark.parametrize(
    "busy_move",
    [
        pytest.param("forbidden", marks=pytest.mark.scenario("VGPU-12", caught_by="awd_ignored")),
        pytest.param("allowed", marks=pytest.mark.scenario("VGPU-13", caught_by="postcopy_for_vfio")),
    ],
    indirect=True,
)
def test_disruption_is_allowed(busy_move):
    """
    Test that a copy that cannot keep up ends in mode Paused when workload disruption is allowed.

    Parametrize:
        - busy_move: [forbidden, allowed]
    Steps:
        1. Live-migrate the VM with workload disruption allowed
    Expected:
        - The mode goes from PreCopy to Paused and never to PostCopy, the migration succeeds, and no pause remains
    """
    move = busy_move
    assert not move.troubles, move.story()
    assert move.migration.modes == ("PreCopy", "Paused"), move.story()
    assert move.migration.phase == "Succeeded", move.story()
    assert move.timeline.conditions(VMI, move.vm.key, "Paused")[-1].value is None, move.story()
    assert not move.continuity.problems, move.story()


@pytest.mark.scenario("VGPU-14", caught_by="awd_without_permission")
def test_disruption_is_forbidden(stubborn_move, acceptable_time):
    """
    [NEGATIVE] Test that the same copy is aborted at the acceptable time when disruption is not allowed.

    Steps:
        1. Live-migrate the VM with workload disruption forbidden
    Expected:
        - The migration fails at the acceptable time without ever leaving PreCopy, nobody asked for the abort,
          and the VM runs on undisturbed on its node
    """
    move = stubborn_move
    assert not move.troubles, move.story()
    assert move.migration.modes == ("PreCopy",), move.story()
    assert move.migration.phase == "Failed", move.story()
    assert move.migration.state.get("failureReason") == "Live migration has been aborted", move.story()
    assert "abortRequested" not in move.migration.state, move.story()
    ran = move.migration.entered("Failed") - move.migration.entered("Running")
    assert acceptable_time <= ran <= acceptable_time + 30, move.story()
    assert move.stayed_untouched, move.story()
