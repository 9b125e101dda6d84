"""What reservations block beside the VMs on a host, for all but the SlotEvaluator (Cortex sheet §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.cortex.scheduling.amounts import Amount
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.reserved import Reservation


def has_capacity(reservations: Iterable[Reservation], host: Host, slot: Reservation) -> bool:
    """Whether a slot could follow its VM to this host, the VM being on it already: every resource counts."""
    free = _free(host, (each for each in reservations if each.name != slot.name and host.name in each.hosts))
    return free is not None and all(name in free and free[name] >= required for name, required in slot.unused.items())


def free_capacity(reservations: Iterable[Reservation], host: Host) -> Mapping[str, Amount] | None:
    """What is free on the host by the oversubscription controller's count, negative if too much is on it.

    A reservation without targetHost is on its way out and does not count. None: the host tells no capacity.
    """
    return _free(host, (each for each in reservations if each.target and host.name in each.hosts))


def _free(host: Host, blocking: Iterable[Reservation]) -> Mapping[str, Amount] | None:
    if host.size is None:
        return None
    free = {name: size - host.allocation.get(name, 0) for name, size in host.size.items()}
    for reservation in blocking:
        for name, block in reservation.unused.items():
            if name in free:
                free[name] -= block
    return free
