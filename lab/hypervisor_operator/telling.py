"""Controllers that keep one condition of Hypervisors as a table says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.answers import answer
from lab.controllers.decisions import Table
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.words import found
from lab.hypervisor_operator.workers import Done, Names

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ConditionController:
    """table: answers the condition. concerned: names of Hypervisors to look at after a change."""

    desk: Desk
    name: str
    condition: str
    table: Table[Json]
    concerned: Callable[[Change], Iterable[str]]

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Hypervisors, when something that matters changed."""
        return {HYPERVISOR: self.concerned}

    def reconcile(self, name: str) -> Talk[Done]:
        """Write the condition if it says something new."""
        obj = self.desk.hypervisor(name)
        if obj is None:
            return Done()
        wanted: Json = answer(self.desk.tables.of(self.table), obj)
        told = found(obj, self.condition) or {}
        if any(told.get(key) != text for key, text in wanted.items()):
            yield from self.desk.say(self.name, name, wanted)
        return Done()
