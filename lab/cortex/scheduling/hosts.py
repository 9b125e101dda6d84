"""A Hypervisor as Cortex reads it (Cortex sheet §1.3). Its name is the name of the compute host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.cortex.scheduling.amounts import Amounts, amounts

Json = Mapping[str, Any]
ZONE_LABEL = "topology.kubernetes.io/zone"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of Nova that the host is in."""

    name: str
    uuid: str
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Machine:
    """What a guest sees of the host. `hypervisor_type`: libvirt's word, `kvm` or `ch`."""

    arch: str
    hypervisor_type: str
    cpu_modes: frozenset[str]
    features: frozenset[str]
    devices: frozenset[str]


@dataclass(frozen=True, slots=True)
class Host:
    """`zone`, `capacity`, `effective`: None where the object has none. `traits`: of status, and custom ones of spec."""

    name: str
    zone: str | None
    capacity: Amounts | None
    effective: Amounts | None
    allocation: Amounts
    instances: tuple[str, ...]
    conditions: Mapping[str, str]
    traits: frozenset[str]
    allowed_projects: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]
    machine: Machine
    raw: Json

    @property
    def size(self) -> Amounts | None:
        """Effective capacity where it is told, capacity otherwise."""
        return self.capacity if self.effective is None else self.effective


def host_of(raw: Json) -> Host:
    """A Hypervisor object read. Raises QuantityError."""
    metadata, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    return Host(
        name=metadata["name"],
        zone=(metadata.get("labels") or {}).get(ZONE_LABEL),
        capacity=_sizes(status, "capacity"),
        effective=_sizes(status, "effectiveCapacity"),
        allocation=amounts(status.get("allocation")),
        instances=tuple(instance["id"] for instance in status.get("instances") or ()),
        conditions={each["type"]: each["status"] for each in status.get("conditions") or ()},
        traits=frozenset((*(status.get("traits") or ()), *(spec.get("customTraits") or ()))),
        allowed_projects=tuple(spec.get("allowedProjects") or ()),
        aggregates=tuple(
            Aggregate(each.get("name", ""), each.get("uuid", ""), each.get("metadata") or {})
            for each in status.get("aggregates") or ()
        ),
        machine=_machine(status),
        raw=raw,
    )


def _sizes(status: Json, key: str) -> Amounts | None:
    return None if status.get(key) is None else amounts(status[key])


def _machine(status: Json) -> Machine:
    domain = status.get("domainCapabilities") or {}
    return Machine(
        (status.get("capabilities") or {}).get("cpuArch", ""),
        domain.get("hypervisorType", ""),
        frozenset(domain.get("supportedCpuModes") or ()),
        frozenset(domain.get("supportedFeatures") or ()),
        frozenset(domain.get("supportedDevices") or ()),
    )
