"""
Devices that cannot be moved

STP: stps/sig-virt/mdev-vgpu-live-migration.md

Preconditions:
    - Feature gate enabled cluster-wide
"""

import pytest

from utilities.history import Condition

pytestmark = pytest.mark.exclusive


def blocked(message):
    """The condition with the reason of devices and this message."""
    return Condition("False", "HostDeviceNotLiveMigratable", message)


@pytest.mark.needs(gpu_nodes=1, vgpus=2)
@pytest.mark.scenario("VGPU-26", caught_by="two_gpus_migratable")
def test_two_vgpus(vm_started_with_two_vgpus):
    """
    [NEGATIVE] Test that a VM with two vGPUs is not live-migratable.

    Steps:
        1. Start a VM with two vGPUs
    Expected:
        - The live-migratable condition is false and says that there are too many GPUs
    """
    start = vm_started_with_two_vgpus
    assert start.live_migratable() == {blocked("VMI specifies too many GPUs")}, start.story()


@pytest.mark.needs(passthrough=1)
@pytest.mark.scenario("VGPU-27", caught_by="passthrough_migratable")
def test_passthrough_gpu(vm_started_with_passthrough_gpu):
    """
    [NEGATIVE] Test that a VM with a passthrough GPU is not live-migratable.

    Steps:
        1. Start a VM with a whole GPU
    Expected:
        - The live-migratable condition is false and says that the GPU cannot be moved
    """
    start = vm_started_with_passthrough_gpu
    assert start.live_migratable() == {blocked("VMI specifies non-migratable GPU device")}, start.story()


@pytest.mark.needs(passthrough=1)
@pytest.mark.scenario("VGPU-28", caught_by="host_device_migratable")
def test_generic_host_device(vm_started_with_host_device):
    """
    [NEGATIVE] Test that a VM with a generic host device is not live-migratable.

    Steps:
        1. Start a VM with a host device
    Expected:
        - The live-migratable condition is false and says that the host device cannot be moved
    """
    start = vm_started_with_host_device
    assert start.live_migratable() == {blocked("VMI specifies non-migratable generic PCI host device")}, start.story()
