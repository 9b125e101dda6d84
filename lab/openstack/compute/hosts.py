"""Compute services with their hypervisors, aggregates of hosts, and groups of servers (openstack sheet §6, §7, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Host:
    """A nova-compute service and the one hypervisor it serves. `up`: whether the service reports."""

    name: str
    node: str  # hypervisor_hostname
    hypervisor_id: str
    service_id: str
    number: int  # row in the database
    zone: str
    ip: str
    vcpus: int
    ram: int  # MiB
    disk: int  # GiB
    cpu_ratio: float
    updated: float
    disabled: bool = False
    disabled_reason: str | None = None
    forced_down: bool = False
    up: bool = True

    @property
    def alive(self) -> bool:
        """Whether Nova takes the service for up."""
        return self.up and not self.forced_down


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A host aggregate."""

    id: int
    uuid: str
    name: str
    zone: str | None
    hosts: tuple[str, ...]
    created: float
    metadata: Mapping[str, str] = field(default_factory=dict)
    updated: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A server group."""

    id: str
    name: str
    policy: str
    project_id: str
    user_id: str
    members: tuple[str, ...] = ()
