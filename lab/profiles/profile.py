"""The profile model: nodes, product, cloud, operator."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lab.openstack.shape import CloudShape


class ProfileError(Exception):
    """A profile that is not there or not well formed; the message says which field and what to do."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Card(_Strict):
    """A physical GPU in a node, either cut into mdevs of one type or given away whole (kubevirt sheet §8.2)."""

    address: str = Field(description="PCI address, such as 0000:3b:00.0")
    pci_id: str = Field(description="vendor:device, such as 10de:1eb8")
    resource: str = Field(description="extended resource it is offered as, such as nvidia.com/GRID_T4_2Q")
    mdev_type: str | None = Field(None, description="mdev type name such as GRID T4-2Q; absent: passthrough")
    mdev_type_id: str | None = Field(None, description="such as nvidia-231")
    guest_name: str = Field(description="name that the guest sees")
    instances: int = Field(1, ge=1, description="mdevs of that type on the card; 1 for passthrough")


class Node(_Strict):
    """A node: sizes are Kubernetes quantities."""

    name: str
    roles: tuple[str, ...] = ("worker",)
    cpu: str = "32"
    memory: str = "128Gi"
    cpu_vendor: Literal["Intel", "AMD"] = "Intel"
    labels: dict[str, str] = Field(default_factory=dict)
    cards: tuple[Card, ...] = ()


class Product(_Strict):
    """What is installed."""

    installed_by: Literal["hco", "kubevirt"] = "hco"
    kubevirt: str = "v1.9.0"
    hco: str = "1.19.0"
    openshift_virtualization: str = "5.2.0"
    openshift: str = "5.2.0"
    kubernetes: str = "v1.33.0"


class HypervisorOperator(_Strict):
    """How the hypervisor operator of a cloud is started."""

    program: str = Field(
        default="eviction-parallelism-fixed",
        description="image tag (lab/hypervisor_operator/programs.py); this one keeps all its promises",
    )
    arguments: tuple[str, ...] = Field(default=(), description="flags beside those of the chart")


class Cortex(_Strict):
    """Which Cortex schedules for the cloud, and how it is configured."""

    revision: Literal["R0", "R2", "R3"] = Field(
        default="R3", description="of its migration slot weigher; R0 is the one before there was any"
    )
    tracking: bool = Field(default=True, description="featureGates.committedResourceTracking")


class Profile(_Strict):
    """A whole cluster; without nodes there is no KubeVirt in it, without `openstack` no cloud, operator and Cortex."""

    name: str = ""
    description: str
    product: Product = Product()
    nodes: tuple[Node, ...] = ()
    migration_bandwidth: str = Field("1200Mi", description="bytes per product second on the migration network")
    idle_vgpu_dirty_rate: str = Field("40Mi", description="bytes per product second an idle vGPU guest dirties")
    feature_gates: tuple[str, ...] = Field((), description="KubeVirt gates enabled at the start")
    openstack: CloudShape | None = None
    hypervisor_operator: HypervisorOperator = HypervisorOperator()
    cortex: Cortex | None = None

    @model_validator(mode="after")
    def _cortex_beside_a_cloud(self) -> Self:
        if self.cortex is not None and self.openstack is None:
            raise ValueError("cortex schedules for a cloud: add openstack, or leave cortex out")
        return self
