"""
Which migration policy counts, and when

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU
"""

import pytest

from utilities.history import dig

pytestmark = pytest.mark.needs(gpu_nodes=2)


def changed(before, after):
    """The settings that are not what they were."""
    return {name: value for name, value in after.items() if value != before.get(name)}


@pytest.mark.scenario("VGPU-15", caught_by="policy_ignored")
def test_best_match_is_recorded(running_vgpu_vm, policies, witness, migrations_of):
    """
    Test that of several matching policies the one with the most matching labels is recorded and effective.

    Preconditions:
        - Policy that matches the VM by one label, and one that matches it by two
    Steps:
        1. Live-migrate the VM
    Expected:
        - The migration names the policy with two labels, and its configuration holds that policy's values
    """
    vm = running_vgpu_vm
    broad = policies.matching({"app": vm.name}, bandwidthPerMigration="512Mi", completionTimeoutPerGiB=111)
    both = {"app": vm.name, "vm.kubevirt.io/name": vm.name}
    narrow = policies.matching(both, bandwidthPerMigration="256Mi", completionTimeoutPerGiB=222)
    with broad, narrow as best, witness(vm) as seen, seen.noting():
        migrations_of(vm).start().wait_final()
    assert seen.succeeded, seen.story()
    assert seen.migration.state.get("migrationPolicyName") == best, seen.story()
    effective = seen.migration.state["migrationConfiguration"]
    shown = (effective["bandwidthPerMigration"], effective["completionTimeoutPerGiB"])
    assert shown == ("256Mi", 222), seen.story()


@pytest.mark.scenario("VGPU-16", caught_by="policy_live_reload")
def test_change_does_not_touch_a_running_migration(running_vgpu_vm, policies, crawling, witness, migrations_of, pause):
    """
    Test that a policy changed during a running migration does not touch that migration.

    Preconditions:
        - Policy whose bandwidth is so low that the migration cannot end by itself
    Steps:
        1. Live-migrate the VM
        2. Change the policy while the migration runs
        3. Abort the migration
    Expected:
        - The recorded configuration is the same before and after the change
    """
    vm = running_vgpu_vm
    with crawling(vm) as policy, witness(vm) as seen, seen.noting():
        migration = migrations_of(vm).start()
        migration.wait_phase("Running")
        policies.change(policy, bandwidthPerMigration="1Gi", allowWorkloadDisruption=True, completionTimeoutPerGiB=1)
        pause(60)
        migration.abort()
    recorded = seen.values_of(lambda vmi: dig(vmi, "status", "migrationState", "migrationConfiguration"))
    assert recorded, seen.story()
    assert [changed(recorded[0], later) for later in recorded[1:]] == [], seen.story()
    assert seen.migration.modes == ("PreCopy",), seen.story()
    assert seen.migration.state.get("abortRequested") is True, seen.story()
