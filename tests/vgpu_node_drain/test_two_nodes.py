"""
Two nodes with vGPU VMs drained at once

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - At most two migrations out of a node and three in the cluster at once
    - Four VMs with one vGPU each on either of two nodes, and free vGPUs for all on a third one
"""

import pytest

from utilities.drains.drain import finish_all

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=3, vgpus=16)]


@pytest.fixture(scope="module")
def double_drain(gate_on, limits, vms_on, moves, emptying, gpu_nodes):
    """Two nodes drained at once where three may move in the cluster."""
    first, second = gpu_nodes[:2]
    with (
        limits(node=2, cluster=3),
        vms_on(first, "first", *moves, count=4) as some,
        vms_on(second, "second", *moves, count=4) as others,
        emptying((*some, *others), first, second) as seen,
        seen.noting(),
    ):
        finish_all(seen.drains)
    return seen


@pytest.mark.scenario("DRAIN-03", caught_by=("cluster_limit_ignored", "limits_ignored_while_scheduling"))
def test_never_more_move_than_the_cluster_allows(double_drain):
    """
    Test that two drains together never have more migrations in flight than the cluster allows.

    Steps:
        1. Drain both nodes at once until they are empty
    Expected:
        - At most three migrations are in flight at any moment
    """
    moving = double_drain.in_flight
    assert len(moving) > 3, double_drain.story()
    verdict = moving.judge(3)
    assert not verdict.exceeded, verdict


@pytest.mark.scenario("DRAIN-04", caught_by="drain_serialised")
def test_both_nodes_are_emptied_as_fast_as_the_cluster_allows(double_drain):
    """
    Test that two drains together use what the cluster allows, and empty both nodes.

    Steps:
        1. Drain both nodes at once until they are empty
    Expected:
        - Three migrations are in flight at some moment, and every VM moves once, to a node that is not drained
    """
    drain = double_drain
    assert not drain.troubles, drain.story()
    assert drain.in_flight.reached(3), drain.in_flight.story()
    outcomes = {vm.key: [migration.phase for migration in drain.of(vm)] for vm in drain.vms}
    assert outcomes == {key: ["Succeeded"] for key in drain.keys}, drain.story()
    assert {route[-1] for route in drain.routes.values()}.isdisjoint(drain.nodes), drain.story()
