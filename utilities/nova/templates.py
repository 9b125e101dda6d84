"""What test servers are made of: flavor, image, volume."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from utilities.errors import SiteError
from utilities.nova.connection import Cloud


@dataclass(frozen=True, slots=True)
class Template:
    """flavor, image: ids. volume: GiB; None: the disk is the host's own. metadata: of the servers.

    zone: availability zone that they may not leave, None for any. user_data: what their guests run at the first boot.
    config_drive: whether it comes on a drive of the server's own.
    """

    flavor: str
    image: str
    volume: int | None
    network: str = "none"
    metadata: Mapping[str, str] = field(default_factory=dict)
    zone: str | None = None
    user_data: str | None = None
    config_drive: bool = False

    def body(self) -> dict[str, Any]:
        """Its part of a POST /servers."""
        networks = self.network if self.network in ("none", "auto") else [{"uuid": self.network}]
        metadata = {"metadata": dict(self.metadata)} if self.metadata else {}
        zone = {"availability_zone": self.zone} if self.zone is not None else {}
        return {"flavorRef": self.flavor, **self._boot(), "networks": networks, **metadata, **zone, **self._guest()}

    def _guest(self) -> dict[str, Any]:
        if self.user_data is None:
            return {}
        drive = {"config_drive": True} if self.config_drive else {}
        return {"user_data": base64.b64encode(self.user_data.encode()).decode(), **drive}

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a site wants test servers to be made of. flavor, image: names, None for the smallest; others: as above."""

    flavor: str | None = None
    image: str | None = None
    network: str = "none"
    config_drive: bool = False


ANYTHING = Wanted()


def chosen(cloud: Cloud, *, ram: int = 0, wanted: Wanted = ANYTHING) -> Template:
    """The flavor that is wanted, or a larger one that has so many MiB, for an image. Raises SiteError: there is none.

    A live migration copies the memory, so the size of a flavor is what makes a move take its time.
    """
    image = _image(cloud, wanted)
    flavors = sorted(cloud.listed("/flavors/detail", "flavors"), key=_flavor_size)
    least = ram, 0, 0
    if wanted.flavor is not None:
        named = next((flavor for flavor in flavors if flavor["name"] == wanted.flavor), None)
        if named is None:
            raise SiteError(
                f"{cloud.url}: no flavor is called {wanted.flavor}",
                next_step="correct openstack.flavor in the site file, or make the flavor",
            )
        least = _flavor_size(named)
    ram = max(ram, int(image.get("min_ram") or 0))
    for flavor in flavors:
        if int(flavor["ram"]) >= ram and _flavor_size(flavor) >= least:
            volume = max(1, int(image.get("min_disk") or 0))
            return Template(flavor["id"], image["id"], volume, wanted.network, config_drive=wanted.config_drive)
    raise SiteError(
        f"{cloud.url}: no flavor with {ram} MiB for image {image['name']}",
        next_step="make a flavor or another image",
    )


def _image(cloud: Cloud, wanted: Wanted) -> Mapping[str, Any]:
    images = [
        image
        for image in cloud.image("GET", "/images")["images"]
        if image.get("status") == "active" and wanted.image in (None, image["name"])
    ]
    if not images:
        raise SiteError(
            f"{cloud.url}: no active image{f' is called {wanted.image}' if wanted.image else ''}",
            next_step="upload one, e.g. CirrOS, for the user of the site file, or name another one (openstack.image)",
        )
    return min(images, key=_image_size)


def _flavor_size(flavor: Mapping[str, Any]) -> tuple[int, int, int]:
    return int(flavor["ram"]), int(flavor["vcpus"]), int(flavor["disk"])


def _image_size(image: Mapping[str, Any]) -> tuple[int, int, str]:
    return int(image.get("min_disk") or 0), int(image.get("size") or 0), str(image["id"])
