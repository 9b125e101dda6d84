"""The controller `ready`: one condition that sums up the others (operator sheet §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lab.apiserver.store import Change
from lab.controllers.answers import Answer
from lab.controllers.decisions import Row, Table
from lab.controllers.effects import Effect
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.telling import ConditionController
from lab.hypervisor_operator.words import (
    ABORTED,
    EVICTING,
    FAILED,
    OFFBOARDED,
    ONBOARDING,
    READY,
    SUCCEEDED,
    TERMINATING,
    entry,
    found,
    reason,
    value,
)

Json = Mapping[str, Any]
CONTROLLER = "ready"


def _not_ready(why: str, message: str) -> Callable[[Json], Sequence[Effect]]:
    return lambda _: (Answer(entry(READY, False, why, message)),)


def _onboarding(obj: Json) -> Sequence[Effect]:
    told = (found(obj, ONBOARDING) or {}).get("message", "")
    return (Answer(entry(READY, False, "Onboarding", f"Onboarding in progress: {told}")),)


def _not_started(obj: Json) -> Sequence[Effect]:
    status = obj.get("status") or {}
    why = "Onboarding not started"
    if not obj["spec"].get("lifecycleEnabled"):
        why += ": lifecycle management is disabled"
    elif not status.get("hypervisorId") or not status.get("serviceId"):
        why += (
            ": waiting for nova-compute to register the hypervisor in Nova (HypervisorID/ServiceID not yet available)"
        )
    return (Answer(entry(READY, False, "Onboarding", why)),)


def in_maintenance(obj: Json) -> bool:
    """Whether it is meant to be out of service."""
    return bool(obj["spec"].get("maintenance"))


READINESS: Table[Json] = Table(
    "ready",
    (
        Row(
            "offboarded",
            lambda obj: value(obj, OFFBOARDED) == "True",
            _not_ready("Offboarded", "Hypervisor has been offboarded"),
        ),
        Row(
            "terminating",
            lambda obj: value(obj, TERMINATING) == "True",
            _not_ready("Terminating", "Hypervisor is terminating"),
        ),
        Row("onboarding", lambda obj: value(obj, ONBOARDING) == "True", _onboarding),
        Row(
            "evicting",
            lambda obj: in_maintenance(obj) and value(obj, EVICTING) == "True",
            _not_ready("Evicting", "Hypervisor is disabled and evicting"),
        ),
        Row(
            "evicted",
            lambda obj: in_maintenance(obj) and value(obj, EVICTING) == "False",
            _not_ready("Evicted", "Hypervisor is disabled and evicted"),
        ),
        Row("maintenance", in_maintenance, _not_ready("Maintenance", "Hypervisor is in maintenance mode")),
        Row("not started", lambda obj: found(obj, ONBOARDING) is None, _not_started),
        Row(
            "aborted",
            lambda obj: reason(obj, ONBOARDING) == ABORTED,
            _not_ready("Onboarding", "Onboarding was aborted"),
        ),
        Row(
            "not completed",
            lambda obj: reason(obj, ONBOARDING) != SUCCEEDED,
            _not_ready("Onboarding", "Onboarding not yet completed"),
        ),
        Row("ready", lambda _: True, lambda _: (Answer(entry(READY, True, "Ready", "Hypervisor is ready")),)),
    ),
)
"""Answers the condition Ready of a Hypervisor."""
EVICTION_FAILED: Row[Json] = Row(
    "eviction failed",
    lambda obj: in_maintenance(obj) and value(obj, EVICTING) == "False" and reason(obj, EVICTING) == FAILED,
    _not_ready("Maintenance", "Hypervisor is disabled and its eviction failed"),
)
"""A row the product lacks: there an eviction that failed is told as Succeeded."""


def controller(desk: Desk) -> ConditionController:
    """Follows the status of Hypervisors, and their maintenance."""
    return ConditionController(desk, CONTROLLER, READY, READINESS, _concerned)


def _concerned(change: Change) -> Iterable[str]:
    if change.type == "DELETED":
        return ()
    if change.old is not None:
        old, new = change.old.obj, change.new.obj
        if old.get("status") == new.get("status") and _maintenance(old) == _maintenance(new):
            return ()
    return (change.new.name,)


def _maintenance(obj: Any) -> str:
    return str(obj["spec"].get("maintenance") or "")
