"""
Drain of a node with more vGPU VMs than may leave it at once

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - At most two migrations out of a node and five in the cluster at once
    - Eight VMs with one vGPU each on one node, a process running in each guest, and free vGPUs for all on other nodes
"""

import pytest

from utilities.history import VMI, dig

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2, vgpus=16)]

REFUSED = 'admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: '


@pytest.fixture(scope="module")
def paced_drain(gate_on, limits, vms_on, moves, emptying, node):
    """A drain of eight VMs where two may leave the node at once."""
    with (
        limits(node=2, cluster=5),
        vms_on(node, "paced", *moves, count=8, with_guest=True) as vms,
        emptying(vms, node, guests=len(vms)) as seen,
        seen.noting(),
    ):
        seen.drain.finish()
    return seen


@pytest.mark.scenario("DRAIN-01", caught_by=("outbound_limit_race", "limits_ignored_while_scheduling"))
def test_never_more_leave_than_the_node_allows(paced_drain, node):
    """
    Test that a drain never has more migrations in flight than may leave the node at once.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - At most two migrations out of the node are in flight at any moment
    """
    leaving = paced_drain.in_flight.out_of(node)
    assert len(leaving) > 2, paced_drain.story()
    verdict = leaving.judge(2)
    assert not verdict.exceeded, verdict


@pytest.mark.scenario("DRAIN-02", caught_by="drain_serialised")
def test_as_many_leave_as_the_node_allows(paced_drain, node):
    """
    Test that a drain uses what the node allows.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - Two migrations out of the node are in flight at some moment
    """
    leaving = paced_drain.in_flight.out_of(node)
    assert leaving.reached(2), leaving.story()


@pytest.mark.scenario("DRAIN-05", caught_by="evacuated_twice")
def test_everybody_moves_once(paced_drain, node):
    """
    Test that every VM leaves the node by one migration, and is not moved again.

    Steps:
        1. Drain the node until it is empty, and wait until nothing moves any more
    Expected:
        - Of every VM there is one migration, which succeeded, and the VM was on the node and then on one other node
    """
    drain = paced_drain
    outcomes = {vm.key: [migration.phase for migration in drain.of(vm)] for vm in drain.vms}
    assert outcomes == {key: ["Succeeded"] for key in drain.keys}, drain.story()
    assert {route[0] for route in drain.routes.values()} == {node}, drain.story()
    assert {len(route) for route in drain.routes.values()} == {2}, drain.story()


@pytest.mark.scenario("DRAIN-06", caught_by="killed_by_eviction")
def test_nobody_is_stopped(paced_drain):
    """
    Test that no VM is stopped, restarted or killed.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - Every VM is the same instance all the time, in phase Running, and reads Running or Migrating
    """
    drain = paced_drain
    assert drain.strangers == {}, drain.story()
    for key in drain.keys:
        phases = drain.timeline.steps(VMI, key, lambda vmi: dig(vmi, "status", "phase"))
        assert {step.value for step in phases} == {"Running"}, drain.story()
        assert set(drain.timeline.statuses(key)) == {"Running", "Migrating"}, drain.story()


@pytest.mark.scenario("DRAIN-07", caught_by=("guest_rebooted", "process_restarted"))
def test_every_guest_goes_on(paced_drain, site):
    """
    Test that the process in every guest goes on over the drain.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - In every guest process id, start time and boot id are unchanged, no beat is missing, beats go on afterwards,
          and the largest gap stays below the product's switchover limit
    """
    drain = paced_drain
    assert not drain.troubles, drain.story()
    assert len(drain.guests) == len(drain.vms), drain.story()
    for seen in drain.guests:
        assert not seen.continuity.problems, drain.story()
        assert seen.beats_after_end > 0, drain.story()
        assert seen.continuity.downtime <= site.timeouts.target_domain, drain.story()


@pytest.mark.scenario("DRAIN-08", caught_by=("vgpu_lost_on_target", "source_device_leaked"))
def test_vgpus_move_along(paced_drain, node, site):
    """
    Test that every guest sees its vGPU after the drain, and that the node has got all of them back.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - Every guest shows the vGPU it had, each VM holds one on its new node alone, and none is held on the old node
    """
    drain, resource = paced_drain, site.gpu.profile.resource
    for seen in drain.guests:
        assert seen.after is not None, drain.story()
        assert seen.after.devices == seen.before.devices, drain.story()
        held = drain.timeline.device_nodes(resource, vmi=seen.vm.uid)
        assert list(held[-1].values()) == [1], drain.story()
    assert drain.timeline.devices_in_use(resource).get(node, 0) == 0, drain.story()


@pytest.mark.scenario("DRAIN-09", caught_by="source_device_leaked")
def test_it_says_why_it_waits_and_ends(paced_drain):
    """
    [NEGATIVE] Test that evictions are answered with the reason to wait until the VM has left, and the drain ends.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - Every VM's eviction is first refused because an evacuation was triggered, then with no other words than that
          it is in progress, granted in the end, and no pod is left
    """
    drain = paced_drain
    assert not drain.troubles, drain.story()
    assert drain.drain.left == (), drain.story()
    for key in drain.keys:
        triggered = f'Eviction triggered evacuation of VMI "{key}"'
        said = [refusal.removeprefix(REFUSED) for refusal in drain.drain.refusals(key)]
        assert said[:1] == [triggered], drain.story()
        assert set(said[1:]) <= {f"Evacuation in progress: {triggered}", "Eviction request for target Pod"}
        assert drain.drain.granted(key), drain.story()


@pytest.mark.scenario("DRAIN-10", caught_by="evacuation_never_cleared")
def test_nobody_stays_marked(paced_drain, node):
    """
    Test that a VM is marked for evacuation while it is on the node, and not any more once it has left.

    Steps:
        1. Drain the node until it is empty
    Expected:
        - Every VM was marked with the node's name, and ends up unmarked
    """
    drain = paced_drain
    for key in drain.keys:
        marks = drain.timeline.steps(VMI, key, lambda vmi: dig(vmi, "status", "evacuationNodeName") or None)
        assert [step.value for step in marks] == [None, node, None], drain.story()
