"""
The taint for drains that older procedures use

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU on a node, and free vGPUs on other nodes
"""

import pytest

from utilities.clients import VMIS
from utilities.drains.cordons import tainted
from utilities.history import dig
from utilities.watching import Watched

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2, vgpus=9)]


@pytest.fixture
def tainted_node(gate_on, admin, vms_on, moves, emptying, node):
    """A VM on a node that is tainted until the VM has left; nobody asks its pod to go."""
    with (
        vms_on(node, "tainted", *moves) as (vm,),
        emptying((vm,)) as seen,
        seen.noting(),
        tainted(admin, node),
    ):
        admin.waits.wait_for(
            Watched(VMIS, vm.namespace, vm.name),
            lambda vmi: vmi is not None and dig(vmi, "status", "nodeName") != node,
            expecting=f"on another node than {node}",
            within=admin.site.timeouts.migration,
        )
    return seen


@pytest.mark.scenario("DRAIN-25", caught_by="drain_taint_ignored")
def test_the_taint_evacuates(tainted_node):
    """
    Test that the taint moves a VM off its node without an eviction.

    Steps:
        1. Taint the node with kubevirt.io/drain, effect NoSchedule
        2. Wait until the VM has left
    Expected:
        - The VM leaves by one migration, as the same instance
    """
    drain = tainted_node
    assert not drain.troubles, drain.story()
    assert [migration.phase for migration in drain.migrations] == ["Succeeded"], drain.story()
    assert {len(route) for route in drain.routes.values()} == {2}, drain.story()
    assert drain.strangers == {}, drain.story()
