"""What the agent finds on a machine besides its guests: architecture, libvirt, what the hypervisor offers to guests.

The defaults are Cloud Hypervisor as libvirt describes it at `ch:///system`: its only CPU mode is the host's own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts of one kind of machine; all hosts of a lab are of one kind unless a profile says otherwise."""

    arch: str = "x86_64"
    hypervisor_type: str = "ch"  # `kvm` for QEMU
    cpu_modes: tuple[str, ...] = ("mode/host-passthrough",)
    devices: tuple[str, ...] = ("video", "video/none")
    features: tuple[str, ...] = ()
    libvirt_version: str = "11.7.0"
    hypervisor_version: str = "48.0.0"
