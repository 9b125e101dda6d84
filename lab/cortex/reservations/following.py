"""What becomes of the VMs in a Ready slot, told from Hypervisors alone: confirmed, dropped, or followed (sheet §6).

A confirmed VM that is seen on another host is followed there when it is the only one in the slot and the host has room
for the rest of the slot; otherwise it leaves the slot, and the slot stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from lab.controllers.answers import Answer, answer, answering, says
from lab.controllers.decisions import Faults, Row, Table, decide
from lab.cortex.scheduling.accounting import has_capacity
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.reserved import Reservation
from lab.cortex.scheduling.view import View


class Fate(StrEnum):
    """What becomes of a VM in a slot."""

    WAIT = "wait"  # it may still be spawning
    CONFIRM = "confirm"
    REMOVE = "remove"
    FOLLOW = "follow"


@dataclass(frozen=True, slots=True)
class Occupant:
    """One VM that is expected in a slot.

    age: product seconds since it was written there. here: whether the slot's host lists it. elsewhere: another host
    that does, None if none. alone: whether it is the only one in the slot. since: when it was first seen as it is now,
    in product seconds since the epoch.
    """

    vm: str
    slot: Reservation
    age: float
    grace: float
    confirmed: bool
    here: bool
    elsewhere: Host | None
    alone: bool
    room: Callable[[], bool]
    since: float

    @property
    def left(self) -> bool:
        """Whether it is where the slot is not."""
        return self.elsewhere is not None and not self.here


OCCUPANTS: Table[Occupant] = Table(
    "cortex-slot-occupants",
    (
        Row("may still spawn", lambda vm: not vm.confirmed and vm.age < vm.grace, says(Fate.WAIT)),
        Row("on the slot's host", lambda vm: vm.here, says(Fate.CONFIRM)),
        Row("never came", lambda vm: not vm.confirmed, says(Fate.REMOVE)),
        Row("on no host", lambda vm: vm.elsewhere is None, says(Fate.REMOVE)),
        Row("followed", lambda vm: vm.alone and vm.room(), says(Fate.FOLLOW)),
        Row("not alone, or no room", lambda _: True, says(Fate.REMOVE)),
    ),
    since=lambda vm: vm.since,
)
"""Answers a Fate; a row that holds leaves the VM as it is."""


@dataclass(frozen=True, slots=True)
class Follow:
    """A slot that follows its VM to a host."""

    slot: Reservation
    host: Host


@dataclass(frozen=True, slots=True)
class Moves:
    """Which of the two hosts of a slot move: spec.targetHost, status.host."""

    target: bool = True
    host: bool = True


FOLLOWS: Table[Follow] = Table("cortex-slot-follows", (Row("both hosts", lambda _: True, says(Moves())),))
"""Answers Moves."""


@dataclass(frozen=True, slots=True)
class Confirmations:
    """Hosts by VM in the status: as they are, and as they were seen."""

    before: Mapping[str, str]
    seen: Mapping[str, str]


CONFIRMATIONS: Table[Confirmations] = Table(
    "cortex-slot-confirmations", (Row("as seen", lambda _: True, answering(lambda both: both.seen)),)
)
"""Answers the hosts by VM that the status is to show."""


@dataclass(frozen=True, slots=True)
class Review:
    """What one look at a slot decided.

    removed: VMs that leave the spec. confirmed: status allocations as they are to be. fresh: VMs confirmed only now.
    target, host: where the slot goes, "" if it stays. waiting: whether a VM may still spawn. wake: when to look again
    because a row holds, in product seconds since the epoch.
    """

    removed: tuple[str, ...]
    confirmed: Mapping[str, str]
    fresh: tuple[str, ...]
    target: str = ""
    host: str = ""
    waiting: bool = False
    wake: float | None = None


def review(slot: Reservation, view: View, ages: Mapping[str, float], since: Mapping[str, float], grace: float,
           faults: Faults) -> Review:  # fmt: skip
    """Look at every VM that is expected in the slot. `ages` and `since`: by VM, as in Occupant."""
    table, before = faults.ahead_of(OCCUPANTS), dict(slot.confirmed or {})
    expected = slot.committed.expected if slot.committed is not None else {}
    removed, seen, waiting, target, wakes = list[str](), dict[str, str](), False, None, list[float]()
    for vm in expected:
        occupant = _occupant(vm, slot, view, ages[vm], since.get(vm, view.now), grace, alone=len(expected) == 1)
        decision = decide(table, occupant, view.now)
        fate = next((effect.value for effect in decision.effects if isinstance(effect, Answer)), None)
        if decision.wake_at is not None:
            wakes.append(decision.wake_at)
        if fate is None:
            seen |= {vm: before[vm]} if vm in before else {}
        elif fate is Fate.WAIT:
            waiting = True
        elif fate is Fate.CONFIRM:
            seen[vm] = slot.host
        elif fate is Fate.FOLLOW and occupant.elsewhere is not None:
            target = occupant.elsewhere
            seen[vm] = target.name
        else:
            removed.append(vm)
    moves: Moves = answer(faults.ahead_of(FOLLOWS), Follow(slot, target)) if target is not None else Moves()
    return Review(
        removed=tuple(removed),
        confirmed=answer(faults.ahead_of(CONFIRMATIONS), Confirmations(before, seen)),
        fresh=tuple(vm for vm in seen if vm not in before),
        target=target.name if target is not None and moves.target else "",
        host=target.name if target is not None and moves.host else "",
        waiting=waiting,
        wake=min(wakes, default=None),
    )


def strayed(slot: Reservation, view: View) -> tuple[str, ...]:
    """Expected VMs that the slot's host does not list."""
    host = view.hosts.get(slot.host)
    expected = slot.committed.expected if slot.committed is not None else {}
    return tuple(vm for vm in expected if host is None or vm not in host.instances)


def _occupant(
    vm: str, slot: Reservation, view: View, age: float, since: float, grace: float, *, alone: bool
) -> Occupant:
    here = view.hosts.get(slot.host)
    elsewhere = next((host for host in view.hosts.values() if host.name != slot.host and vm in host.instances), None)
    return Occupant(
        vm=vm,
        slot=slot,
        age=age,
        grace=grace,
        confirmed=vm in (slot.confirmed or {}),
        here=here is not None and vm in here.instances,
        elsewhere=elsewhere,
        alone=alone,
        room=lambda: elsewhere is not None and has_capacity(view.reservations, elsewhere, slot),
        since=since,
    )
