"""What every controller sees of a VMI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.kubevirt.facts import is_deleting, is_final, phase


@dataclass(frozen=True, slots=True)
class SeenVmi:
    """A VMI at one moment."""

    vmi: Mapping[str, Any]

    @property
    def phase(self) -> str:
        """`status.phase`."""
        return phase(self.vmi)

    @property
    def deleting(self) -> bool:
        """Whether somebody deleted it."""
        return is_deleting(self.vmi)

    @property
    def final(self) -> bool:
        """Whether it is Succeeded or Failed."""
        return is_final(self.vmi)
