"""What reservations block beside the VMs on a host, for all but the SlotEvaluator (Cortex sheet §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.cortex.scheduling.amounts import Amount, Amounts
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.reserved import COMMITTED, Reservation


def unused(reservation: Reservation, *, ignore_allocations: bool = False) -> Amounts:
    """What the reservation blocks on each of its hosts.

    A settled slot with VMs blocks what they leave free, or what the unconfirmed ones take if that is more; everything
    else blocks its full size.
    """
    part = reservation.committed
    settled = reservation.kind == COMMITTED and reservation.target == reservation.host
    if ignore_allocations or not settled or part is None or not part.expected:
        return reservation.resources
    statuses = reservation.confirmed or {}
    confirmed = _sum(each for vm, each in part.expected.items() if vm in statuses)
    pending = _sum(each for vm, each in part.expected.items() if vm not in statuses)
    return {
        name: max(size - confirmed.get(name, 0), 0, pending.get(name, 0))
        for name, size in reservation.resources.items()
    }


def has_capacity(reservations: Iterable[Reservation], host: Host, slot: Reservation) -> bool:
    """Whether a slot could follow its VM to this host, the VM being on it already: every resource counts."""
    free = _free(host, (each for each in reservations if each.name != slot.name and host.name in each.hosts))
    return free is not None and all(name in free and free[name] >= required for name, required in unused(slot).items())


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
        for name, block in unused(reservation).items():
            if name in free:
                free[name] -= block
    return free


def _sum(parts: Iterable[Amounts]) -> dict[str, Amount]:
    total: dict[str, Amount] = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value
    return total
