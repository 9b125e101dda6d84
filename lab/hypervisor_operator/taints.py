"""The controller `HypervisorTaint`: tells Hypervisors that somebody changed with kubectl (operator sheet §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.words import TAINTED, entry, found
from lab.hypervisor_operator.workers import Done, Names

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


class TaintController:
    """Follows the spec of Hypervisors."""

    name = CONTROLLER

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Hypervisors, when their generation changed."""
        return {HYPERVISOR: _concerned}

    def reconcile(self, name: str) -> Talk[Done]:
        """Write the condition if it says something new."""
        obj = self._desk.hypervisor(name)
        if obj is None:
            return Done()
        wanted: Json = answer(self._desk.tables.of(TAINT), obj)
        told = found(obj, TAINTED) or {}
        if any(told.get(key) != text for key, text in wanted.items()):
            yield from self._desk.say(CONTROLLER, name, wanted)
        return Done()


def _concerned(change: Change) -> Iterable[str]:
    old: Any = None if change.old is None else change.old.obj["metadata"]
    new: Any = change.new.obj["metadata"]
    return () if old is not None and old.get("generation") == new.get("generation") else (change.new.name,)
