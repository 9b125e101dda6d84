"""Whether a commitment of CPU cores can be kept: what its flavor group has, less what was promised (sheet §1.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.cortex.reservations.promised import ACTIVE, Commitment
from lab.cortex.scheduling.amounts import amounts

Json = Mapping[str, Any]
_CORES = "cores"


@dataclass(frozen=True, slots=True)
class Headroom:
    """Cores that nobody was promised, and those that are wanted."""

    left: int
    wanted: int


def headroom(commitment: Commitment, capacities: Iterable[Json], commitments: Iterable[Json]) -> Headroom | str:
    """Over FlavorGroupCapacity and CommittedResource objects; a text says what is still waited for."""
    found = next((each for each in capacities if _where(each) == commitment.where), None)
    if found is None:
        return "waiting for capacity data"
    total = amounts((found.get("status") or {}).get("totalCapacity")).get(_CORES)
    if total is None:
        return "waiting for CPU capacity data"
    others = (Commitment(obj, commitment.now) for obj in commitments)
    taken = sum(_cores(other.status["acceptedSpec"]) for other in others if _counts(other, commitment))
    return Headroom(int(total) - taken, _cores(commitment.spec))


def _counts(other: Commitment, commitment: Commitment) -> bool:
    return (
        other.spec["commitmentUUID"] != commitment.spec["commitmentUUID"]
        and other.spec["resourceType"] == _CORES
        and other.where == commitment.where
        and other.in_state(*ACTIVE)
        and bool(other.status.get("acceptedSpec"))
    )


def _cores(spec: Json) -> int:
    return int(amounts({_CORES: spec["amount"]})[_CORES])


def _where(capacity: Json) -> tuple[str, str]:
    return str(capacity["spec"]["flavorGroup"]), str(capacity["spec"]["availabilityZone"])
