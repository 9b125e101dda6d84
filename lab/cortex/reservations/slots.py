"""The controller of reservation slots: finds them a host, keeps them Ready, and follows their VMs (cortex sheet §6).

One reconcile at a time. A slot without a host is placed by Cortex's own scheduler; the host goes into the spec, and
the next reconcile takes it over into the status.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import parse_timestamp
from lab.controllers.answers import answer, says
from lab.controllers.decisions import Row, Table
from lab.cortex.flavor_groups import GroupsUnknownError, flavor_groups, group_of
from lab.cortex.kinds import RESERVATION
from lab.cortex.reservations.asking import Wanted, schedule
from lab.cortex.reservations.desk import Desk, capacity_changed, is_slot, part_of
from lab.cortex.reservations.following import Review, review, strayed
from lab.cortex.scheduling.reserved import Reservation, reservation_of
from lab.hypervisor_operator.conversations import Pause, Talk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.workers import Done, Names

Json = Mapping[str, Any]
NAME = "commitment-reservation"
_FLAVOR_UNKNOWN = 300.0  # product seconds
_BETWEEN = (0.002, 0.02)  # product seconds between the two patches of one reconcile


class Step(StrEnum):
    """What one reconcile does with a slot."""

    UNNAMED = "say that it has no flavor"
    REVOKE = "give up its host"
    VERIFY = "verify its VMs"
    PREALLOCATE = "take over its host with its VMs"
    ACTIVATE = "take over its host"
    PLACE = "find a host"


def _named(slot: Reservation) -> bool:
    return bool(part_of(slot.raw).get("resourceName"))


def _expects(slot: Reservation) -> bool:
    return slot.committed is not None and bool(slot.committed.expected)


STEPS: Table[Reservation] = Table(
    "cortex-slots",
    (
        Row("no flavor", lambda slot: not _named(slot), says(Step.UNNAMED)),
        Row("evicted", lambda slot: slot.ready and not slot.target, says(Step.REVOKE)),
        Row("ready", lambda slot: slot.ready, says(Step.VERIFY)),
        Row("made with VMs", lambda slot: _expects(slot) and bool(slot.target), says(Step.PREALLOCATE)),
        Row("placed", lambda slot: bool(slot.target) and slot.host != slot.target, says(Step.ACTIVATE)),
        Row("without a host", lambda _: True, says(Step.PLACE)),
    ),
)
"""Answers a Step."""

_SAID = {
    Step.UNNAMED: ("False", "MissingResourceName", "reservation has no resource name"),
    Step.REVOKE: ("False", "PlacementRevoked", "target host was cleared; pending re-placement"),
    Step.PREALLOCATE: ("True", "PreAllocated", "reservation pre-allocated with VM allocations"),
    Step.ACTIVATE: ("True", "ReservationActive", "reservation is successfully scheduled"),
}


class SlotController:
    """Follows Reservations of commitments, and the Hypervisors their VMs are on."""

    name = NAME

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._strays: dict[str, dict[str, float]] = {}  # by slot and VM: since when it is not where the slot is

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Slots; of Hypervisors only what concerns guests and capacity, and only for slots whose status.host it is."""
        return {RESERVATION: _slots, HYPERVISOR: self._on_host}

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring one slot forward."""
        raw = self._desk.api.find(RESERVATION, "", name)
        if raw is None or not self._desk.alive():
            self._strays.pop(name, None)
            return Done()
        slot = reservation_of(raw)
        step = answer(self._desk.faults.ahead_of(STEPS), slot)
        if step is Step.VERIFY:
            return (yield from self._verify(slot))
        if step is Step.PLACE:
            return (yield from self._place(slot))
        status, reason, message = _SAID[step]
        fields: dict[str, Any] = {}
        if step in (Step.PREALLOCATE, Step.ACTIVATE):
            fields["host"] = slot.target
        elif step is Step.REVOKE:
            fields = {"host": None}
            if slot.confirmed:  # nothing to take away else, not even an empty map
                fields["committedResourceReservation"] = {"allocations": None}
        self._say(slot, status, reason, message, fields, echo=step is not Step.REVOKE)
        return Done()

    def _place(self, slot: Reservation) -> Talk[Done]:
        desk, flavor_name = self._desk, part_of(slot.raw)["resourceName"]
        try:
            found = group_of(flavor_groups(desk.api), flavor_name)
        except GroupsUnknownError:
            return Done(after=desk.settings.retry)
        if found is None:
            return Done(after=_FLAVOR_UNKNOWN)
        hosts = [obj["metadata"]["name"] for obj in desk.stored(HYPERVISOR)]
        if not hosts:
            self._say(slot, "False", "NoHostsAvailable", "no hypervisors available for scheduling")
            return Done(after=desk.settings.retry)
        group, flavor = found
        wanted = Wanted(
            slot.name, part_of(slot.raw).get("projectID", ""), slot.zone, flavor, desk.settings.pipeline(group.name)
        )
        answered = yield from schedule(desk.settings.url, wanted, hosts)
        if not desk.alive():
            return Done()
        if answered.error:
            return Done(error=answered.error)
        if not answered.hosts:
            self._say(slot, "False", "NoHostsFound", "no hosts found for reservation")
            return Done(error=f"no hosts found for reservation {slot.name} (flavor {flavor_name})")
        desk.patch(RESERVATION, slot.name, {"spec": {"targetHost": answered.hosts[0]}})
        return Done()

    def _verify(self, slot: Reservation) -> Talk[Done]:
        desk, settings = self._desk, self._desk.settings
        part = (slot.raw.get("status") or {}).get("committedResourceReservation")
        if slot.committed is not None and (part is None or _observed(part) != _parent(slot.raw)):
            desk.patch_status(RESERVATION, slot.name, {"committedResourceReservation": _echo(slot.raw)})
        if not _expects(slot):
            self._strays.pop(slot.name, None)
            return Done(after=settings.active)
        now, view = desk.api.clock.now(), desk.view()
        before = self._strays.get(slot.name, {})
        since = self._strays[slot.name] = {vm: before.get(vm, now) for vm in strayed(slot, view)}
        ages = {
            vm: now - parse_timestamp(entry["creationTimestamp"])
            for vm, entry in part_of(slot.raw)["allocations"].items()
        }
        decided = review(slot, view, ages, since, settings.allocation_grace, desk.faults)
        yield from self._carry_out(slot, decided)
        after = settings.grace if decided.waiting else settings.active
        return Done(after=after if decided.wake is None else min(after, max(0.0, decided.wake - now)))

    def _carry_out(self, slot: Reservation, decided: Review) -> Talk[None]:
        """The spec first, then the status: for a moment a slot that follows is on both hosts."""
        spec: dict[str, Any] = {}
        if decided.removed:
            expected = part_of(slot.raw).get("allocations") or {}
            spec["committedResourceReservation"] = {"allocations": _without(decided.removed, expected)}
        if decided.target and decided.target != slot.target:
            spec["targetHost"] = decided.target
        if spec:
            self._desk.patch(RESERVATION, slot.name, {"spec": spec})
            yield Pause(self._desk.rng.uniform(*_BETWEEN))
        for vm in decided.fresh:
            self._clear_elsewhere(slot.name, vm)
        status: dict[str, Any] = {}
        before = dict(slot.confirmed or {})
        if dict(decided.confirmed) != before:
            gone = [vm for vm in before if vm not in decided.confirmed]
            kept: Json = {**decided.confirmed, **dict.fromkeys(gone)}
            status["committedResourceReservation"] = {"allocations": kept if decided.confirmed else None}
        if decided.host and decided.host != slot.host:
            status["host"] = decided.host
        if status and self._desk.alive():
            self._desk.patch_status(RESERVATION, slot.name, status)

    def _clear_elsewhere(self, name: str, vm: str) -> None:
        """A VM that is confirmed in one slot is expected in no other."""
        for raw in list(self._desk.stored(RESERVATION)):
            expected = part_of(raw).get("allocations") or {}
            if raw["metadata"]["name"] != name and vm in expected:
                body = {"spec": {"committedResourceReservation": {"allocations": _without((vm,), expected)}}}
                self._desk.patch(RESERVATION, raw["metadata"]["name"], body)

    def _say(
        self, slot: Reservation, status: str, reason: str, message: str, fields: Json | None = None, *,
        echo: bool = True,
    ) -> None:  # fmt: skip
        """The Ready condition, and other fields of the status."""
        new = {"type": "Ready", "status": status, "reason": reason, "message": message}
        before: Json = slot.raw.get("status") or {}
        body: dict[str, Any] = {"conditions": with_condition(before, new, self._desk.api.clock.stamp())["conditions"]}
        if echo and slot.committed is not None:
            body["committedResourceReservation"] = _echo(slot.raw)
        self._desk.patch_status(RESERVATION, slot.name, {**body, **(fields or {})})

    def _on_host(self, change: Change) -> Iterable[str]:
        if not capacity_changed(change):
            return ()
        return [obj["metadata"]["name"] for obj in self._desk.by_host.of(change.new.name) if is_slot(obj)]


def _slots(change: Change) -> Iterable[str]:
    return (change.new.name,) if is_slot(change.new.obj) else ()


def _without(removed: Sequence[str], entries: Json) -> Json | None:
    """As a merge patch says it: the map goes with its last entry, for Go writes no empty one."""
    return dict.fromkeys(removed) if set(entries) - set(removed) else None


def _parent(raw: Json) -> int:
    return int(part_of(raw).get("parentGeneration") or 0)


def _observed(part: Json) -> int:
    return int(part.get("observedParentGeneration") or 0)


def _echo(raw: Json) -> Json:
    """What tells the commitment's controller that the slot was looked at since it was written."""
    return {"observedParentGeneration": _parent(raw)} if _parent(raw) else {}
