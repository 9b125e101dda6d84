"""The arena: empty hypervisors of one zone, and slots for servers on them."""

from contextlib import contextmanager
from dataclasses import dataclass

from utilities.cortex.kinds import ZONE_LABEL
from utilities.cortex.objects import GI, Owner, Slot
from utilities.cortex.quantities import number
from utilities.cortex.scene import standing
from utilities.cortex.witness import Committed
from utilities.errors import Blocked
from utilities.history import dig
from utilities.hypervisors.kinds import HYPERVISORS

SLOT = 16
"""GiB of a slot, in which a server of 8 GiB leaves something."""
NEEDED = 4
"""Hosts: the source, one for the slot, and two that would be preferred without it."""


def chosen_zone(nova, hypervisors):
    """The zone with the most hypervisors in service, if no server is on any of them: (name, hosts)."""
    zones = {}
    for host in nova.hosts.all():
        if host.name in hypervisors.names():
            zone = dig(hypervisors.get(host.name), "metadata", "labels", ZONE_LABEL)
            zones.setdefault(zone, []).append(host)
    free = {
        zone: [host.name for host in hosts if host.enabled and host.up]
        for zone, hosts in zones.items()
        if zone and not any(host.servers for host in hosts)
    }
    best = max(free, key=lambda zone: len(free[zone]), default=None)
    if best is None or len(free[best]) < NEEDED:
        raise Blocked(
            f"no zone has {NEEDED} hypervisors in service and no server of others",
            next_step="empty the hypervisors of a zone, and reserve it for the time of the tests",
        )
    return best, tuple(free[best])


@dataclass(frozen=True)
class Arena:
    """Where servers migrate. flavors: (8 GiB, 16 GiB) of one group."""

    admin: object
    nova: object
    cortex: object
    zone: str
    hosts: tuple
    flavors: tuple

    def owner_of(self, server):
        """Whose slots a server may use."""
        found = self.nova.cloud.compute("GET", f"/servers/{server.id}")["server"]
        return Owner(found["tenant_id"], self.flavors[1].group, self.flavors[1].name)

    def slot(self, what, owner, host, *servers, size=SLOT):
        """A slot, with servers confirmed in it."""
        ids = [server.id for server in servers]
        return Slot(self.cortex.name(what), owner, host, size, expected=dict.fromkeys(ids, 8), confirmed=tuple(ids))

    def committed(self, server, slot):
        """A server in its slot, to be watched."""
        return Committed(server, 8 * 1024, slot.name, slot.size)

    def fillers(self, hosts, *, left):
        """Slots of somebody else that leave so many GiB on each of these hosts."""
        somebody = Owner("migration-plans-somebody", "migration-plans-other", self.flavors[1].name)
        return [self.slot("filler", somebody, host, size=self._free(host) - left) for host in hosts]

    @contextmanager
    def holding(self, slots):
        """With these slots."""
        with standing(self.admin, (), slots, zone=self.zone):
            yield

    def _free(self, name):
        status = self.admin.rest.get(HYPERVISORS, name)["status"]
        taken = number(dig(status, "allocation", "memory"))
        return int((number(dig(status, "effectiveCapacity", "memory")) - taken) // GI)


@dataclass(frozen=True)
class Crowd:
    """Servers by name, and the slots of those that have one. others: hosts without room for a slot."""

    arena: Arena
    servers: dict
    slots: dict
    slot_host: str
    others: tuple

    def committed(self, name, slot=None):
        """A server in its slot, to be watched."""
        return self.arena.committed(self.servers[name], self.slots[slot or name])
