"""The worked examples and rows of the steering weigher (Cortex sheet §5) as data, and a few that faults need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from unittests.lab_cortex_scheduling.bodies import VM, flavor
from unittests.lab_cortex_scheduling.objects import SOURCE, Json, failover, hypervisor, slot, source


@dataclass(frozen=True, slots=True)
class Example:
    """A cluster and a request. boosted: of the candidates, in order; label: what is counted, "" for nothing."""

    candidates: str | list[str]
    boosted: tuple[int, ...]
    label: str
    hosts: list[Json] = field(default_factory=list)
    slots: list[Json] = field(default_factory=list)
    sources: list[Json] = field(default_factory=lambda: [source()])
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def reservations(self) -> list[Json]:
        """All of them, the source first."""
        return [*self.sources, *self.slots]


FOUND, NO_SLOT, NO_SOURCE, INVALID = "slot_found", "no_slot", "no_source_slot", "invalid_source_slot"
EXAMPLES = {
    "W1": Example("abc", (1, 0, 0), FOUND, slots=[slot("s", "a"), slot("t", "b", 8)]),
    "W2": Example("ab", (1, 0), NO_SLOT, [hypervisor("a", 32), hypervisor("b", 8)]),
    "W3": Example("ab", (0, 0), NO_SLOT),
    "W4": Example("a", (0,), NO_SLOT, [hypervisor("a", 16)], [slot("s", "a", group="X")]),
    "W5 group": Example("a", (1,), NO_SLOT, [hypervisor("a", 32)], [slot("s", "a", group="X")]),
    "W5 project": Example("a", (1,), NO_SLOT, [hypervisor("a", 32)], [slot("s", "a", project="Q")]),
    "W6": Example("a", (1,), FOUND, slots=[slot("s", "a", 32, 16)]),
    "W7": Example("a", (0,), NO_SLOT, [hypervisor("a", 32, 24)], [slot("s", "a", 16, 8)]),
    "W8": Example("a", (1,), NO_SLOT, [hypervisor("a", 24)], [slot("s", "a", ready=False)]),
    "W9": Example("ab", (0, 1), FOUND, slots=[slot("s", "b", host="a")]),
    "W10": Example([SOURCE], (0,), NO_SLOT, [hypervisor(SOURCE, 64, 48)]),
    "W11": Example(
        [SOURCE], (1,), FOUND, [hypervisor(SOURCE, 64, 48)], sources=[slot("a-source", SOURCE, confirmed=[VM])]
    ),
    "W12": Example(
        "ab", (0, 1), NO_SLOT, [hypervisor("a", 12), hypervisor("b", 20)], changes={"flavor": flavor(memory_mb=8192)}
    ),
    "W13": Example("a", (1,), NO_SLOT, [hypervisor("a", 32, 8)], [failover("f", "a")]),
    "W14": Example("a", (1,), NO_SLOT, [hypervisor("a", 32, cpu=(8, 8))]),
    "B1 create": Example("a", (0,), "", [hypervisor("a", 64)], changes={"hint": None}),
    "B1 evacuate": Example("a", (0,), "", [hypervisor("a", 64)], changes={"hint": "evacuate"}),
    "B1 live_migration": Example("a", (0,), "", [hypervisor("a", 64)], changes={"hint": "live_migration"}),
    "B3": Example("a", (0,), NO_SOURCE, [hypervisor("a", 64)], sources=[slot("s", SOURCE, 16, {VM: 16})]),
    "B4": Example("a", (0,), NO_SOURCE, [hypervisor("a", 64)], sources=[source(ready=False)]),
    "B5": Example("a", (0,), NO_SOURCE, [hypervisor("a", 64)], sources=[source(part=False)]),
    "B6": Example("ab", (0, 0), INVALID, [hypervisor("a", 64)], sources=[source(0)]),
    "E2": Example("a", (1,), NO_SLOT, [hypervisor("a", 16)]),
    "E7b": Example("a", (0,), NO_SLOT, [hypervisor("a", 64, 40)], [slot("s", "a", 16, 8)]),
    "E8": Example("a", (1,), NO_SLOT, [hypervisor("a", None, 20, 48)]),
    "E9": Example("a", (0,), NO_SLOT, [hypervisor("a", 40, 30, 64)]),
    "E13": Example("a", (0,), NO_SLOT, [hypervisor("a", 48, 16)], [slot("s", "a", 24, group="X")]),
    "E15": Example("a", (0,), NO_SLOT, [hypervisor("a", 64, 48)], [slot("s", "a", 16, 8), slot("t", "a", 16, 8)]),
    "two slots": Example("a", (1,), FOUND, slots=[slot("s", "a", 8), slot("t", "a", 16)]),
    "foreign project": Example("a", (0,), NO_SLOT, slots=[slot("s", "a", project="Q")]),
    "foreign group": Example("a", (0,), NO_SLOT, slots=[slot("s", "a", group="X")]),
    "foreign context": Example("a", (1,), FOUND, slots=[slot("s", "a")], changes={"context": {"project_id": "C"}}),
    "unconfirmed elsewhere": Example("a", (1,), FOUND, slots=[slot("s", "a", 32, {VM: 16})]),
}
