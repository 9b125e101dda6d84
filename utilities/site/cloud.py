"""OpenStack on a site, and what stands around it: the hypervisor operator and Cortex."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Field, PositiveFloat, PositiveInt, StringConstraints, model_validator

from utilities.site.part import ExistingFile, Name, Part

Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")]
Trait = Annotated[str, StringConstraints(pattern=r"^[A-Z0-9_]+$", max_length=255)]


class OpenStack(Part):
    """An OpenStack cloud, as an administrator sees it."""

    clouds: ExistingFile
    """A clouds.yaml, as all OpenStack clients read it; a relative path starts at the site file's directory."""
    cloud: str = Field(min_length=1)
    """Name of a cloud in it, whose user is an administrator: migrations and hosts are shown to nobody else."""
    request_timeout: PositiveFloat = 60
    """Wall seconds for a single request to be answered, on every site: the network does not scale."""
    flavor: str | None = Field(default=None, min_length=1)
    """Name of the smallest flavor for test servers; null: the smallest of all. Tests may need one with more memory."""
    image: str | None = Field(default=None, min_length=1)
    """Name of the image that test servers boot; null: the smallest one. Nobody logs in to them."""
    network: str = Field(default="none", min_length=1)
    """Uuid of the network of test servers, or `none`, or `auto`."""
    config_drive: bool = False
    """Whether user data of test servers comes on a drive of their own, as it must where they have no network.

    Nova takes it for a local disk, and refuses to live-migrate such a server unless hosts share the directory of
    instances or keep disks in RBD (nova: virt/libvirt/driver.py, `_is_shared_block_storage`).
    """
    journal: Url | None = None
    """Where a lab tells exactly what it was asked and what it did. No real cloud has that."""

    @model_validator(mode="after")
    def _known_cloud(self) -> Self:
        try:
            found: Any = yaml.safe_load(self.clouds.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ValueError(f"{self.clouds} is not a clouds.yaml: it cannot be read as YAML") from error
        clouds = found.get("clouds") if isinstance(found, dict) else None
        if not isinstance(clouds, dict):
            raise ValueError(f"{self.clouds} is not a clouds.yaml: it has no mapping `clouds`")
        if self.cloud not in clouds:
            raise ValueError(f"no cloud {self.cloud!r} in {self.clouds}; it has: {', '.join(map(str, clouds))}")
        return self


class HypervisorOperator(Part):
    """The operator that takes hypervisors of the cloud out of service."""

    namespace: Name
    """Namespace of its Deployment and pods."""
    deployment: Name | None = None
    """Name of its Deployment; null: it runs without one, such as on a developer's machine."""
    external: bool = False
    """Its flags are not ours to change: tests that need other ones are blocked. So it is without a Deployment, too."""
    eviction_concurrency: PositiveInt | None = None
    """Its flag `--eviction-concurrency`; null: not known."""
    trait_concurrency: dict[Trait, PositiveInt] = Field(default_factory=dict)
    """Its flag `--eviction-trait-concurrency`: limits by trait."""

    @property
    def flags_changeable(self) -> bool:
        """Whether tests may start it with other flags."""
        return self.deployment is not None and not self.external


class Cortex(Part):
    """The scheduler of the cloud."""

    url: Url
    """Where its external scheduler API answers, without a path."""
    metrics: Url | None = None
    """Where its metrics are; null: scenarios that need them are blocked."""
    revision: Literal["R2", "R3"] | None = None
    """Revision of its committed-resource guards; null: not known."""
