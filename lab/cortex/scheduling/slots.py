"""The SlotEvaluator: what reservation slots on a host offer, and what they leave free (Cortex sheet §4).

Four other counts of "free" live beside it (accounting, the capacity filter): this one looks at memory only, at Ready
slots with the label only, at their targetHost only, and at their full size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Faults, Row, Table
from lab.cortex.scheduling.amounts import MEMORY, NOTHING, Amount, Amounts
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.reserved import Committed, Reservation
from lab.cortex.scheduling.view import View


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose slots are asked for. vm and context_project: of the request, beside what decides."""

    project: str
    group: str
    vm: str = ""
    context_project: str = ""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A slot's project and group, and whose slots are asked for."""

    part: Committed
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class Held:
    """A slot that matches."""

    slot: Reservation
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class Offer:
    """What a host has, in bytes. remaining: of matching slots, in list order; own: what those block."""

    remaining: tuple[Amount, ...]
    free: Amount
    blocks: Amount
    own: Amount
    need: Amount


def less(size: Amount, taken: Amount) -> int:
    """Bytes left of a size, never below zero."""
    return max(ceil(size) - ceil(taken), 0)


def left(host: Host, size: Amounts | None) -> int:
    """Bytes that the VMs leave of this size of the host."""
    return less((size or NOTHING).get(MEMORY, 0), host.allocation.get(MEMORY, 0))


SLOT: Table[Reservation] = Table(
    "cortex-slot",
    (
        Row("not ready", lambda slot: not slot.ready, says(())),
        Row("no specification", lambda slot: slot.committed is None, says(())),
        Row("at its target", lambda _: True, answering(lambda slot: (slot.target,))),
    ),
)
"""Answers the hosts on which a reservation with the label is a slot."""
MATCH: Table[Pairing] = Table(
    "cortex-slot-match",
    (
        Row(
            "project and group",
            lambda _: True,
            answering(lambda pair: pair.part.matches(pair.wanted.project, pair.wanted.group)),
        ),
    ),
)
"""Answers whether a slot is for this project and group."""
REMAINING: Table[Held] = Table(
    "cortex-slot-remaining",
    (
        Row(
            "less what is expected",
            lambda _: True,
            answering(lambda held: less(held.slot.memory, held.slot.expected_memory)),
        ),
    ),
)
"""Answers the bytes a slot still offers."""
FREE: Table[Host] = Table(
    "cortex-free",
    (
        Row("effective", lambda host: host.effective is not None, answering(lambda host: left(host, host.effective))),
        Row("capacity", lambda _: True, answering(lambda host: left(host, host.capacity))),
    ),
)
"""Answers the bytes of a host that no VM has, slots not looked at."""
CAPACITY: Table[Offer] = Table(
    "cortex-slot-capacity",
    (
        Row(
            "one slot has room",
            lambda offer: any(remaining >= offer.need for remaining in offer.remaining),
            says(True),
        ),
        Row("no slot has", lambda _: True, says(False)),
    ),
)
"""Answers whether a slot on the host takes what is needed by itself; the host's memory is not looked at."""
ROOM: Table[Offer] = Table(
    "cortex-accommodate",
    (
        Row("room beside the slots", lambda offer: offer.free - offer.blocks >= offer.need, says(True)),
        Row("no room", lambda _: True, says(False)),
    ),
)
"""Answers whether the host has room for another slot beside those it has."""


class SlotEvaluator:
    """Answers for one view. Sizes in bytes."""

    def __init__(self, view: View, faults: Faults | None = None) -> None:
        self._view = view
        faults = faults or Faults()
        self._match, self._remaining = faults.ahead_of(MATCH), faults.ahead_of(REMAINING)
        self._free, self._capacity, self._room = faults.ahead_of(FREE), faults.ahead_of(CAPACITY), faults.ahead_of(ROOM)
        self._slots: dict[str, list[Reservation]] = {}
        slot = faults.ahead_of(SLOT)
        for reservation in view.reservations:
            if reservation.labelled:
                for host in answer(slot, reservation):
                    self._slots.setdefault(host, []).append(reservation)
        self._matches: dict[Wanted, dict[tuple[str, str], bool]] = {}

    def free(self, host: str) -> Amount:
        """Bytes that no VM has; none on a host without a Hypervisor."""
        known = self._view.hosts.get(host)
        found: Amount = 0 if known is None else answer(self._free, known)
        return found

    def blocks(self, host: str) -> int:
        """Bytes of all slots on the host, whoever's they are and whatever is in them."""
        return _blocks(self._slots.get(host, ()))

    def matching(self, host: str, wanted: Wanted) -> tuple[Reservation, ...]:
        """Slots on the host for this project and group, in list order."""
        slots = self._slots.get(host)
        if not slots:
            return ()
        known = self._matches.setdefault(wanted, {})
        return tuple(
            slot for slot in slots if slot.committed is not None and self._matching(slot.committed, wanted, known)
        )

    def remaining(self, slot: Reservation, wanted: Wanted) -> Amount:
        """Bytes the slot still offers."""
        found: Amount = answer(self._remaining, Held(slot, wanted))
        return found

    def offer(self, host: str, wanted: Wanted, need: Amount) -> Offer:
        """What the host has for a need of so many bytes."""
        slots = self.matching(host, wanted)
        return Offer(
            remaining=tuple(self.remaining(slot, wanted) for slot in slots),
            free=self.free(host),
            blocks=self.blocks(host),
            own=_blocks(slots),
            need=need,
        )

    def has_usable_slot(self, host: str, wanted: Wanted, need: Amount) -> bool:
        """Whether some slot takes a VM of this size, host memory that is free making up for what the slot lacks."""
        offer = self.offer(host, wanted, need)
        return any(left > 0 and offer.free - offer.blocks + left >= need for left in offer.remaining)

    def has_slot_with_capacity(self, offer: Offer) -> bool:
        """Whether a slot takes it by itself."""
        return bool(answer(self._capacity, offer))

    def can_accommodate(self, offer: Offer) -> bool:
        """Whether a slot of the size needed has room beside those on the host."""
        return bool(answer(self._room, offer))

    def _matching(self, part: Committed, wanted: Wanted, known: dict[tuple[str, str], bool]) -> bool:
        key = (part.project, part.group)
        if key not in known:
            known[key] = bool(answer(self._match, Pairing(part, wanted)))
        return known[key]


def _blocks(slots: Iterable[Reservation]) -> int:
    return sum(ceil(slot.memory) for slot in slots)
