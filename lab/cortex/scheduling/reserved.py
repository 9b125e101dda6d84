"""A Reservation as Cortex reads it (Cortex sheet §1.1), with what follows from it alone worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.cortex.scheduling.amounts import MEMORY, Amount, Amounts, amounts

Json = Mapping[str, Any]
TYPE_LABEL = "reservations.cortex.cloud/type"
COMMITTED_LABEL = "committed-resource"
COMMITTED = "CommittedResourceReservation"
FAILOVER = "FailoverReservation"


@dataclass(frozen=True, slots=True)
class Committed:
    """The part of the spec that makes a reservation a slot. `expected`: resources by VM uuid (spec allocations)."""

    project: str
    group: str
    expected: Mapping[str, Amounts]

    def matches(self, project: str, group: str) -> bool:
        """Whether the slot is for VMs of this project and flavor group."""
        return self.project == project and self.group == group


@dataclass(frozen=True, slots=True)
class Reservation:
    """`target`: spec.targetHost, `host`: status.host, "" where not set.

    hosts: where it blocks resources, two of them while it is in transit; unused: what it blocks there, which for a
    settled slot with VMs is what they leave free, or what the unconfirmed ones take if that is more (sheet §4).
    committed: None without that part of the spec. confirmed: hosts by VM uuid (status allocations of a slot), None
    without that part of the status. failover_group and failover_vms: of a failover reservation, None without the part.
    """

    name: str
    labelled: bool
    kind: str
    ready: bool
    zone: str
    target: str
    host: str
    resources: Amounts
    committed: Committed | None
    confirmed: Mapping[str, str] | None
    failover_group: str | None
    failover_vms: Mapping[str, str] | None
    hosts: tuple[str, ...]
    unused: Amounts
    raw: Json

    @property
    def memory(self) -> Amount:
        """Bytes that the slot holds, VMs in it included."""
        return self.resources.get(MEMORY, 0)

    @property
    def expected_memory(self) -> Amount:
        """Bytes that VMs expected in the slot take."""
        if self.committed is None:
            return 0
        return sum(each.get(MEMORY, 0) for each in self.committed.expected.values())


def reservation_of(raw: Json) -> Reservation:
    """A Reservation object read. Raises QuantityError."""
    metadata, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    kind, target, host = spec.get("type", ""), spec.get("targetHost", ""), status.get("host", "")
    resources, committed = amounts(spec.get("resources")), _committed(spec.get("committedResourceReservation"))
    confirmed = _allocations(status, "committedResourceReservation")
    failover = spec.get("failoverReservation")
    filled = kind == COMMITTED and target == host and committed is not None and committed.expected
    return Reservation(
        name=metadata["name"],
        labelled=(metadata.get("labels") or {}).get(TYPE_LABEL) == COMMITTED_LABEL,
        kind=kind,
        ready=any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions") or ()),
        zone=spec.get("availabilityZone", ""),
        target=target,
        host=host,
        resources=resources,
        committed=committed,
        confirmed=confirmed,
        failover_group=None if failover is None else failover.get("resourceGroup", ""),
        failover_vms=_allocations(status, "failoverReservation"),
        hosts=tuple({each: None for each in (target, host) if each}),
        unused=_unused(resources, filled, confirmed or {}) if filled else resources,
        raw=raw,
    )


def _unused(resources: Amounts, expected: Mapping[str, Amounts], confirmed: Mapping[str, str]) -> Amounts:
    left: dict[str, Amount] = dict(resources)
    pending: dict[str, Amount] = dict.fromkeys(resources, 0)
    for vm, taken in expected.items():
        into, sign = (left, -1) if vm in confirmed else (pending, 1)
        for name in taken.keys() & into.keys():
            into[name] += sign * taken[name]
    return {name: max(left[name], 0, pending[name]) for name in resources}


def _committed(part: Json | None) -> Committed | None:
    if part is None:
        return None
    expected = {vm: amounts(each.get("resources")) for vm, each in (part.get("allocations") or {}).items()}
    return Committed(part.get("projectID", ""), part.get("resourceGroup", ""), expected)


def _allocations(status: Json, key: str) -> Mapping[str, str] | None:
    part = status.get(key)
    return None if part is None else part.get("allocations") or {}
