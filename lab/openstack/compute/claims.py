"""Who holds what in Placement while a server moves (sheet §9): the record the source, the server the target."""

from __future__ import annotations

from lab.openstack.compute.records import Record
from lab.openstack.compute.scheduling import resources_of
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.placement.providers import Allocation, Inventories


class Claims:
    """Allocations of servers and of their migrations."""

    def __init__(self, state: State, inventories: Inventories) -> None:
        self._state = state
        self._inventories = inventories

    def place(self, server: Server, host: str) -> None:
        """The server's allocation is on that host, and nowhere else."""
        provider = self._state.hosts[host].hypervisor_id
        resources = {provider: resources_of(server)}
        self._inventories.release(server.id)
        self._inventories.allocate(Allocation(server.id, resources, server.project_id, server.user_id))

    def move(self, record: Record, server: Server) -> None:
        """The source's part goes to the record, the server claims the target."""
        held = self._inventories.allocation(server.id)
        if held is not None:
            moved = Allocation(record.uuid, held.resources, held.project_id, held.user_id, "MIGRATION")
            self._inventories.allocate(moved)
        if record.dest_compute is not None:
            self.place(server, record.dest_compute)

    def back(self, record: Record, server: Server) -> None:
        """The server has its old allocation again; harmless when nothing was moved."""
        if self._inventories.release(record.uuid) and not server.deleted:
            self.place(server, record.source_compute)

    def settle(self, record: Record) -> None:
        """The source's part is given back."""
        self._inventories.release(record.uuid)

    def drop(self, server: Server) -> None:
        """The server is gone, and its migrations with it."""
        self._inventories.release(server.id)
        for record in self._state.records_of(server.id):
            self._inventories.release(record.uuid)
