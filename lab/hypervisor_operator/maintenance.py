"""The controller `HypervisorMaintenance`: disables and enables the compute service, has the host evicted (sheet §3).

Order of one reconcile: change the service in Nova, create or delete the Eviction, write the status. So the Eviction
often sees the service enabled at first and waits 10 s. Conditions double as "already done": a service that somebody
enables in Nova meanwhile is not noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lab.apiserver.builtin.conditions import condition, with_condition
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.hypervisor_operator.labels import transported
from lab.hypervisor_operator.requests import disable_service, enable_service
from lab.hypervisor_operator.words import (
    DISABLED,
    EVICTING,
    FAILED,
    ONBOARDING,
    RUNNING,
    SUCCEEDED,
    entry,
    found,
    reason,
    value,
    without_condition,
)
from lab.hypervisor_operator.workers import Done, Names, itself

Json = Mapping[str, Any]
CONTROLLER = "HypervisorMaintenance"
EMPTYING = ("manual", "auto", "termination")  # with "ha" the HA service empties the host
REASON = "openstack-hypervisor-operator maintenance"
_DISABLED = entry(DISABLED, True, SUCCEEDED, "Hypervisor is disabled")
_ENABLED = entry(DISABLED, False, SUCCEEDED, "Hypervisor is enabled")


@dataclass(frozen=True, slots=True)
class Machine:
    """One Hypervisor as this controller sees it."""

    obj: Json

    @property
    def maintenance(self) -> str:
        """`spec.maintenance`, "" when it is unset."""
        return str((self.obj.get("spec") or {}).get("maintenance") or "")

    @property
    def service(self) -> str:
        """UUID of its Nova service, "" before it registered."""
        return str((self.obj.get("status") or {}).get("serviceId") or "")

    @property
    def evicted(self) -> bool:
        """`status.evicted`."""
        return bool((self.obj.get("status") or {}).get("evicted"))

    @property
    def told(self) -> bool:
        """Whether it says anything of an Eviction."""
        return found(self.obj, EVICTING) is not None

    def says(self, wanted: Json) -> bool:
        """Whether a condition is there in these very words."""
        told = found(self.obj, wanted["type"]) or {}
        return all(told.get(key) == text for key, text in wanted.items())


class Drain(StrEnum):
    """What happens to the Eviction."""

    LEAVE = "leave"
    ENSURE = "ensure"
    DELETE = "delete"
    CLEAR = "delete, and drop the condition"


@dataclass(frozen=True, slots=True)
class Report:
    """What the Hypervisor says of its Eviction."""

    condition: Json
    evicted: bool


SERVICE: Table[Machine] = Table(
    "maintenance-service",
    (
        Row("no service yet", lambda at: not at.service, says(None)),
        Row("to be enabled", lambda at: not at.maintenance and not at.says(_ENABLED), says(_ENABLED)),
        Row("to be disabled", lambda at: at.maintenance in EMPTYING and not at.says(_DISABLED), says(_DISABLED)),
        Row("as told", lambda _: True, says(None)),
    ),
)
"""Answers the condition to set after the request to Nova that goes with it, None when there is nothing to do."""
DRAIN: Table[Machine] = Table(
    "maintenance-eviction",
    (
        Row("evicted no more", lambda at: not at.maintenance and at.evicted, says(Drain.DELETE)),
        Row("out of maintenance", lambda at: not at.maintenance and at.told, says(Drain.CLEAR)),
        Row("in service", lambda at: not at.maintenance, says(Drain.LEAVE)),
        Row("somebody else's", lambda at: at.maintenance not in EMPTYING, says(Drain.LEAVE)),
        Row("done with", lambda at: reason(at.obj, EVICTING) == SUCCEEDED, says(Drain.LEAVE)),
        Row("to be emptied", lambda _: True, says(Drain.ENSURE)),
    ),
)
"""Answers a Drain. After a success it takes two reconciles to forget it: first `evicted` goes, then the condition.
Once succeeded the Eviction is not looked at any more until maintenance is unset."""
REPORT: Table[Json] = Table(
    "maintenance-report",
    (
        Row(
            "over",
            lambda eviction: value(eviction, EVICTING) == "False",
            says(Report(entry(EVICTING, False, SUCCEEDED, "Evicted"), evicted=True)),
        ),  # wart: whatever its reason, so that one that failed counts as evicted (guarantee 25)
        Row("going on", lambda _: True, says(Report(entry(EVICTING, True, RUNNING, "Evicting"), evicted=False))),
    ),
)
"""Answers the Report for an Eviction."""


def failure(eviction: Json) -> Report:
    """What a Hypervisor should say of an Eviction that failed."""
    why = str((found(eviction, EVICTING) or {}).get("message", ""))
    return Report(entry(EVICTING, False, FAILED, why), evicted=False)


FAILURE: Row[Json] = Row(
    "failed",
    lambda eviction: value(eviction, EVICTING) == "False" and reason(eviction, EVICTING) == FAILED,
    answering(failure),
)
"""The row the product lacks."""


class MaintenanceController:
    """Follows Hypervisors, and the Evictions it made."""

    name = CONTROLLER

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Hypervisors, and Evictions by their controller."""
        return {HYPERVISOR: itself, EVICTION: _owner}

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring one Hypervisor and its service together. Nothing happens while it is onboarded."""
        obj = self._desk.hypervisor(name)
        if obj is None or value(obj, ONBOARDING) == "True":
            return Done()
        wanted: Json | None = answer(self._desk.tables.of(SERVICE), Machine(obj))
        status = dict(obj.get("status") or {})
        if wanted is not None:
            error = yield from self._switch(Machine(obj), wanted)
            if error:
                return Done(error=error)
            status = with_condition(status, wanted, self._desk.api.clock.stamp())
        status = self._drained({**obj, "status": status})
        if status != (obj.get("status") or {}):
            yield from self._desk.patch_hypervisor(CONTROLLER, name, lambda present: self._onto(present, status))
        return Done()

    def _switch(self, at: Machine, wanted: Json) -> Talk[str]:
        """Change the service in Nova; returns what went wrong."""
        disable = wanted["status"] == "True"
        self._desk.tell(f'INFO\t{"Disabling" if disable else "Enabling"} hypervisor\t{{"id": "{at.service}"}}')
        request = disable_service(at.service, at.maintenance) if disable else enable_service(at.service)
        outcome = yield from self._desk.session.call(request)
        verb = "disable" if disable else "enable"
        return f"failed to {verb} hypervisor due to {outcome.error}" if outcome.error else ""

    def _drained(self, obj: Json) -> dict[str, Any]:
        """Create or delete the Eviction; returns the status with what is to be said of it."""
        at, status = Machine(obj), dict(obj["status"])
        verb: Drain = answer(self._desk.tables.of(DRAIN), at)
        if verb is Drain.LEAVE:
            return status
        name = obj["metadata"]["name"]
        if verb is Drain.ENSURE:
            eviction = self._desk.api.find(EVICTION, "", name) or self._create(obj)
            report: Report = answer(self._desk.tables.of(REPORT), eviction)
            status = with_condition(status, report.condition, self._desk.api.clock.stamp())
            return {**status, "evicted": report.evicted}
        self._delete(name)
        if verb is Drain.CLEAR:
            status = without_condition(status, EVICTING)
        return {**status, "evicted": False}

    def _create(self, obj: Json) -> Json:
        metadata = obj["metadata"]
        owner = {
            "apiVersion": HYPERVISOR.api_version, "kind": HYPERVISOR.kind, "name": metadata["name"],
            "uid": metadata["uid"], "controller": True, "blockOwnerDeletion": True,
        }  # fmt: skip
        labels = transported(metadata.get("labels") or {}, self._desk.flags.selector)
        body = {
            "metadata": {"name": metadata["name"], "labels": labels, "ownerReferences": [owner]},
            "spec": {"hypervisor": metadata["name"], "reason": REASON},
        }
        self._desk.tell(f'INFO\tCreating new eviction\t{{"name": "{metadata["name"]}"}}')
        return self._desk.api.create(EVICTION, body, caller=self._desk.caller(CONTROLLER))

    def _delete(self, name: str) -> None:
        try:
            self._desk.api.delete(EVICTION, "", name, caller=self._desk.caller(CONTROLLER))
        except ApiError as error:
            if error.code != 404:
                raise

    def _onto(self, present: Json, status: Json) -> Json:
        """The present status with the three things that this controller owns."""
        result = dict(present)
        for kind in (DISABLED, EVICTING):
            told = condition(status, kind)
            if told is not None:
                result = with_condition(result, told, self._desk.api.clock.stamp())
            elif kind == EVICTING:
                result = without_condition(result, kind)
        return {**result, "evicted": status.get("evicted", False)}


def _owner(change: Change) -> Iterable[str]:
    metadata: Any = change.new.obj["metadata"]
    owners = metadata.get("ownerReferences") or ()
    return [entry["name"] for entry in owners if entry.get("controller") and entry["kind"] == HYPERVISOR.kind]
