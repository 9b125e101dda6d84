"""
Drain of a node whose VMs do not all fit elsewhere

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - Four VMs with one vGPU each on one node, a process running in each guest
    - Free vGPUs for two of them on other nodes at first, for all of them later
"""

from dataclasses import dataclass, replace
from time import monotonic

import pytest

from utilities.drains.witness import Emptying, settle
from utilities.errors import SuiteError
from utilities.history import VMI, dig
from utilities.vgpu.capacity import occupied
from utilities.vgpu.witness import GuestView, look

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2, vgpus=12)]


@dataclass(frozen=True, slots=True, repr=False)
class Cramped:
    """A drain that had to wait for room. troubles, views: until then, and guests whose pods were left then.

    room_at: monotonic seconds.
    """

    drain: Emptying
    troubles: tuple[SuiteError, ...]
    views: dict[str, GuestView]
    room_at: float

    def __repr__(self):
        """Short: it stands in messages of assertions, beside the story."""
        return repr(self.drain)

    @property
    def before_room(self):
        """What happened until there was room."""
        timeline = self.drain.timeline
        return timeline.between(timeline.started, self.room_at)

    @property
    def stuck(self):
        """VMs that had not left by then, as they were seen before."""
        return [seen for seen in self.drain.guests if len(self.before_room.nodes(seen.vm.key)) == 1]


@pytest.fixture(scope="module")
def cramped_drain(gate_on, limits, admin, namespace, site, vms_on, moves, emptying, node):
    """A drain of four VMs with room for two, and the same drain once there is room for all."""
    resource, views = site.gpu.profile.resource, {}
    with (
        limits(node=2, cluster=5),
        vms_on(node, "cramped", *moves, count=4, with_guest=True) as vms,
        emptying(vms, node, guests=len(vms)) as seen,
    ):
        with occupied(admin, namespace, resource, but=node, leaving=2):
            with seen.noting():
                seen.drain.ask()
                settle(admin, namespace)
                seen.drain.ask()
                left = {pod.vmi for pod in seen.drain.left}
                views |= {one.vm.key: look(one.vm, None) for one in seen.guests if one.vm.key in left}
            troubles, room_at = tuple(seen.troubles), monotonic()
        with seen.noting():
            seen.drain.finish()
    return Cramped(seen, troubles, views, room_at)


@pytest.mark.scenario("DRAIN-11", caught_by=("killed_by_eviction", "unschedulable_never_times_out"))
def test_those_that_fit_move_and_the_others_run_on(cramped_drain):
    """
    [NEGATIVE] Test that a drain without room for everybody moves those that fit and leaves the others alone.

    Steps:
        1. Drain the node while other nodes have room for two of its VMs
        2. Ask again when the migrations of the others have failed
    Expected:
        - Two VMs have left the node; two run on it, their migrations failed, their guests see the vGPUs they had, and
          their pods are left to go; all four run as the same instances
    """
    cramped, drain = cramped_drain, cramped_drain.drain
    assert not cramped.troubles, drain.story()
    assert len(cramped.stuck) == 2, drain.story()
    timeline = cramped.before_room
    for seen in drain.guests:
        assert timeline.identities(seen.vm.key) == (seen.vm.uid,), drain.story()
        phases = timeline.steps(VMI, seen.vm.key, lambda vmi: dig(vmi, "status", "phase"))
        assert [step.value for step in phases] == ["Running"], drain.story()
    for seen in cramped.stuck:
        key = seen.vm.key
        assert "Failed" in [migration.phase for migration in timeline.migrations(vmi=key)], drain.story()
        assert cramped.views[key] == replace(seen.before, identity=None), drain.story()


@pytest.mark.scenario("DRAIN-12", caught_by="capacity_never_returns")
def test_the_others_follow_once_there_is_room(cramped_drain, node):
    """
    Test that the same drain goes on and ends once there is room.

    Steps:
        1. Free the vGPUs of the other nodes
        2. Go on with the drain until the node is empty
    Expected:
        - Every VM has left the node once, as the same instance, with its process and heartbeat unbroken
    """
    drain = cramped_drain.drain
    assert drain.drain.left == (), drain.story()
    assert drain.strangers == {}, drain.story()
    assert {len(route) for route in drain.routes.values()} == {2}, drain.story()
    assert {vm.key for vm in drain.vms} == drain.migrations.succeeded.vmis, drain.story()
    assert [problem for seen in drain.guests for problem in seen.continuity.problems] == [], drain.story()
