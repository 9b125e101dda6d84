"""Device plugins: which pod holds which device of its node (kubevirt sheet §8.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from lab.scheduling.inventory import Device, Inventory


class NoDeviceError(Exception):
    """The kubelet cannot give a pod what it asks for."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """The devices of one pod."""

    pod_uid: str
    node: str
    devices: tuple[Device, ...] = ()

    @property
    def mdevs(self) -> tuple[str, ...]:
        """UUIDs of its mediated devices."""
        return tuple(device.id for device in self.devices if device.mediated)

    @property
    def pci(self) -> tuple[str, ...]:
        """Addresses of the cards passed through."""
        return tuple(device.id for device in self.devices if not device.mediated)

    def environment(self) -> dict[str, str]:
        """What the plugin puts into the compute container, such as MDEV_PCI_RESOURCE_NVIDIA_COM_GRID_T4_2Q."""
        found: dict[str, list[str]] = {}
        for device in self.devices:
            prefix = "MDEV_PCI_RESOURCE_" if device.mediated else "PCI_RESOURCE_"
            found.setdefault(prefix + re.sub(r"[/.]", "_", device.resource).upper(), []).append(device.id)
        return {name: ",".join(ids) for name, ids in found.items()}


class DevicePlugins:
    """All nodes' devices and who holds them."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._by_pod: dict[str, Allocation] = {}
        self._held: dict[tuple[str, str], str] = {}  # (node, device id) -> pod UID

    def resources(self) -> frozenset[str]:
        """Every extended resource that some node offers."""
        return frozenset(device.resource for devices in self._inventory.values() for device in devices)

    def of(self, pod_uid: str) -> Allocation | None:
        """What a pod holds, None before its admission and after its end."""
        return self._by_pod.get(pod_uid)

    def in_use(self, node: str) -> dict[str, int]:
        """Devices of a node that pods hold, by resource."""
        held = [device.resource for device in self._inventory.get(node, ()) if (node, device.id) in self._held]
        return dict(Counter(held))

    def allocate(self, node: str, pod_uid: str, wanted: Mapping[str, int]) -> Allocation:
        """Give a pod its devices, once; raises NoDeviceError when the node has not enough left."""
        known = self._by_pod.get(pod_uid)
        if known is not None:
            return known
        chosen: list[Device] = []
        for resource, count in wanted.items():
            free = [
                device
                for device in self._inventory.get(node, ())
                if device.resource == resource and (node, device.id) not in self._held
            ]
            if len(free) < count:
                raise NoDeviceError(
                    f"Allocate failed due to requested number of devices unavailable for {resource}. "
                    f"Requested: {count}, Available: {len(free)}, which is unexpected"
                )
            chosen += free[:count]
        allocation = Allocation(pod_uid, node, tuple(chosen))
        self._by_pod[pod_uid] = allocation
        self._held |= {(node, device.id): pod_uid for device in chosen}
        return allocation

    def release(self, pod_uid: str) -> None:
        """Take a pod's devices back; a pod without any is fine."""
        allocation = self._by_pod.pop(pod_uid, None)
        if allocation is not None:
            for device in allocation.devices:
                del self._held[allocation.node, device.id]
