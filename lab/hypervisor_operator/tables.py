"""The decision tables one process works with: the product's rows, before them fixes, before those the lab's faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from lab.controllers.decisions import Faults, Table

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Tables:
    """Faults win over fixes, fixes over the product."""

    faults: Faults = field(default_factory=Faults)
    fixes: Faults = field(default_factory=Faults)

    def of(self, table: Table[S]) -> Table[S]:
        """The table as this process has it."""
        return self.faults.ahead_of(self.fixes.ahead_of(table))
