"""Double-blocking: memory that a commitment holds beyond its slots while a VM moves (cortex sheet §6).

over(t) = what its VMs take on all Hypervisors that list them, and what its slots keep unused on their hosts, less the
size of the slots. 0 when nothing is blocked twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from utilities.cortex.quantities import number
from utilities.errors import NotEnoughEvidence
from utilities.history import HYPERVISOR, Change, Obj, Record, Recording, dig

T = TypeVar("T")
RESERVATION = "Reservation"
_EPSILON = 1.0  # byte


@dataclass(frozen=True, slots=True)
class Place:
    """Where a slot is. target: of its spec; host: of its status; expected: VMs in its spec; confirmed: hosts by VM."""

    target: str
    host: str
    expected: tuple[str, ...]
    confirmed: Mapping[str, str]

    @classmethod
    def of(cls, slot: Obj) -> Place:
        """Of a Reservation."""
        part = dig(slot, "spec", "committedResourceReservation", "allocations") or {}
        told = dig(slot, "status", "committedResourceReservation", "allocations") or {}
        return cls(dig(slot, "spec", "targetHost") or "", dig(slot, "status", "host") or "", tuple(part), dict(told))

    def settled_with(self, vm: str, host: str) -> bool:
        """Whether the slot is on a host altogether, with a VM confirmed there."""
        return self.target == self.host == host and self.confirmed.get(vm) == host

    def __str__(self) -> str:
        where = (
            self.target or "nowhere" if self.target == self.host else f"on the way from {self.host} to {self.target}"
        )
        return f"{where}, {len(self.expected)} VMs expected, {len(self.confirmed)} confirmed"


@dataclass(frozen=True, slots=True)
class Level:
    """What was blocked twice from one product time until another, bytes."""

    start: float
    end: float
    over: float


@dataclass(frozen=True, slots=True)
class Blocking:
    """Of one commitment over a recording of Reservations and Hypervisors. slots: names; vms: sizes in bytes by uuid."""

    recording: Recording
    slots: Collection[str]
    vms: Mapping[str, float]

    def levels(self) -> tuple[Level, ...]:
        """over(t), piece by piece, from the first state to the last. Raises NotEnoughEvidence if states are missing.

        Objects tell times to the second; what came and went within one has a length of 0.
        """
        for kind in (RESERVATION, HYPERVISOR):
            self.recording.require_whole(kind)
        places: dict[str, Obj] = {}
        lists: dict[str, Obj] = {}
        listed, written = list[Record](), list[Record]()
        for record in self.recording.records:
            (listed if record.change is Change.LISTED else written).append(record)
        for record in listed:
            self._note(record, places, lists)
        at = self._began
        points = [(at, self._over(places, lists))] if places else []
        for record in written:
            if self._note(record, places, lists):
                at = max(at, record.product_time or 0.0)
                points.append((at, self._over(places, lists)))
        if not points:
            raise NotEnoughEvidence("none of the slots was recorded", next_step="record from before the VM moves")
        ends = [*points[1:], (at, 0.0)]
        pieces = (Level(start, end, over) for (start, over), (end, _) in zip(points, ends, strict=True))
        return tuple(_joined(pieces))

    @property
    def _began(self) -> float:
        """The newest time that anything told when the recording began."""
        listed = (record.product_time for record in self.recording.records if record.change is Change.LISTED)
        return max((stamp for stamp in listed if stamp is not None), default=0.0)

    @property
    def peak(self) -> float:
        """The most that was blocked twice, bytes."""
        return max(level.over for level in self.levels())

    @property
    def seconds(self) -> float:
        """Product seconds for which something was."""
        return sum(level.end - level.start for level in self.levels() if level.over > _EPSILON)

    @property
    def over_time(self) -> float:
        """Byte seconds."""
        return sum((level.end - level.start) * level.over for level in self.levels() if level.over > _EPSILON)

    @property
    def closed(self) -> bool:
        """Whether nothing was at the end."""
        return self.levels()[-1].over <= _EPSILON

    def hosts_of(self, vm: str) -> tuple[tuple[str, float, float], ...]:
        """When a VM was listed by which Hypervisor: (name, from, until), product seconds."""
        return tuple(
            (name, start, end)
            for name in sorted({record.key for record in self.recording.of_kind(HYPERVISOR)})
            for listed, start, end in self._spans(HYPERVISOR, name, lambda obj: vm in _vms(obj))
            if listed
        )

    def places_of(self, slot: str) -> tuple[tuple[Place, float, float], ...]:
        """Where a slot was, and when, product seconds."""
        return tuple(self._spans(RESERVATION, slot, Place.of))

    def _spans(self, kind: str, name: str, pick: Callable[[Obj], T]) -> Iterator[tuple[T, float, float]]:
        steps = self.recording.steps(kind, name, pick)
        first, last = self.levels()[0].start, self.levels()[-1].end
        starts = [max(first, step.record.product_time or first) for step in steps]
        starts = [max(starts[: number + 1]) for number in range(len(starts))]
        for step, (start, end) in zip(steps, pairwise([*starts, max(last, *starts)]), strict=True):
            yield step.value, start, end

    def _note(self, record: Record, places: dict[str, Obj], lists: dict[str, Obj]) -> bool:
        """Keep a state of one of the slots or of a Hypervisor; answers whether it was one."""
        if record.kind == HYPERVISOR:
            _keep(lists, record.key, record.object, gone=record.gone)
        elif record.key in self.slots:
            _keep(places, record.key, record.object, gone=record.gone)
        else:
            return False
        return True

    def _over(self, places: Mapping[str, Obj], lists: Mapping[str, Obj]) -> float:
        on_hosts = sum(size for vm, size in self.vms.items() for obj in lists.values() if vm in _vms(obj))
        sizes = sum(_size(slot) for slot in places.values())
        return on_hosts + sum(_unused(slot) for slot in places.values()) - sizes


def _keep(known: dict[str, Obj], key: str, obj: Obj, *, gone: bool) -> None:
    known[key] = obj
    if gone:
        del known[key]


def _size(slot: Obj) -> float:
    return number(dig(slot, "spec", "resources", "memory"))


def _unused(slot: Obj) -> float:
    """What a slot keeps on all its hosts: the whole of it while it is in transit, else what its VMs leave."""
    place, size = Place.of(slot), _size(slot)
    hosts = len({place.target, place.host} - {""})
    if place.target != place.host or not place.expected:
        return size * hosts
    sizes = dig(slot, "spec", "committedResourceReservation", "allocations") or {}
    memory = {vm: number(dig(entry, "resources", "memory")) for vm, entry in sizes.items()}
    confirmed = sum(each for vm, each in memory.items() if vm in place.confirmed)
    return max(size - confirmed, 0.0, sum(memory.values()) - confirmed)


def _vms(hypervisor: Obj) -> frozenset[str]:
    return frozenset(instance["id"] for instance in dig(hypervisor, "status", "instances") or ())


def _joined(levels: Iterable[Level]) -> Iterator[Level]:
    kept: Level | None = None
    for level in levels:
        if kept is not None and abs(kept.over - level.over) <= _EPSILON:
            kept = Level(kept.start, level.end, kept.over)
            continue
        if kept is not None:
            yield kept
        kept = level
    if kept is not None:
        yield kept
