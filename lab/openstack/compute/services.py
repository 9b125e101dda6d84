"""What can be asked of compute services and aggregates (openstack sheet §7, §8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.openstack.compute.hosts import Aggregate, Host
from lab.openstack.compute.moves import Moves
from lab.openstack.compute.state import State
from lab.openstack.placement.providers import DISABLED, Inventories
from lab.openstack.refusals import RefusalError


@dataclass(frozen=True, slots=True)
class Services:
    """Services of one cloud."""

    state: State
    inventories: Inventories
    moves: Moves

    def enable(self, host: Host) -> Host:
        """Let the scheduler use it again."""
        return self._able(host, {"disabled": False, "disabled_reason": None})

    def disable(self, host: Host, reason: str | None) -> Host:
        """Keep the scheduler away: the resource provider gets its trait at once."""
        return self._able(host, {"disabled": True, "disabled_reason": reason})

    def force_down(self, host: Host, down: bool) -> Host:
        """Treat it as down, or take that back."""
        return self._changed(host, {"forced_down": down})

    def set_up(self, host: Host, up: bool) -> Host:
        """What happens when nova-compute stops or starts; a start gives back servers whose migration was cut off."""
        changed = self._changed(host, {"up": up})
        if not up:
            self.moves.interrupt(host.name)
            return changed
        for server in self.state.servers_on(host.name):
            if server.task_state == "migrating" and all(r.over for r in self.state.records_of(server.id)):
                self.state.change_server(server.id, {"task_state": None, "progress": 0})
        return changed

    def delete(self, host: Host) -> None:
        """Take a service away with its resource provider; refuses with 409 while it is in use."""
        if self.state.servers_on(host.name):
            raise RefusalError(
                409,
                "Unable to delete compute service that is hosting instances. Migrate or delete the instances first.",
            )
        if any(host.name in (r.source_compute, r.dest_compute) for r in self.state.open_records()):
            raise RefusalError(
                409,
                "Unable to delete compute service that has in-progress migrations. "
                "Complete the migrations or delete the instances first.",
            )
        for aggregate in tuple(self.state.aggregates.values()):
            if host.name in aggregate.hosts:
                self._set_hosts(aggregate, tuple(name for name in aggregate.hosts if name != host.name))
        if self.inventories.find(host.hypervisor_id) is not None:
            self.inventories.remove(host.hypervisor_id)
        del self.state.hosts[host.name]

    def add_to_aggregate(self, aggregate: Aggregate, host: str) -> Aggregate:
        """Put a host into an aggregate; refuses with 404 and 409."""
        if host not in self.state.hosts:
            raise RefusalError(404, f"Compute host {host} could not be found.")
        if host in aggregate.hosts:
            raise RefusalError(409, f"Aggregate {aggregate.id} already has host {host}.")
        return self._set_hosts(aggregate, (*aggregate.hosts, host))

    def remove_from_aggregate(self, aggregate: Aggregate, host: str) -> Aggregate:
        """Take a host out of an aggregate; refuses with 404."""
        if host not in self.state.hosts:
            raise RefusalError(404, f"Compute host {host} could not be found.")
        if host not in aggregate.hosts:
            raise RefusalError(404, f"Aggregate {aggregate.id} has no host {host}.")
        return self._set_hosts(aggregate, tuple(name for name in aggregate.hosts if name != host))

    def _set_hosts(self, aggregate: Aggregate, hosts: tuple[str, ...]) -> Aggregate:
        changed = replace(aggregate, hosts=hosts, updated=self.state.clock.now())
        self.state.aggregates[aggregate.id] = changed
        return changed

    def _able(self, host: Host, fields: dict[str, object]) -> Host:
        changed = self._changed(host, fields)
        self.inventories.mark(host.hypervisor_id, DISABLED, changed.disabled)
        return changed

    def _changed(self, host: Host, fields: dict[str, object]) -> Host:
        changed = self.state.change_host(host.name, fields)
        self.moves.poke_host(host.name)
        return changed
