"""
Users who migrate VMs while a node is drained

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - At most two migrations in the cluster at once
    - Four VMs with one vGPU each on one node, one on another node, and a policy under which a move takes minutes
"""

from dataclasses import dataclass

import pytest

from utilities.drains.witness import Emptying, settle
from utilities.errors import ApiError
from utilities.vgpu.machine import Machine

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=3, vgpus=12)]


@dataclass(frozen=True, slots=True, repr=False)
class Busy:
    """A drain during which users asked for migrations. refused, mine: VMs they asked for; refusal: the answer."""

    drain: Emptying
    refused: Machine
    refusal: str
    mine: Machine

    def __repr__(self):
        """Short: it stands in messages of assertions, beside the story."""
        return repr(self.drain)


@pytest.fixture(scope="module")
def busy_drain(
    gate_on, limits, admin, namespace, vms_on, moves_slowly, emptying, gpu_nodes, migrations_of, wait_running
):
    """A drain of four VMs; while two of them move, users ask for one that waits and for one on another node."""
    node, other = gpu_nodes[:2]
    refusal = ""
    with (
        limits(node=2, cluster=2),
        vms_on(node, "leaving", *moves_slowly, count=4) as vms,
        vms_on(other, "mine", *moves_slowly) as (mine,),
        emptying((*vms, mine), node) as seen,
    ):
        with seen.noting():
            seen.drain.ask()
            wait_running()
            migrations_of(mine).start()
        try:
            migrations_of(vms[-1]).start()
        except ApiError as error:
            refusal = error.server_message
        with seen.noting():
            seen.drain.finish()
            settle(admin, namespace)
    return Busy(seen, vms[-1], refusal, mine)


@pytest.mark.scenario("DRAIN-18", caught_by="second_migration_accepted")
def test_a_vm_under_evacuation_is_refused(busy_drain):
    """
    [NEGATIVE] Test that a user's migration of a VM that is being evacuated is refused.

    Steps:
        1. Drain the node
        2. While two VMs move, ask for a migration of one that waits
    Expected:
        - The request is refused with the uid of the evacuation's migration, and the VM moves once
    """
    drain, vm = busy_drain.drain, busy_drain.refused
    evacuations = drain.of(vm)
    assert len(evacuations) == 1, drain.story()
    known = (
        f"in-flight migration detected. Active migration job ({evacuations[0].uid}) is currently already in progress"
    )
    assert known in busy_drain.refusal, drain.story()
    assert evacuations[0].succeeded, drain.story()
    assert len(drain.routes[vm.key]) == 2, drain.story()


@pytest.mark.scenario("DRAIN-19", caught_by="users_overtake_evacuations")
def test_evacuations_go_first(busy_drain):
    """
    Test that a user's migration of another VM waits for evacuations that wait, and succeeds in the end.

    Steps:
        1. Drain the node
        2. While two VMs move, ask for a migration of a VM on another node
    Expected:
        - The user's migration starts after every evacuation has started, and succeeds
    """
    drain = busy_drain.drain
    requested = drain.of(busy_drain.mine)
    assert [migration.phase for migration in requested] == ["Succeeded"], drain.story()
    asked_for = (busy_drain.mine, busy_drain.refused)
    evacuations = [migration for vm in drain.vms if vm not in asked_for for migration in drain.of(vm)]
    assert len(evacuations) == 3, drain.story()
    assert max(migration.flight.start for migration in evacuations) < requested[0].flight.start, drain.story()
