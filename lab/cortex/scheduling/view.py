"""The cluster as one run sees it: an immutable snapshot, read and indexed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from lab.cortex.scheduling.hosts import Host, host_of
from lab.cortex.scheduling.reserved import Reservation, reservation_of

Json = Mapping[str, Any]
T = TypeVar("T")


class View:
    """Objects in list order. `now` in product seconds since the epoch: commitments begin and end.

    quotas: ProjectQuota objects by name. Never changed after it is made.
    """

    __slots__ = ("_holding", "commitments", "hosts", "now", "quotas", "reservations")

    def __init__(
        self,
        hosts: Iterable[Host],
        reservations: Iterable[Reservation],
        commitments: Iterable[Json] = (),
        quotas: Iterable[Json] = (),
        now: float = 0.0,
    ) -> None:
        self.hosts: Mapping[str, Host] = {host.name: host for host in hosts}
        self.reservations: tuple[Reservation, ...] = tuple(reservations)
        self.commitments: tuple[Json, ...] = tuple(commitments)
        self.quotas: Mapping[str, Json] = {quota["metadata"]["name"]: quota for quota in quotas}
        self.now = now
        holding: dict[str, list[Reservation]] = {}
        for reservation in self.reservations:
            if reservation.labelled and reservation.confirmed:
                for vm in reservation.confirmed:
                    holding.setdefault(vm, []).append(reservation)
        self._holding = holding

    def holding(self, vm: str) -> tuple[Reservation, ...]:
        """Reservations with the label of slots whose status lists the VM, in list order."""
        return tuple(self._holding.get(vm, ()))


class Lens:
    """Makes views of raw objects, and reads an object again only when it is another one.

    The store never changes an object in place, so the same object means the same content.
    """

    def __init__(self) -> None:
        self._hosts = _Memo(host_of)
        self._reservations = _Memo(reservation_of)

    def view(
        self,
        hypervisors: Iterable[Json],
        reservations: Iterable[Json],
        commitments: Iterable[Json] = (),
        quotas: Iterable[Json] = (),
        now: float = 0.0,
    ) -> View:
        """The snapshot that these lists make. Raises QuantityError for an object that no schema would let through."""
        return View(self._hosts.read(hypervisors), self._reservations.read(reservations), commitments, quotas, now)


class _Memo(Generic[T]):
    def __init__(self, parse: Callable[[Json], T]) -> None:
        self._parse = parse
        self._known: dict[str, tuple[Json, T]] = {}

    def read(self, objects: Iterable[Json]) -> list[T]:
        before, after, found = self._known, {}, []
        for raw in objects:
            name = raw["metadata"]["name"]
            known = before.get(name)
            entry = known if known is not None and known[0] is raw else (raw, self._parse(raw))
            after[name] = entry
            found.append(entry[1])
        self._known = after
        return found
