"""
The operator leaves the hook gate disabled

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate of vGPU live migration enabled alone: the gate of the target's hook server stays disabled
    - VM with one vGPU and a process running in its guest
"""

import pytest

from utilities.history import VMI, Condition

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2)]

MISSING = "vGPU live migration requires LibvirtHooksServerAndClient feature gate for vmi"


@pytest.mark.scenario("VGPU-25", caught_by="hook_gate_unreported")
def test_missing_hook_gate_is_reported(move_without_hook_gate, site):
    """
    [NEGATIVE] Test that a migration without the hook gate never starts, and that the reason is shown in time.

    Steps:
        1. Live-migrate the VM
        2. Wait for the warning on the VM
        3. Abort the migration
    Expected:
        - The VM is live-migratable, the target is never ready, a warning names the missing gate within the time a
          preparation may take, and the VM runs on undisturbed on its node
    """
    move = move_without_hook_gate
    assert not move.troubles, move.story()
    assert move.timeline.conditions(VMI, move.vm.key, "LiveMigratable")[0].value == Condition("True", "", "")
    assert "PreparingTarget" in move.migration.phase_names, move.story()
    assert not {"TargetReady", "Running", "Succeeded"} & set(move.migration.phase_names), move.story()
    said = move.timeline.events(move.vm.uid, kind=VMI, of_type="Warning")
    warnings = [event for event in said if MISSING in event.message]
    assert warnings, move.story()
    assert warnings[0].first - move.migration.entered("PreparingTarget") <= site.timeouts.target_prepared, move.story()
    assert move.stayed_untouched, move.story()
