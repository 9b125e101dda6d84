"""The controller of hosts with too much on them: after a while it takes a slot away, which is placed again (sheet §6).

What it remembers of a host ends with the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer, says
from lab.controllers.decisions import Row, Table
from lab.cortex.kinds import RESERVATION
from lab.cortex.reservations.desk import Desk, capacity_changed
from lab.cortex.scheduling.accounting import free_capacity
from lab.cortex.scheduling.amounts import CPU, MEMORY, Amount, Amounts
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.reserved import COMMITTED, Reservation
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.workers import Done, Names

NAME = "host-oversubscription"
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class Check:
    """One look at a host. `excess`: by resource what is too much, None if the host tells no capacity.

    lasted: product seconds since it was first seen, or since a slot was last taken away. victim: the slot to go.
    """

    host: Host
    excess: Amounts | None
    lasted: float
    grace: float
    evicting: bool
    victim: Reservation | None


class Step(StrEnum):
    """What follows of a look at a host."""

    NOTHING = "nothing"
    RESOLVED = "forget it"
    WAIT = "give others time"
    WATCH = "watch on"
    EVICT = "take a slot away"


CHECKS: Table[Check] = Table(
    "cortex-oversubscription",
    (
        Row("not ready", lambda check: check.host.conditions.get("Ready") != "True", says(Step.NOTHING)),
        Row("no capacity", lambda check: check.excess is None, says(Step.NOTHING)),
        Row("within bounds", lambda check: not check.excess, says(Step.RESOLVED)),
        Row("not for long", lambda check: check.lasted < check.grace, says(Step.WAIT)),
        Row("not to be evicted", lambda check: not check.evicting, says(Step.WATCH)),
        Row("nothing to evict", lambda check: check.victim is None, says(Step.WATCH)),
        Row("too much for too long", lambda _: True, says(Step.EVICT)),
    ),
)
"""Answers a Step."""


class OversubscriptionController:
    """Follows Hypervisors, and the reservations that are or were on them."""

    name = NAME

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._since: dict[str, float] = {}
        self._checked: dict[str, float] = {}

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Hypervisors by guests and capacity, reservations of all types by status.host."""
        return {HYPERVISOR: _changed, RESERVATION: _hosts}

    def reconcile(self, name: str) -> Talk[Done]:
        """Look at one host, though not too often."""
        yield from ()
        desk, settings, now = self._desk, self._desk.settings, self._desk.api.clock.now()
        if not desk.alive():
            return Done()
        rest = self._checked.get(name, float("-inf")) + settings.oversubscription_check - now
        if rest > 0:
            return Done(after=rest)
        self._checked[name] = now
        view = desk.view()
        host = view.hosts.get(name)
        if host is None:
            return Done()
        return self._check(host, view.reservations, now)

    def _check(self, host: Host, reservations: Iterable[Reservation], now: float) -> Done:
        settings, here = self._desk.settings, [each for each in reservations if host.name in each.hosts]
        excess = _excess(here, host)
        since = self._since.setdefault(host.name, now) if excess else now
        grace = settings.oversubscription_grace
        check = Check(host, excess, now - since, grace, settings.eviction, victim(here))
        step = answer(self._desk.faults.ahead_of(CHECKS), check)
        if step in (Step.RESOLVED, Step.WAIT, Step.WATCH, Step.EVICT):
            self._show(host, excess or {})
        if step is Step.RESOLVED:
            self._since.pop(host.name, None)
        elif step is Step.WAIT:
            return Done(after=grace - check.lasted)
        elif step in (Step.WATCH, Step.EVICT):
            if step is Step.EVICT and check.victim is not None:
                self._evict(check.victim, host)
                self._show(host, _excess([each for each in here if each is not check.victim], host) or {})
            self._since[host.name] = now
            return Done(after=grace)
        return Done()

    def _evict(self, slot: Reservation, host: Host) -> None:
        spec: dict[str, Any] = {"targetHost": None, "committedResourceReservation": {"allocations": None}}
        self._desk.patch(RESERVATION, slot.name, {"spec": spec})
        self._desk.metrics().evicted_reservations.inc(host.zone or "")

    def _show(self, host: Host, excess: Amounts) -> None:
        gauge = self._desk.metrics().oversubscribed
        gauge.forget(host.name)
        for resource, amount in excess.items():
            gauge.set(host.name, host.zone or "", resource, to=float(amount))


def victim(reservations: Iterable[Reservation]) -> Reservation | None:
    """The smallest slot without VMs, else the idlest one, by tenths of its memory, then of its CPUs."""
    slots = [each for each in reservations if each.kind == COMMITTED and each.committed is not None and each.target]
    empty = [slot for slot in slots if slot.committed is not None and not slot.committed.expected]
    if empty:
        return min(empty, key=lambda slot: (slot.memory, slot.resources.get(CPU, 0)))
    return min(slots, key=lambda slot: (-_idle(slot, MEMORY), -_idle(slot, CPU), slot.memory), default=None)


def _idle(slot: Reservation, resource: str) -> int:
    size: Amount = slot.resources.get(resource, 0)
    return int(slot.unused.get(resource, 0) * _TENTHS // size) if size else 0


def _excess(reservations: Iterable[Reservation], host: Host) -> Amounts | None:
    free = free_capacity(reservations, host)
    return None if free is None else {name: -amount for name, amount in free.items() if amount < 0}


def _changed(change: Change) -> Iterable[str]:
    return (change.new.name,) if capacity_changed(change) else ()


def _hosts(change: Change) -> Iterable[str]:
    states = (change.old, change.new) if change.old is not None else (change.new,)
    found: Iterable[Any] = (state.obj for state in states)
    return filter(None, dict.fromkeys((obj.get("status") or {}).get("host") for obj in found))
