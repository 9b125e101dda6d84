"""Preconditions of the plan: VMs with vGPUs, the gate in a known state, and moves that several tests judge."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

from utilities.history import VMI, Timeline
from utilities.kubevirt.limits import outbound_per_node
from utilities.kubevirt.manifests import with_host_device, with_node, with_vgpu
from utilities.kubevirt.migrations import HOSTNAME, MigrationsOf
from utilities.kubevirt.policies import acceptable_seconds
from utilities.kubevirt.roles import bound
from utilities.vgpu.capacity import occupied
from utilities.vgpu.fixtures import awd, crawling, gate_on, gates, migrations_of, pause, policies, vgpu, witness
from utilities.vgpu.hindrances import FAIL_SOURCE, PER_GIGABYTE, overwhelmed
from utilities.vgpu.machine import Machine
from utilities.vgpu.witness import attach_timeline, watched

__all__ = ["awd", "crawling", "gate_on", "gates", "migrations_of", "pause", "policies", "vgpu", "witness"]

SCHEDULING_FOR_LONG = {"kubevirt.io/migrationUnschedulablePodTimeoutSeconds": "3600"}
BLOCK_PREPARATION = "kubevirt.io/func-test-block-migration-target-preparation"


@dataclass(frozen=True, slots=True, repr=False)
class Start:
    """A VM whose start was recorded from before it existed."""

    vm: Machine
    timeline: Timeline

    def __repr__(self):
        """Short: it stands in messages of assertions, beside the story."""
        return f"<start of {self.vm}>"

    def live_migratable(self):
        """What the live-migratable condition has said, from its first word on."""
        steps = self.timeline.conditions(VMI, self.vm.key, "LiveMigratable")
        return {step.value for step in steps} - {None}

    def story(self):
        """Who changed to what and when."""
        return self.timeline.story()

    def attach_to(self, sink, *, failed):
        """Leave a picture with the test; when it failed, also the story."""
        attach_timeline(sink, self.vm, self.timeline)
        if failed:
            sink.text("story", self.story())


@pytest.fixture(scope="class")
def gate_off(gates):
    """The gate disabled cluster-wide."""
    with gates.disabled():
        yield


@pytest.fixture(scope="session")
def acceptable_time(site):
    """Product seconds that the plan's policies allow for a copy of the guest."""
    return acceptable_seconds(site.guest.memory, PER_GIGABYTE)


@pytest.fixture
def running_vgpu_vm(gate_on, machines, vgpu):
    """A running VM with one vGPU, started with the gate on."""
    with machines.running("vgpu", vgpu) as vm:
        yield vm


@pytest.fixture(scope="class")
def vm_started_with_gate_off(gate_off, started, vgpu, awd):
    """A VM with one vGPU, started with the gate off, workload disruption allowed."""
    with started("gate-off", vgpu, awd) as start:
        yield start


@pytest.fixture
def vm_started_before_gate(gates, machines, vgpu, awd):
    """A running VM with one vGPU, started with the gate off, workload disruption allowed."""
    with gates.disabled(), machines.running("before-gate", vgpu, awd) as vm:
        yield vm


@pytest.fixture
def vm_started_with_two_vgpus(gate_on, started, site):
    """A VM with two vGPUs."""
    with started("two-vgpus", with_vgpu(site.gpu.profile.resource, count=2)) as start:
        yield start


@pytest.fixture
def vm_started_with_passthrough_gpu(gate_on, started, site):
    """A VM with a whole GPU."""
    with started("whole-gpu", with_vgpu(site.gpu.passthrough)) as start:
        yield start


@pytest.fixture
def vm_started_with_host_device(gate_on, started, site):
    """A VM with a whole GPU as generic host device."""
    with started("host-device", with_host_device(site.gpu.passthrough)) as start:
        yield start


@pytest.fixture
def vgpu_vm_with_awd(gate_on, machines, vgpu, awd):
    """A running VM with one vGPU, workload disruption allowed."""
    with machines.running("vgpu", vgpu, awd) as vm:
        yield vm


@pytest.fixture(scope="session")
def completed_move(gate_on, machines, vgpu, awd, witness, migrations_of):
    """One migration that nothing stands in the way of, workload disruption allowed."""
    with machines.running("move", vgpu, awd) as vm, witness(vm) as seen, seen.noting():
        migrations_of(vm).start().wait_final()
    return seen


@pytest.fixture(scope="module")
def capacity_story(gate_on, admin, machines, namespace, site, vgpu, awd, witness, migrations_of):
    """A migration without free vGPUs anywhere else, then one with: (the first alone, both)."""
    with machines.running("starved", vgpu, awd) as vm:
        here = vm.node
        with witness(vm) as both:
            with (
                occupied(admin, namespace, site.gpu.profile.resource, but=here),
                witness(vm) as starved,
                starved.noting(),
            ):
                migrations_of(vm).start().wait_final()
            with both.noting():
                migrations_of(vm).start().wait_final()
    return starved, both


@pytest.fixture(scope="module")
def starved_move(capacity_story):
    """A migration while no other node has a free vGPU."""
    return capacity_story[0]


@pytest.fixture(scope="module")
def retried_move(capacity_story):
    """The same, and a second migration after capacity was freed."""
    return capacity_story[1]


@pytest.fixture
def failed_move(running_vgpu_vm, witness, migrations_of):
    """A migration that fails in the middle, by the product's own test hook."""
    running_vgpu_vm.annotate(FAIL_SOURCE, "true")
    with witness(running_vgpu_vm) as seen, seen.noting():
        migrations_of(running_vgpu_vm).start().wait_final()
    return seen


@pytest.fixture
def busy_move(request, running_vgpu_vm, policies, witness, migrations_of):
    """A migration that cannot keep up, with workload disruption allowed; the parameter says whether post-copy is."""
    settings = {"allowWorkloadDisruption": True, "allowPostCopy": request.param == "allowed"}
    with overwhelmed(running_vgpu_vm, policies, **settings), witness(running_vgpu_vm) as seen, seen.noting():
        migrations_of(running_vgpu_vm).start().wait_final()
    return seen


@pytest.fixture
def stubborn_move(running_vgpu_vm, policies, witness, migrations_of):
    """A migration that cannot keep up, with workload disruption forbidden."""
    settings = {"allowWorkloadDisruption": False}
    with overwhelmed(running_vgpu_vm, policies, **settings), witness(running_vgpu_vm) as seen, seen.noting():
        migrations_of(running_vgpu_vm).start().wait_final()
    return seen


@pytest.fixture
def move_without_hook_gate(gates, machines, vgpu, awd, witness, migrations_of):
    """A migration while the hook server's gate is off, aborted once the product has said what is missing."""
    with gates.enabled_alone(), machines.running("no-hook", vgpu, awd) as vm, witness(vm) as seen, seen.noting():
        migration = migrations_of(vm).start()
        migration.wait_phase("PreparingTarget")
        vm.wait_warning("SyncFailed")
        vm.launchers.remove_others()
        migration.wait_final()
    return seen


@pytest.fixture(scope="module", params=["Pending", "Scheduling", "PreparingTarget", "Running"])
def held_phase(request):
    """The phase a migration is held in."""
    return request.param


@pytest.fixture(scope="module")
def aborted_move(gate_on, held_phase, holders, machines, vgpu, witness, migrations_of, pause):
    """A migration that was held in a phase and deleted there."""
    with machines.running("aborted", vgpu) as vm, ExitStack() as undo:
        annotations = holders[held_phase](vm, undo)
        with witness(vm) as seen, seen.noting():
            migration = migrations_of(vm).start(annotations=annotations)
            migration.wait_phase(held_phase)
            pause(10)  # held there, not just passing through
            migration.delete()
            vm.annotate(BLOCK_PREPARATION, None)
            migration.wait_gone()
    return seen


@pytest.fixture(scope="module")
def holders(admin, namespace, site, machines, vgpu, crawling, migrations_of):
    """Ways to hold a migration in a phase, by phase; each returns the annotations the migration needs."""

    def waiting_for_its_turn(vm, undo):
        here = with_node({HOSTNAME: vm.node})  # no other node will do: its migration waits, in flight
        for _ in range(outbound_per_node(admin)):
            other = undo.enter_context(machines.running("first", vgpu, here, with_guest=False))
            first = migrations_of(other).start(annotations=SCHEDULING_FOR_LONG)
            undo.callback(first.abort)
            first.wait_phase("Scheduling")

    def waiting_for_a_node(vm, undo):
        undo.enter_context(occupied(admin, namespace, site.gpu.profile.resource, but=vm.node))
        return SCHEDULING_FOR_LONG

    def waiting_for_the_target(vm, undo):
        vm.annotate(BLOCK_PREPARATION, "true")

    def copying(vm, undo):
        undo.enter_context(crawling(vm))

    return {
        "Pending": waiting_for_its_turn,
        "Scheduling": waiting_for_a_node,
        "PreparingTarget": waiting_for_the_target,
        "Running": copying,
    }


@pytest.fixture(scope="session")
def started(admin, machines, namespace):
    """Records a VM from before it exists: `with started(name, *options) as start`."""

    @contextmanager
    def starting(name, *options):
        with ExitStack() as stack:
            with watched(admin, namespace) as recorded:
                vm = stack.enter_context(machines.running(name, *options))
            yield Start(vm, recorded.timeline)

    return starting


@pytest.fixture
def user(actors):
    """The user without cluster rights."""
    return actors.unprivileged


@pytest.fixture
def migrations_as_user(user):
    """Migrations of a VM, requested as the user without cluster rights."""
    return lambda vm: MigrationsOf(user, vm.namespace, vm.name)


@pytest.fixture
def namespace_admin(admin, namespace, site):
    """The user administers VMs in the namespace."""
    with bound(admin, namespace, "kubevirt.io:admin", site.kubernetes.unprivileged.user):
        yield


@pytest.fixture
def migrate_role(admin, namespace, site):
    """The user may migrate VMs in the namespace."""
    with bound(admin, namespace, "kubevirt.io:migrate", site.kubernetes.unprivileged.user):
        yield
