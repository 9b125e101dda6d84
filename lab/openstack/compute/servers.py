"""Servers as Nova keeps them: frozen values, replaced at every change (openstack sheet §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.openstack.compute.flavors import Flavor
from lab.openstack.shape import Disk

NO_STATE, RUNNING, PAUSED, SHUTDOWN, CRASHED, SUSPENDED = 0, 1, 3, 4, 6, 7  # power states


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a server is in ERROR."""

    code: int
    message: str
    created: float
    details: str = ""


@dataclass(frozen=True, slots=True)
class Server:
    """One server. `entered`: when vm_state or task_state last changed. Times are product seconds since the epoch."""

    id: str
    name: str
    project_id: str
    user_id: str
    flavor: Flavor
    created: float
    updated: float
    entered: float
    instance_name: str
    reservation_id: str
    vm_state: str = "building"
    task_state: str | None = None
    power_state: int = NO_STATE
    host: str | None = None
    node: str | None = None
    zone: str | None = None  # the one asked for
    wanted_host: str | None = None  # the one asked for
    image_id: str = ""  # "": booted from a volume
    disk: Disk = "volume"
    volume_id: str | None = None
    addresses: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    description: str | None = None
    key_name: str | None = None
    user_data: str | None = None
    config_drive: bool = False
    launched: float | None = None
    terminated: float | None = None
    fault: Fault | None = None
    progress: int = 0
    locked: bool = False
    locked_reason: str | None = None
    old_vm_state: str = ""  # before a resize
    deleted: bool = False
