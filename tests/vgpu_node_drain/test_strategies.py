"""
Drain of VMs with different eviction strategies

STP: stps/sig-virt/vgpu-node-drain.md

Preconditions:
    - Free vGPUs for all VMs on other nodes
"""

from contextlib import suppress
from dataclasses import dataclass

import pytest

from utilities.clients import VMIS
from utilities.drains.witness import Emptying, settle
from utilities.errors import WaitTimeout
from utilities.history import VMI, dig
from utilities.kubevirt.manifests import with_eviction_strategy
from utilities.vgpu.machine import Machine
from utilities.watching import Watched

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2, vgpus=8)]

A_WHILE = 40  # product seconds that a drain goes on asking while something holds it up
REFUSED = 'admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: '


@dataclass(frozen=True, slots=True, repr=False)
class Strategies:
    """A drain of VMs by strategy. held_up: VMs (`namespace/name`) that were left after a while."""

    drain: Emptying
    vms: dict[str, Machine]
    held_up: set[str]

    def __repr__(self):
        """Short: it stands in messages of assertions, beside the story."""
        return repr(self.drain)

    def said_to(self, strategy):
        """What the evictions of the VM with that strategy were refused with."""
        return [refusal.removeprefix(REFUSED) for refusal in self.drain.drain.refusals(self.vms[strategy].key)]

    def marks_of(self, strategy):
        """Nodes that it was to leave, in order."""
        steps = self.drain.timeline.steps(
            VMI, self.vms[strategy].key, lambda vmi: dig(vmi, "status", "evacuationNodeName")
        )
        return [step.value for step in steps if step.value]


@pytest.fixture(scope="session")
def wait_started_anew(admin):
    """Waits until another instance of a VM runs."""

    def waiting(vm):
        admin.waits.wait_for(
            Watched(VMIS, vm.namespace, vm.name),
            lambda vmi: dig(vmi, "status", "phase") == "Running" and dig(vmi, "metadata", "uid") != vm.uid,
            expecting="another instance, Running",
            within=admin.site.timeouts.vm_running,
        )

    return waiting


@pytest.fixture(scope="class")
def drain_of_the_immovable(gates, vms_on, vgpu, emptying, node, wait_started_anew):
    """A drain of VMs that are not live-migratable, because the gate is off."""
    with (
        gates.disabled(),
        vms_on(node, "must-move", vgpu, with_eviction_strategy("LiveMigrate")) as (blocked,),
        vms_on(node, "may-move", vgpu, with_eviction_strategy("LiveMigrateIfPossible")) as (freed,),
        emptying((blocked, freed), node) as seen,
    ):
        with seen.noting(), suppress(WaitTimeout):
            seen.drain.finish(within=A_WHILE)
        held_up = {pod.vmi for pod in seen.drain.left}
        with seen.noting():
            wait_started_anew(freed)
    return Strategies(seen, {"LiveMigrate": blocked, "LiveMigrateIfPossible": freed}, held_up)


@pytest.fixture(scope="class")
def drain_by_strategy(
    gate_on, configuration, namespace, admin, vms_on, vgpu, awd, emptying, node, wait_started_anew, migrations_of
):
    """A drain of VMs that are live-migratable, where the one with External is migrated by hand after a while."""
    with (
        configuration.eviction_strategy("LiveMigrate"),
        vms_on(node, "dies", vgpu, awd, with_eviction_strategy("None")) as (dies,),
        vms_on(node, "waits", vgpu, awd, with_eviction_strategy("External")) as (waits,),
        vms_on(node, "follows", vgpu, awd) as (follows,),
        emptying((dies, waits, follows), node) as seen,
    ):
        with seen.noting(), suppress(WaitTimeout):
            seen.drain.finish(within=A_WHILE)
        with seen.noting():
            settle(admin, namespace)
            seen.drain.ask()
        held_up = {pod.vmi for pod in seen.drain.left}
        with seen.noting():
            wait_started_anew(dies)
        with seen.noting():
            migrations_of(waits).start().wait_final()
            seen.drain.finish()
    return Strategies(seen, {"None": dies, "External": waits, "": follows}, held_up)


class TestVmsThatCannotMove:
    """
    VMs that are not live-migratable

    Preconditions:
        - Feature gate disabled cluster-wide
        - Two VMs with one vGPU each on one node, one with strategy LiveMigrate, one with LiveMigrateIfPossible
    """

    @pytest.mark.scenario("DRAIN-13", caught_by="blocked_vm_deleted")
    def test_one_that_must_move_blocks(self, drain_of_the_immovable):
        """
        [NEGATIVE] Test that a VM that has to move and cannot blocks the drain and runs on.

        Steps:
            1. Drain the node for a while
        Expected:
            - Its evictions are refused with a message that names it, it is never marked, no migration is made, the same
              instance runs on the node, and its pod is left
        """
        found = drain_of_the_immovable
        vm = found.vms["LiveMigrate"]
        text = f"VMI {vm.name} is configured with an eviction strategy but is not live-migratable"
        assert found.said_to("LiveMigrate") == [text], found.drain.story()
        assert found.marks_of("LiveMigrate") == [], found.drain.story()
        assert found.drain.of(vm) == (), found.drain.story()
        assert vm.key not in found.drain.strangers, found.drain.story()
        assert found.drain.timeline.statuses(vm.key) == ("Running",), found.drain.story()
        assert vm.key in found.held_up, found.drain.story()

    @pytest.mark.scenario("DRAIN-14", caught_by="if_possible_blocks")
    def test_one_that_may_move_is_let_go(self, drain_of_the_immovable, node):
        """
        Test that a VM that would move if it could is let go, and started anew on another node.

        Steps:
            1. Drain the node for a while
        Expected:
            - Its eviction is granted at once, and another instance of it runs on another node
        """
        found = drain_of_the_immovable
        vm = found.vms["LiveMigrateIfPossible"]
        assert not found.drain.troubles, found.drain.story()
        assert found.said_to("LiveMigrateIfPossible") == [], found.drain.story()
        assert found.drain.drain.granted(vm.key), found.drain.story()
        assert len(found.drain.timeline.identities(vm.key)) == 2, found.drain.story()
        assert found.drain.routes[vm.key][-1] != node, found.drain.story()


class TestVmsThatCanMove:
    """
    VMs that are live-migratable

    Preconditions:
        - Feature gate enabled cluster-wide, and the cluster's eviction strategy is LiveMigrate
        - Three VMs with one vGPU each on one node: with strategy None, with External, and without a strategy
    """

    @pytest.mark.scenario("DRAIN-15", caught_by="none_is_migrated")
    def test_none_is_let_go(self, drain_by_strategy, node):
        """
        Test that a VM with strategy None is let go and started anew elsewhere, although it could move.

        Steps:
            1. Drain the node for a while
        Expected:
            - Its eviction is granted at once, no migration is made, and another instance of it runs on another node
        """
        found = drain_by_strategy
        vm = found.vms["None"]
        assert found.said_to("None") == [], found.drain.story()
        assert found.drain.drain.granted(vm.key), found.drain.story()
        assert found.drain.of(vm) == (), found.drain.story()
        assert len(found.drain.timeline.identities(vm.key)) == 2, found.drain.story()
        assert found.drain.routes[vm.key][-1] != node, found.drain.story()

    @pytest.mark.scenario("DRAIN-16", caught_by="external_is_migrated")
    def test_external_is_left_to_others(self, drain_by_strategy, node):
        """
        [NEGATIVE] Test that a VM with strategy External is marked and left alone until somebody else migrates it.

        Steps:
            1. Drain the node for a while
            2. Migrate the VM, as the external controller would
            3. Go on with the drain until the node is empty
        Expected:
            - Its evictions are refused because an evacuation was triggered, it is marked, only the requested migration
              moves it, and the drain is held up until then and ends
        """
        found = drain_by_strategy
        vm = found.vms["External"]
        triggered = f'Eviction triggered evacuation of VMI "{vm.key}"'
        assert found.drain.drain.left == (), found.drain.story()
        assert found.said_to("External")[:1] == [triggered], found.drain.story()
        assert found.marks_of("External") == [node], found.drain.story()
        assert vm.key in found.held_up, found.drain.story()
        assert [migration.phase for migration in found.drain.of(vm)] == ["Succeeded"], found.drain.story()
        assert vm.key not in found.drain.strangers, found.drain.story()

    @pytest.mark.scenario("DRAIN-17", caught_by="killed_by_eviction")
    def test_without_a_strategy_the_clusters_counts(self, drain_by_strategy, node):
        """
        Test that a VM without a strategy of its own follows the cluster's.

        Steps:
            1. Drain the node for a while
        Expected:
            - It is marked, and leaves the node by one migration as the same instance
        """
        found = drain_by_strategy
        vm = found.vms[""]
        assert found.marks_of("") == [node], found.drain.story()
        assert [migration.phase for migration in found.drain.of(vm)] == ["Succeeded"], found.drain.story()
        assert vm.key not in found.drain.strangers, found.drain.story()
        assert len(found.drain.routes[vm.key]) == 2, found.drain.story()
