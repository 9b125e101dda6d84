"""
Many moves in a row

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - Exactly two nodes admitted as targets
    - VM with one vGPU and a process running in its guest
"""

import pytest

pytestmark = pytest.mark.needs(gpu_nodes=2)


@pytest.mark.scenario("VGPU-18", caught_by=("guest_rebooted", "source_device_leaked"))
def test_three_times_back_and_forth(vgpu_vm_with_awd, witness, migrations_of):
    """
    Test that a VM moves back and forth three times and its workload runs through all of it.

    Steps:
        1. Live-migrate the VM to the other node and back, three times
    Expected:
        - Six migrations succeed, the VM alternates between two nodes, and the workload is unbroken
    """
    vm = vgpu_vm_with_awd
    with witness(vm) as seen, seen.noting():
        first, other = vm.node, vm.other_node()
        for target in (other, first) * 3:
            migrations_of(vm).start(to=target).wait_final()
    assert [migration.phase for migration in seen.migrations] == ["Succeeded"] * 6, seen.story()
    visited = list(seen.timeline.nodes(vm.key))
    assert visited == [first, other] * 3 + [first], seen.story()
    assert not seen.continuity.problems, seen.story()
