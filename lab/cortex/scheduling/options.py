"""What a caller may ask of a run beside the request itself (Cortex sheet §2, options)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.cortex.scheduling.decoding import Kind, Shape

OPTIONS: Shape = {
    "read_only": Kind.FLAG,
    "assume_empty_hosts": Kind.FLAG,
    "lock_reservations": Kind.FLAG,
    "ignored_reservation_types": [Kind.TEXT],
    "max_candidates": Kind.WHOLE,
    "skip_history": Kind.FLAG,
    "skip_inflight": Kind.FLAG,
    "skip_committed_resource_tracking": Kind.FLAG,
}


@dataclass(frozen=True, slots=True)
class Options:
    """`max_candidates`: 0 keeps all. `ignored_types`: reservation types the capacity filter passes over."""

    read_only: bool = False
    assume_empty_hosts: bool = False
    lock_reservations: bool = False
    ignored_types: tuple[str, ...] = ()
    max_candidates: int = 0
    skip_history: bool = False
    skip_inflight: bool = False
    skip_tracking: bool = False

    @property
    def refusal(self) -> str:
        """Why a run refuses these options, "" if it does not."""
        if not self.read_only:
            return ""
        if not self.skip_history:
            return "read-only runs must not write scheduling history: set SkipHistory=true"
        if not self.skip_inflight:
            return "read-only runs cannot create inflight reservations"
        if not self.skip_tracking:
            return "read-only runs must not write CR reservation allocations: set SkipCommittedResourceTracking=true"
        return ""


def options_of(document: Mapping[str, Any]) -> Options:
    """Options from their JSON, which has been found to fit."""

    def flag(key: str) -> bool:
        return bool(document.get(key))

    return Options(
        read_only=flag("read_only"),
        assume_empty_hosts=flag("assume_empty_hosts"),
        lock_reservations=flag("lock_reservations"),
        ignored_types=tuple(document.get("ignored_reservation_types") or ()),
        max_candidates=document.get("max_candidates") or 0,
        skip_history=flag("skip_history"),
        skip_inflight=flag("skip_inflight"),
        skip_tracking=flag("skip_committed_resource_tracking"),
    )
