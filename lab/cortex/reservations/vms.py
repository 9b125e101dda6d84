"""VMs as Cortex has them from Nova, in the product by way of a database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Vm:
    """One VM. `zone`: of its host; memory in bytes; `created` in product seconds since the epoch."""

    id: str
    project: str
    flavor: str
    zone: str
    memory: int
    vcpus: int
    created: float


class Vms(Protocol):
    """The source of VMs."""

    def exists(self, vm: str) -> bool:
        """Whether Nova knows the VM, wherever it is."""

    def find(self, vm: str) -> Vm | None:
        """A VM by its uuid."""

    def of(self, project: str) -> Iterable[Vm]:
        """The VMs of a project."""


class NovasVms:
    """Straight from the lab's Nova, always fresh."""

    def __init__(self, state: State) -> None:
        self._state = state

    def exists(self, vm: str) -> bool:
        """Deleted ones do not."""
        return self._state.server(vm) is not None

    def find(self, vm: str) -> Vm | None:
        """A VM that is on a host."""
        server = self._state.server(vm)
        return self._read(server) if server is not None and server.host is not None else None

    def of(self, project: str) -> Iterable[Vm]:
        """Those that are on a host."""
        servers = (each for each in self._state.servers() if each.project_id == project)
        return [self._read(each) for each in servers if each.host is not None and not each.deleted]

    def _read(self, server: Server) -> Vm:
        zone = self._state.hosts[server.host].zone if server.host is not None else ""
        flavor = server.flavor
        return Vm(
            server.id, server.project_id, flavor.name, zone, flavor.ram * _MIB, flavor.vcpus, server.created
        )  # fmt: skip
