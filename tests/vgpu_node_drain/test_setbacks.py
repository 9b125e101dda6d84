"""
Guests that are hard to move off a drained node

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - VM with one vGPU on the node, and free vGPUs on other nodes
"""

from itertools import pairwise

import pytest

from utilities.clients import VMIMS
from utilities.history import VMI, dig
from utilities.kubevirt.manifests import with_eviction_strategy
from utilities.vgpu.hindrances import FAIL_SOURCE, overwhelmed
from utilities.watching import Watched

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2, vgpus=9)]

BACKOFF = (20, 40)  # product seconds after the first and the second failure
SLACK = 25  # product seconds from the end of a backoff to Scheduling, stamps of whole seconds included


@pytest.fixture
def drain_of_a_busy_guest(gate_on, vms_on, vgpu, policies, emptying, node):
    """A drain of a VM whose guest writes more than its policy lets a migration copy, disruption allowed."""
    with (
        vms_on(node, "busy", vgpu, with_eviction_strategy("LiveMigrate"), with_guest=True) as (vm,),
        overwhelmed(vm, policies, allowWorkloadDisruption=True),
        emptying((vm,), node, guests=1) as seen,
        seen.noting(),
    ):
        seen.drain.finish()
    return seen


@pytest.fixture
def failing_evacuation(gate_on, admin, namespace, vms_on, moves, emptying, node):
    """A drain of a VM whose migrations fail twice, by the product's own test hook, and then do not any more."""
    with (
        vms_on(node, "failing", *moves) as (vm,),
        emptying((vm,), node) as seen,
        seen.noting(),
    ):
        vm.annotate(FAIL_SOURCE, "true")
        seen.drain.ask()
        failed = set()
        for _ in BACKOFF:
            found = admin.waits.wait_for(
                Watched(VMIMS, namespace),
                lambda one: (
                    dig(one, "spec", "vmiName") == vm.name
                    and dig(one, "status", "phase") == "Failed"
                    and one["metadata"]["name"] not in failed
                ),
                expecting="another migration Failed",
                within=admin.site.timeouts.migration,
            )
            failed.add(found["metadata"]["name"])
        vm.annotate(FAIL_SOURCE, None)
        seen.drain.finish()
    return seen


@pytest.mark.scenario("DRAIN-23", caught_by="awd_ignored")
def test_a_busy_guest_is_paused_to_leave(drain_of_a_busy_guest):
    """
    Test that a guest that dirties memory faster than it can be copied leaves the node in mode Paused.

    Preconditions:
        - Policy with workload disruption allowed, and a guest that writes faster than its bandwidth
    Steps:
        1. Drain the node until it is empty
    Expected:
        - The VM leaves by one migration whose mode goes from PreCopy to Paused, and its guest goes on
    """
    drain = drain_of_a_busy_guest
    assert not drain.troubles, drain.story()
    assert [migration.modes for migration in drain.migrations] == [("PreCopy", "Paused")], drain.story()
    assert [migration.phase for migration in drain.migrations] == ["Succeeded"], drain.story()
    assert not drain.guests[0].continuity.problems, drain.story()


@pytest.mark.scenario("DRAIN-24", caught_by="backoff_ignored")
def test_failures_are_tried_again_later_and_later(failing_evacuation):
    """
    [NEGATIVE] Test that an evacuation that fails is tried again with growing delay, and succeeds in the end.

    Preconditions:
        - Source told to fail the migrations of the VM, until two have failed
    Steps:
        1. Drain the node until it is empty
    Expected:
        - Two migrations fail and the third succeeds; the second starts 20 s after the first failure, the third 40 s
          after the second, a warning about the backoff appears on the VM, and the VM is the same instance
    """
    drain = failing_evacuation
    assert not drain.troubles, drain.story()
    tries = drain.migrations.all
    assert [migration.phase for migration in tries] == ["Failed", "Failed", "Succeeded"], drain.story()
    for delay, (earlier, later) in zip(BACKOFF, pairwise(tries), strict=True):
        waited = later.entered("Scheduling") - earlier.entered("Failed")
        assert delay - 1 <= waited <= delay + SLACK, drain.story()
    assert drain.timeline.events(drain.vms[0].uid, kind=VMI, reason="MigrationBackoff", of_type="Warning")
    assert drain.strangers == {}, drain.story()
