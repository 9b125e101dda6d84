"""Images and networks: what there is of them (openstack sheet §1, §10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Image:
    """An image."""

    id: str
    name: str
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one subnet, `10.N.0.0/16`."""

    id: str
    subnet_id: str
    name: str
    shared: bool
    number: int


class Media:
    """The images and networks of one cloud."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self.images = tuple(
            Image(new_id(), name, size) for name, size in (("cirros-kvm", 16_300_544), ("fedora-41", 491_716_608))
        )
        self.networks = tuple(
            Network(new_id(), new_id(), name, shared, number)
            for number, (name, shared) in enumerate((("private", False), ("shared", True)))
        )
        self._addresses = [1] * len(self.networks)

    def image(self, image_id: str) -> Image | None:
        """An image by id."""
        return next((image for image in self.images if image.id == image_id), None)

    def network(self, network_id: str) -> Network | None:
        """A network by id."""
        return next((network for network in self.networks if network.id == network_id), None)

    def address(self, network: Network) -> dict[str, list[dict[str, object]]]:
        """The next free address of a network, as a server shows it."""
        self._addresses[network.number] += 1
        number = self._addresses[network.number]
        high, low = divmod(number, 256)
        mac = f"fa:16:3e:{network.number:02x}:{high:02x}:{low:02x}"
        return {
            network.name: [
                {
                    "addr": f"10.{network.number}.{high}.{low}",
                    "version": 4,
                    "OS-EXT-IPS:type": "fixed",
                    "OS-EXT-IPS-MAC:mac_addr": mac,
                }
            ]
        }
