"""
An administrator who changes their mind during a drain

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Feature gate enabled cluster-wide
    - Three VMs with one vGPU each on one node, free vGPUs for all on other nodes, and a policy under which a move takes
      minutes
"""

from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from utilities.clients import VMIMS
from utilities.drains.cordons import uncordon
from utilities.drains.evacuations import cancel
from utilities.drains.witness import Emptying, settle
from utilities.history import VMI, dig
from utilities.kubevirt.migrations import RequestedMigration
from utilities.vgpu.machine import Machine
from utilities.watching import Watched

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2, vgpus=12)]


@dataclass(frozen=True, slots=True, repr=False)
class Changed:
    """A drain with a VM that was treated apart. new_on: where a VM that was started afterwards runs."""

    drain: Emptying
    apart: Machine
    new_on: str = ""

    def __repr__(self):
        """Short: it stands in messages of assertions, beside the story."""
        return repr(self.drain)

    @property
    def others(self):
        """The other VMs."""
        return [vm for vm in self.drain.vms if vm is not self.apart]

    @property
    def outcomes_of_others(self):
        """Phases of the migrations of each."""
        return [[migration.phase for migration in self.drain.of(vm)] for vm in self.others]


@pytest.fixture(scope="session")
def migration_in(admin, namespace):
    """Waits for one in a phase: the VM and its migration, `migration_in("Pending", vms)`."""

    def finding(phase, vms):
        by_name = {vm.name: vm for vm in vms}
        found = admin.waits.wait_for(
            Watched(VMIMS, namespace),
            lambda one: dig(one, "status", "phase") == phase and one["spec"]["vmiName"] in by_name,
            expecting=f"a migration {phase}",
            within=admin.site.timeouts.migration,
        )
        metadata = found["metadata"]
        requested = RequestedMigration(admin, namespace, metadata["name"], metadata["uid"])
        return by_name[found["spec"]["vmiName"]], requested

    return finding


@pytest.fixture
def slow_drain(gate_on, limits, vms_on, moves_slowly, emptying, node):
    """A drain of three VMs that takes long and has not asked yet: `with slow_drain(name, at_once=1) as (vms, seen)`."""

    @contextmanager
    def beginning(name, *, at_once):
        with (
            limits(node=at_once, cluster=5),
            vms_on(node, name, *moves_slowly, count=3) as vms,
            emptying(vms, node) as seen,
        ):
            yield vms, seen

    return beginning


@pytest.fixture
def spared_vm(slow_drain, admin, namespace, node, wait_running, migration_in, pause):
    """A drain that is given up for one VM, which waits: its evacuation is called off and its migration deleted."""
    spared = None
    with slow_drain("spared", at_once=1) as (vms, seen), seen.noting():
        seen.drain.ask(first=1)
        wait_running()  # so that the others have to wait
        seen.drain.ask()
        spared, migration = migration_in("Pending", vms)
        cancel(admin, spared.namespace, spared.name, node)
        migration.abort()
        settle(admin, namespace)
        pause(60)  # time for another migration to be made, if the product were to make one
        settle(admin, namespace)
    return Changed(seen, spared or vms[0])


@pytest.fixture
def uncordoned_node(slow_drain, admin, namespace, vgpu, vms_on, node, wait_running):
    """A drain that is given up while a VM moves; afterwards another VM is started on the node."""
    new_on = ""
    with slow_drain("uncordoned", at_once=1) as (vms, seen), seen.noting():
        seen.drain.ask()
        wait_running()
        uncordon(admin, node)
        settle(admin, namespace)
        with vms_on(node, "new", vgpu) as (new,):
            new_on = new.node
    return Changed(seen, vms[0], new_on)


@pytest.fixture
def aborted_migration(slow_drain, wait_running, migration_in):
    """A drain during which the migration of one VM is aborted while it copies."""
    apart = None
    with slow_drain("aborted", at_once=2) as (vms, seen), seen.noting():
        seen.drain.ask()
        wait_running()
        apart, migration = migration_in("Running", vms)
        migration.abort()
        seen.drain.finish()
    return Changed(seen, apart or vms[0])


@pytest.mark.scenario("DRAIN-20", caught_by="cancel_ignored")
def test_a_vm_is_spared(spared_vm, node):
    """
    Test that a VM whose evacuation is called off stays on its node, while the others leave.

    Steps:
        1. Drain the node, one VM at a time
        2. Call off the evacuation of a VM that waits, and delete its migration
    Expected:
        - The VM was marked and is not any more, its only migration never succeeded, it runs on the node as the same
          instance, and each of the others leaves by one migration
    """
    drain, vm = spared_vm.drain, spared_vm.apart
    assert not drain.troubles, drain.story()
    marks = drain.timeline.steps(VMI, vm.key, lambda vmi: dig(vmi, "status", "evacuationNodeName") or None)
    assert [step.value for step in marks] == [None, node, None], drain.story()
    assert len(drain.of(vm)) == 1, drain.story()
    assert not drain.of(vm)[0].succeeded, drain.story()
    assert drain.routes[vm.key] == [node], drain.story()
    assert drain.strangers == {}, drain.story()
    assert spared_vm.outcomes_of_others == [["Succeeded"]] * 2, drain.story()


@pytest.mark.scenario("DRAIN-21", caught_by="evacuated_twice")
def test_the_node_is_used_again(uncordoned_node, node):
    """
    Test that after uncordoning in mid-drain nobody is lost or moved twice, and the node takes VMs again.

    Steps:
        1. Drain the node, one VM at a time
        2. Uncordon it while a VM moves
        3. Start a VM that may run on that node alone
    Expected:
        - Every VM has moved at most once and is the same instance in phase Running, and the new VM runs on the node
    """
    drain = uncordoned_node.drain
    assert not drain.troubles, drain.story()
    assert len(drain.migrations.succeeded) >= 1, drain.story()
    assert all(len(drain.of(vm)) <= 1 for vm in drain.vms), drain.story()
    assert all(len(route) <= 2 for route in drain.routes.values()), drain.story()
    assert drain.strangers == {}, drain.story()
    for key in drain.keys:
        phases = drain.timeline.steps(VMI, key, lambda vmi: dig(vmi, "status", "phase"))
        assert {step.value for step in phases} == {"Running"}, drain.story()
    assert uncordoned_node.new_on == node, drain.story()


@pytest.mark.scenario("DRAIN-22", caught_by="abort_ignored")
def test_an_aborted_vm_follows_later(aborted_migration, node):
    """
    Test that a VM whose migration is aborted runs on, is evacuated again, and does not hold up the others.

    Steps:
        1. Drain the node
        2. Delete a migration that copies
        3. Go on with the drain until the node is empty
    Expected:
        - The first migration of the VM never succeeded and the second one did, each of the others left by one
          migration, and every VM is the same instance and has left the node once
    """
    drain, vm = aborted_migration.drain, aborted_migration.apart
    assert not drain.troubles, drain.story()
    assert len(drain.of(vm)) == 2, drain.story()
    assert [migration.succeeded for migration in drain.of(vm)] == [False, True], drain.story()
    assert aborted_migration.outcomes_of_others == [["Succeeded"]] * 2, drain.story()
    assert drain.strangers == {}, drain.story()
    assert {len(route) for route in drain.routes.values()} == {2}, drain.story()
