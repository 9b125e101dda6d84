"""What test servers are made of: flavor, image, volume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from utilities.errors import SiteError
from utilities.nova.connection import Cloud


@dataclass(frozen=True, slots=True)
class Template:
    """flavor, image: ids. volume: GiB; None: the disk is the host's own. metadata: of the servers."""

    flavor: str
    image: str
    volume: int | None
    network: str = "none"
    metadata: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """Its part of a POST /servers."""
        networks = self.network if self.network in ("none", "auto") else [{"uuid": self.network}]
        metadata = {"metadata": dict(self.metadata)} if self.metadata else {}
        return {"flavorRef": self.flavor, **self._boot(), "networks": networks, **metadata}

    def _boot(self) -> dict[str, Any]:
        if self.volume is None:
            return {"imageRef": self.image}
        disk = {
            "boot_index": 0,
            "uuid": self.image,
            "source_type": "image",
            "destination_type": "volume",
            "volume_size": self.volume,
            "delete_on_termination": True,
        }
        return {"block_device_mapping_v2": [disk]}


def chosen(cloud: Cloud, *, ram: int = 0) -> Template:
    """The smallest flavor that can hold the smallest image and has so many MiB. Raises SiteError: the cloud has none.

    A live migration copies the memory, so the size of a flavor is what makes a move take its time.
    """
    images = [image for image in cloud.image("GET", "/images")["images"] if image.get("status") == "active"]
    if not images:
        raise SiteError(
            f"{cloud.url}: no active image", next_step="upload one, e.g. CirrOS, for the user of the site file"
        )
    image = min(images, key=_image_size)
    ram = max(ram, int(image.get("min_ram") or 0))
    flavors = [flavor for flavor in cloud.listed("/flavors/detail", "flavors") if int(flavor["ram"]) >= ram]
    if not flavors:
        raise SiteError(
            f"{cloud.url}: no flavor with {ram} MiB for image {image['name']}",
            next_step="make a flavor or another image",
        )
    flavor = min(flavors, key=lambda one: (one["ram"], one["vcpus"], one["disk"]))
    return Template(flavor["id"], image["id"], max(1, int(image.get("min_disk") or 0)))


def _image_size(image: Mapping[str, Any]) -> tuple[int, int, str]:
    return int(image.get("min_disk") or 0), int(image.get("size") or 0), str(image["id"])
