"""
Feature gate of vGPU live migration: off blocks, on permits

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Two nodes with free vGPUs of one type
"""

import pytest

from utilities.history import VMI, Condition

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(gpu_nodes=2)]

GATE_OFF = Condition(
    "False",
    "HostDeviceNotLiveMigratable",
    "VMI specifies a GPU but feature gate VGPULiveMigration is not enabled",
)


class TestGateDisabled:
    """
    Tests with the gate off.

    Preconditions:
        - Feature gate disabled cluster-wide
        - VM with one vGPU, started with the gate off
    """

    @pytest.mark.scenario("VGPU-01", caught_by="gate_ignored")
    def test_vm_is_not_live_migratable(self, vm_started_with_gate_off):
        """
        [NEGATIVE] Test that a VM with one vGPU is reported not live-migratable while the gate is off.

        Preconditions:
            - VM with one vGPU, started with the gate off
        Steps:
            1. Read the live-migratable condition over the whole start of the VM
        Expected:
            - The condition is never anything but false, with the reason and the message that name the gate
        """
        start = vm_started_with_gate_off
        assert start.live_migratable() == {GATE_OFF}, start.story()

    @pytest.mark.scenario("VGPU-02", caught_by="gate_ignored")
    def test_migration_request_is_refused(self, vm_started_with_gate_off, witness, migrations_of):
        """
        [NEGATIVE] Test that a migration request is refused while the gate is off and leaves the VM alone.

        Preconditions:
            - VM with one vGPU, started with the gate off
            - Process running in the guest
        Steps:
            1. Request a live migration of the VM
        Expected:
            - The request is refused with the reason of the condition, and the VM runs on undisturbed
        """
        vm = vm_started_with_gate_off.vm
        with witness(vm) as seen, seen.noting():
            migrations_of(vm).start()
        reason = f"Cannot migrate VMI, Reason: {GATE_OFF.reason}, Message: {GATE_OFF.message}"
        refusals = [trouble.server_message.rpartition("denied the request: ")[2] for trouble in seen.troubles]
        assert refusals == [reason], seen.story()
        assert not seen.migrations, seen.story()
        assert seen.stayed_untouched, seen.story()


class TestGateEnabled:
    """
    Tests with the gate on.

    Preconditions:
        - Feature gate enabled cluster-wide
    """

    @pytest.mark.scenario("VGPU-03", caught_by="gate_stale")
    def test_vm_started_afterwards_migrates(self, vgpu_vm_with_awd, witness, migrations_of):
        """
        Test that a VM started with the gate on is live-migratable and migrates.

        Preconditions:
            - VM with one vGPU, started with the gate on
        Steps:
            1. Live-migrate the VM
        Expected:
            - The VM is live-migratable and the migration succeeds
        """
        with witness(vgpu_vm_with_awd) as seen, seen.noting():
            migrations_of(vgpu_vm_with_awd).start().wait_final()
        first = seen.timeline.conditions(VMI, vgpu_vm_with_awd.key, "LiveMigratable")[0]
        assert first.value == Condition("True", "", ""), seen.story()
        assert seen.succeeded, seen.story()

    @pytest.mark.scenario("VGPU-04", caught_by="gate_stale")
    def test_vm_already_running_becomes_migratable(self, vm_started_before_gate, witness, gates, migrations_of):
        """
        Test that a VM that ran before the gate was enabled becomes live-migratable without a restart.

        Preconditions:
            - VM with one vGPU, started with the gate off
        Steps:
            1. Enable the gate
            2. Touch the VM, so that its conditions are computed anew
            3. Live-migrate the VM
        Expected:
            - The condition turns true and the migration succeeds, with the same running instance all along
        """
        vm = vm_started_before_gate
        with gates.enabled(), witness(vm) as seen, seen.noting():
            vm.nudge_until_migratable()
            migrations_of(vm).start().wait_final()
        steps = seen.timeline.conditions(VMI, vm.key, "LiveMigratable")
        assert [step.value and step.value.status for step in steps] == ["False", "True"], seen.story()
        assert seen.succeeded, seen.story()
        assert seen.timeline.identities(vm.key) == (vm.uid,), seen.story()
