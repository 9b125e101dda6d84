"""The GPUs of the nodes, as devices that pods can be given: mediated devices and whole cards."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.profiles.profile import Node


@dataclass(frozen=True, slots=True)
class Device:
    """One device that one pod can hold."""

    resource: str  # extended resource, such as nvidia.com/GRID_T4_2Q
    id: str  # UUID of the mdev, or PCI address of the card
    card: str  # PCI address of the physical GPU
    pci_id: str  # vendor:device, such as 10de:1eb8
    guest_name: str  # what the guest sees
    mdev_type: str | None = None  # None: the whole card
    mdev_type_id: str | None = None

    @property
    def mediated(self) -> bool:
        """Whether it is a slice of a card."""
        return self.mdev_type is not None


Inventory = Mapping[str, tuple[Device, ...]]  # by node name


def inventory(nodes: Iterable[Node], rng: random.Random) -> Inventory:
    """All devices of a profile's nodes; UUIDs come from the seed and differ between nodes."""
    return {node.name: tuple(_devices(node, rng)) for node in nodes}


def _devices(node: Node, rng: random.Random) -> Iterable[Device]:
    for card in node.cards:
        common = (card.address, card.pci_id, card.guest_name)
        if card.mdev_type is None:
            yield Device(card.resource, card.address, *common)
            continue
        for _ in range(card.instances):
            ident = str(uuid.UUID(int=rng.getrandbits(128), version=4))
            yield Device(card.resource, ident, *common, card.mdev_type, card.mdev_type_id)
