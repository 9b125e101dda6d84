"""Which servers are on the hypervisor: asked once before the first migration (operator sheet §2.1, preflight).

The list is never taken again: what arrives later is not seen (operator sheet §8 row 13). At microversion 2.90 Nova
leaves `memory_mb_used` out, so outstandingRamMb is always 0 against a Nova that conforms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lab.controllers.answers import says
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.requests import Outcome

PASSED = "Preflight checks passed, hypervisor is disabled and ready for eviction"
NO_HYPERVISOR = "eviction completed successfully due to expected case of no hypervisor"
ENABLED = "hypervisor not disabled"
COMPLETED = "eviction completed successfully"
_FINAL = ("completed", "confirmed", "reverted", "error", "failed", "cancelled", "done")


class Verdict(StrEnum):
    """What the answer about the hypervisor means."""

    LISTED = "listed"
    ABORT = "abort"
    NOTHING_THERE = "nothing there"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Listing:
    """The answer; `registered`: Nova must know the hypervisor."""

    outcome: Outcome
    registered: bool


LISTING: Table[Listing] = Table(
    "eviction-listing",
    (
        Row("listed", lambda found: not found.outcome.error, says(Verdict.LISTED)),
        Row("unknown to Nova", lambda found: found.outcome.missing and found.registered, says(Verdict.ABORT)),
        Row("never registered", lambda found: found.outcome.missing, says(Verdict.NOTHING_THERE)),
        Row("no answer", lambda _: True, says(Verdict.RETRY)),
    ),
)
"""Answers a Verdict. An eviction that is aborted is over, and its Hypervisor counts as evicted (§3)."""


def servers(outcome: Outcome) -> tuple[str, ...] | None:
    """UUIDs of the servers on it, None when Nova did not say."""
    found = (outcome.body.get("hypervisor") or {}).get("servers")
    return None if found is None else tuple(str(entry["uuid"]) for entry in found)


def arriving(outcome: Outcome, host: str) -> Sequence[Any]:
    """Migrations to a host that are not over."""
    found = outcome.body.get("migrations") or ()
    return [entry for entry in found if entry.get("dest_compute") == host and entry.get("status") not in _FINAL]
