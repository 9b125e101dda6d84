"""How the scenarios met a fault: exactly those that it declares must be red."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from benchmarks.planrun import RED, PlanRun
from lab.faults import Fault

_KEPT = 9  # lines of the end of a reason


class Cell(StrEnum):
    """How one scenario met one fault."""

    CAUGHT = "caught"
    """Declared, and red."""
    MISSED = "MISSED"
    """Declared, and not red."""
    UNDECLARED = "UNDECLARED"
    """Not declared, and not green: red, or without a judgement."""
    QUIET = "quiet"
    """Not declared, and green."""


@dataclass(frozen=True, slots=True)
class Row:
    """One run: the faults in force together, and what became of the scenarios."""

    faults: tuple[Fault, ...]
    run: PlanRun

    @property
    def name(self) -> str:
        """The faults' names."""
        return " + ".join(fault.name for fault in self.faults)

    @property
    def declared(self) -> frozenset[str]:
        """Scenarios that some of the faults declares."""
        return frozenset[str]().union(*(fault.scenarios for fault in self.faults))

    def cell(self, scenario: str) -> Cell:
        """How the scenario met the faults; one that did not run at all has not met them."""
        verdict = self.run.verdicts.get(scenario, "not run")
        if scenario in self.declared:
            return Cell.CAUGHT if verdict in RED else Cell.MISSED
        return Cell.QUIET if verdict == "passed" else Cell.UNDECLARED

    def of(self, kind: Cell) -> list[str]:
        """Scenarios with that cell, in order."""
        return sorted(name for name in {*self.run.verdicts, *self.declared} if self.cell(name) is kind)

    @property
    def exact(self) -> bool:
        """Whether exactly the declared scenarios are red."""
        return not self.of(Cell.MISSED) and not self.of(Cell.UNDECLARED)

    def story(self) -> str:
        """Every mismatch with the verdict and the end of the reason, a paragraph each."""
        return "\n".join(
            f"{kind} {name} under {self.name}: {self.run.verdicts.get(name, 'not run')}; "
            f"{gist(self.run.reasons.get(name, 'no reason given'))}"
            for kind in (Cell.MISSED, Cell.UNDECLARED)
            for name in self.of(kind)
        )

    def to_json(self) -> dict[str, object]:
        """A JSON object of plain values."""
        return {
            "faults": [fault.name for fault in self.faults],
            "breaks": " ".join(fault.breaks for fault in self.faults),
            "declared": sorted(self.declared),
            "red": sorted(self.run.red),
            "missed": self.of(Cell.MISSED),
            "undeclared": self.of(Cell.UNDECLARED),
            "seconds": round(self.run.seconds, 1),
            "verdicts": dict(self.run.verdicts),
            "reasons": dict(self.run.reasons),
        }


def gist(reason: str) -> str:
    """The beginning of a reason, which names the test, and its end, which says what differs; a story stands between."""
    lines = reason.splitlines()
    return "\n".join(lines if len(lines) <= _KEPT + 1 else [lines[0], "  …", *lines[-_KEPT:]])
