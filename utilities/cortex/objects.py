"""Hypervisors and reservation slots for tests, as values; sizes in GiB of memory (cortex sheet §1.1, §1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from utilities.cortex.kinds import DOMAIN, READY, TYPE_LABEL, ZONE_LABEL

LONG_AGO, LATER = "2025-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
"""When VMs were written into slots: longer ago than any grace period, and so that it has not begun."""
GI = 2**30


@dataclass(frozen=True, slots=True)
class Host:
    """A Hypervisor that no machine stands behind. effective, capacity: None leaves the field out."""

    name: str
    effective: int | None
    capacity: int | None = None
    allocation: int = 0
    vms: tuple[str, ...] = ()

    def body(self, zone: str) -> dict[str, Any]:
        """zone: one of our own, so that nothing is placed on it."""
        return {
            "metadata": {"name": self.name, "labels": {ZONE_LABEL: zone}},
            "spec": {"lifecycleEnabled": False},
        }

    def status(self) -> dict[str, Any]:
        """What an agent would report."""
        capacity = self.capacity if self.capacity is not None else self.effective
        sizes = {"capacity": capacity, "effectiveCapacity": self.effective, "allocation": self.allocation}
        return {
            **{name: _amounts(size) for name, size in sizes.items() if size is not None},
            "numInstances": len(self.vms),
            "instances": [{"id": vm, "name": f"instance-{vm[:8]}", "active": True} for vm in self.vms],
        }


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose slots: a project and a flavor group. flavor: one of the group, "" leaves slots without."""

    project: str
    group: str
    flavor: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of `size` GiB, None for one without memory.

    target, host: where it is to be and where it is; it is in transit while these differ. expected: GiB by VM in its
    spec; confirmed: VMs in its status. early: the expected VMs are not overdue, however long they stay away. ready:
    False makes Cortex refuse it. specified: False leaves out the part of the spec that makes a reservation a slot.
    """

    name: str
    owner: Owner
    target: str
    size: int | None
    host: str = ""
    expected: Mapping[str, int] = field(default_factory=dict)
    confirmed: tuple[str, ...] = ()
    early: bool = False
    ready: bool = True
    specified: bool = True
    cpus: int = 4

    def body(self, zone: str, commitment: str) -> dict[str, Any]:
        """In a zone, for a commitment."""
        memory = {} if self.size is None else {"memory": f"{self.size}Gi"}
        part = {
            "commitmentUUID": commitment,
            "projectID": self.owner.project,
            "domainID": "default",
            "resourceGroup": self.owner.group,
            "creator": "migration-plans",
            "allocations": {
                vm: {
                    "creationTimestamp": LATER if self.early else LONG_AGO,
                    "resources": {"memory": f"{size}Gi", "cpu": "2"},
                }
                for vm, size in self.expected.items()
            },
        }
        named = {"resourceName": self.owner.flavor} if self.ready else {}  # without a flavor it never becomes Ready
        spec = {
            "type": "CommittedResourceReservation",
            "schedulingDomain": DOMAIN,
            "availabilityZone": zone,
            "targetHost": self.target,
            "resources": {**memory, "cpu": str(self.cpus)},
        }
        return {
            "metadata": {"name": self.name, "labels": {TYPE_LABEL: "committed-resource"}},
            "spec": {**spec, **({"committedResourceReservation": {**part, **named}} if self.specified else {})},
        }

    def status(self, now: str) -> dict[str, Any]:
        """As Cortex leaves it. now: a timestamp."""
        host = self.host or self.target
        reason, status = ("ReservationActive", "True") if self.ready else ("MissingResourceName", "False")
        condition = {"type": READY, "status": status, "reason": reason, "message": "of migration test plans"}
        return {
            "host": host,
            "conditions": [{**condition, "lastTransitionTime": now}],
            "committedResourceReservation": {"allocations": dict.fromkeys(self.confirmed, host)},
        }


def _amounts(memory: int) -> dict[str, str]:
    return {"memory": f"{memory}Gi", "cpu": str(max(memory // 2, 1))}
