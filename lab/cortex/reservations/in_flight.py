"""The controller of in-flight reservations: each is there until its VM is on a host (cortex sheet §1.1).

Nothing in the product makes them yet. A reservation whose VM turned up on another host than its own stays until that
of the VM's host goes, and takes it along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Row, Table
from lab.cortex.kinds import DOMAIN, RESERVATION
from lab.cortex.reservations.desk import Desk
from lab.cortex.reservations.vms import Vms
from lab.cortex.scheduling.amounts import Amounts, amounts
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.workers import Done, Names

Json = Mapping[str, Any]
NAME = "inflight-reservation"
TYPE = "InFlightReservation"
_AGAIN = 10.0  # product seconds
_RESIZING = ("rebuild", "resize")


@dataclass(frozen=True, slots=True)
class Hold:
    """One reservation. `at`: the host that lists its VM, "" if none; `sized`: whether the VM has its size by now."""

    obj: Json
    at: str
    sized: Callable[[], bool]

    @property
    def part(self) -> Json | None:
        """What makes it in-flight, None without."""
        found: Json | None = self.obj["spec"].get("inFlightReservation")
        return found

    @property
    def target(self) -> str:
        """The host it is on."""
        return str(self.obj["spec"].get("targetHost") or "")

    @property
    def resizing(self) -> bool:
        """Whether the VM was there before, with another size."""
        return self.at == self.target and (self.part or {}).get("intent") in _RESIZING


class Step(StrEnum):
    """What one reconcile does with a reservation."""

    TYPE = "say that it is of another type"
    SPEC = "say that it lacks its part"
    ABSENT = "wait for the VM"
    SIZE = "wait for the VM's size"
    DELETE = "delete all of the VM here"
    STALE = "wait to be deleted"


STEPS: Table[Hold] = Table(
    "cortex-in-flight",
    (
        Row("another type", lambda hold: hold.obj["spec"].get("type") != TYPE, says(Step.TYPE)),
        Row("without its part", lambda hold: hold.part is None, says(Step.SPEC)),
        Row("on no host yet", lambda hold: not hold.at, says(Step.ABSENT)),
        Row("not its size yet", lambda hold: hold.resizing and not hold.sized(), says(Step.SIZE)),
        Row("there", lambda hold: hold.at == hold.target, says(Step.DELETE)),
        Row("elsewhere", lambda _: True, says(Step.STALE)),
    ),
)
"""Answers a Step."""
CONCERNED: Table[Json] = Table(
    "cortex-in-flight-hosts",
    (Row("in-flight ones", lambda _: True, answering(lambda obj: obj["spec"].get("type") == TYPE)),),
)
"""Answers whether a reservation is looked at when the guests of its targetHost change."""

_SAID = {
    Step.TYPE: ("False", "UnexpectedType", "Expected reservation type to be InFlightReservation"),
    Step.SPEC: ("False", "MissingSpec", "In-flight reservation spec is required when type is InFlightReservation"),
    Step.ABSENT: ("Unknown", "InstanceNotFound", "The instance has not spawned on any hypervisor yet"),
    Step.SIZE: ("Unknown", "VMSizeMismatch", "The current VM size does not match the reservation size yet"),
}


class InFlightController:
    """Follows in-flight reservations of Nova, and the guests of their hosts."""

    name = NAME

    def __init__(self, desk: Desk, vms: Vms | None) -> None:
        self._desk = desk
        self._vms = vms

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Its own type; of Hypervisors only changes of guests."""
        return {RESERVATION: _novas, HYPERVISOR: self._on_host}

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring one reservation forward."""
        yield from ()
        obj = self._desk.api.find(RESERVATION, "", name)
        if obj is None or not self._desk.alive():
            return Done()
        hold = Hold(obj, self._whereabouts(obj), lambda: self._size(obj) == amounts(obj["spec"].get("resources")))
        step = answer(self._desk.faults.ahead_of(STEPS), hold)
        if step is Step.DELETE:
            self._delete(hold)
        elif step in _SAID:
            status, reason, message = _SAID[step]
            new = {"type": "Ready", "status": status, "reason": reason, "message": message}
            told = with_condition(obj.get("status") or {}, new, self._desk.api.clock.stamp())
            self._desk.patch_status(RESERVATION, name, {"conditions": told["conditions"]})
        return Done(after=_AGAIN) if step in (Step.ABSENT, Step.SIZE) else Done()

    def _whereabouts(self, obj: Json) -> str:
        vm = (obj["spec"].get("inFlightReservation") or {}).get("vmID")
        hosts = (host.name for host in self._desk.view().hosts.values() if vm in host.instances)
        return next(hosts, "")

    def _size(self, obj: Json) -> Amounts | None:
        vm = (obj["spec"].get("inFlightReservation") or {}).get("vmID", "")
        found = self._vms.find(vm) if self._vms is not None else None
        return None if found is None else {"memory": found.memory, "cpu": found.vcpus}

    def _delete(self, hold: Hold) -> None:
        vm = (hold.part or {}).get("vmID")
        for obj in list(self._desk.stored(RESERVATION)):
            part = obj["spec"].get("inFlightReservation") or {}
            if obj["spec"].get("targetHost") == hold.target and part.get("vmID") == vm:
                self._desk.delete(RESERVATION, obj["metadata"]["name"])

    def _on_host(self, change: Change) -> Iterable[str]:
        if change.type == "MODIFIED" and change.old is not None and _guests(change.old.obj) == _guests(change.new.obj):
            return ()
        table = self._desk.faults.ahead_of(CONCERNED)
        here = (each for each in self._desk.stored(RESERVATION) if each["spec"].get("targetHost") == change.new.name)
        return [each["metadata"]["name"] for each in here if answer(table, each)]


def _novas(change: Change) -> Iterable[str]:
    spec: Any = change.new.obj["spec"]
    return (change.new.name,) if (spec.get("type"), spec.get("schedulingDomain")) == (TYPE, DOMAIN) else ()


def _guests(obj: Mapping[str, Any]) -> object:
    return (obj.get("status") or {}).get("instances")
