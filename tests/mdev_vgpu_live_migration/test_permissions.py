"""
Who may switch the gate, and who may migrate

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
    - User who may administer VMs in the test's namespace and nothing else
"""

import pytest

from utilities.errors import Forbidden

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(unprivileged=True)]


@pytest.mark.scenario("VGPU-29", caught_by="anyone_switches_gates")
def test_gate_cannot_be_flipped(gates, user):
    """
    [NEGATIVE] Test that an unprivileged user cannot switch the gate.

    Steps:
        1. Switch the gate off as the user
    Expected:
        - The change is forbidden, and the configuration is as before
    """
    before = gates.configuration()
    with pytest.raises(Forbidden):
        gates.disable_as(user)
    assert gates.configuration() == before


@pytest.mark.needs(gpu_nodes=2)
@pytest.mark.scenario("VGPU-30", caught_by="anyone_migrates")
@pytest.mark.usefixtures("namespace_admin")
def test_without_the_role(running_vgpu_vm, witness, migrations_as_user):
    """
    [NEGATIVE] Test that a namespace administrator without the migrate role cannot migrate.

    Preconditions:
        - VM with one vGPU in the user's namespace
    Steps:
        1. Request a live migration as the user
    Expected:
        - The request is forbidden, and the VM runs on undisturbed on its node
    """
    with witness(running_vgpu_vm) as seen, seen.noting():
        migrations_as_user(running_vgpu_vm).start()
    assert [type(trouble) for trouble in seen.troubles] == [Forbidden], seen.story()
    assert not seen.migrations, seen.story()
    assert seen.stayed_untouched, seen.story()


@pytest.mark.needs(gpu_nodes=2)
@pytest.mark.scenario("VGPU-31", caught_by="migrate_role_ineffective")
@pytest.mark.usefixtures("namespace_admin", "migrate_role")
def test_with_the_role(vgpu_vm_with_awd, witness, migrations_as_user):
    """
    Test that a user with the migrate role can migrate.

    Preconditions:
        - VM with one vGPU in the user's namespace
        - Migrate role given to the user in that namespace
    Steps:
        1. Live-migrate the VM as the user
    Expected:
        - The migration succeeds
    """
    with witness(vgpu_vm_with_awd) as seen, seen.noting():
        migrations_as_user(vgpu_vm_with_awd).start().wait_final()
    assert seen.succeeded, seen.story()
