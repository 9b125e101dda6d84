"""The controller `HypervisorTaint`: tells Hypervisors that somebody changed with kubectl (operator sheet §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.apiserver.store import Change
from lab.controllers.answers import answering
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.telling import ConditionController
from lab.hypervisor_operator.words import TAINTED, entry

Json = Mapping[str, Any]
CONTROLLER = "HypervisorTaint"


def _told(obj: Json, by_kubectl: bool) -> Json:
    why, sign = ("Kubectl", "⚠️") if by_kubectl else ("NoKubectl", "🟢")
    return {**entry(TAINTED, by_kubectl, why, sign), "observedGeneration": obj["metadata"].get("generation", 0)}


def _by_kubectl(obj: Json) -> bool:
    entries = obj["metadata"].get("managedFields") or ()
    return any(str(each.get("manager", "")).startswith("kubectl") for each in entries)


TAINT: Table[Json] = Table(
    "taint",
    (
        Row("kubectl", _by_kubectl, answering(lambda obj: _told(obj, True))),
        Row("no kubectl", lambda _: True, answering(lambda obj: _told(obj, False))),
    ),
)
"""Answers the condition Tainted of a Hypervisor."""


def controller(desk: Desk) -> ConditionController:
    """Follows the spec of Hypervisors."""
    return ConditionController(desk, CONTROLLER, TAINTED, TAINT, _concerned)


def _concerned(change: Change) -> Iterable[str]:
    old: Any = None if change.old is None else change.old.obj["metadata"]
    new: Any = change.new.obj["metadata"]
    return () if old is not None and old.get("generation") == new.get("generation") else (change.new.name,)
