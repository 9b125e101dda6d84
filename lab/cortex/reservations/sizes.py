"""How a commitment is cut into slots: the largest flavor that fits what is left, again and again (sheet §1.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.cortex.flavor_groups import FlavorGroup, GroupFlavor
from lab.cortex.kinds import COMMITTED, DOMAIN, TYPE_LABEL
from lab.cortex.reservations.desk import part_of
from lab.cortex.scheduling.amounts import MEMORY, amounts
from lab.cortex.scheduling.reserved import COMMITTED as SLOT
from lab.node_agent.quantities import binary, decimal

CREATOR = "committed-resource-controller"
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Size:
    """One slot: the flavor it is named after, and its bytes."""

    flavor: GroupFlavor
    memory: int


@dataclass(frozen=True, slots=True)
class Promise:
    """What a commitment wants of its slots. memory: bytes; start and end: as its spec writes them, "" for none."""

    name: str
    uuid: str
    project: str
    domain: str
    group: str
    zone: str
    memory: int
    start: str
    end: str
    generation: int

    @classmethod
    def of(cls, name: str, spec: Json, generation: int) -> Promise:
        """What a spec says. Raises QuantityError."""
        return cls(
            name, spec["commitmentUUID"], spec["projectID"], spec["domainID"], spec["flavorGroupName"],
            spec["availabilityZone"], int(amounts({MEMORY: spec["amount"]})[MEMORY]), spec.get("startTime") or "",
            spec.get("endTime") or "", generation,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What brings the slots there are in line. spec: patches by name of the slot."""

    removed: tuple[str, ...]
    made: tuple[Json, ...]
    patched: Mapping[str, Json]
    total: int


def sizes(memory: int, group: FlavorGroup) -> Iterator[Size]:
    """Slots for so many bytes; what is less than the smallest flavor becomes one slot of exactly that size."""
    while memory > 0:
        flavor = next((each for each in group.flavors if each.memory <= memory), None)
        size = Size(flavor, flavor.memory) if flavor is not None else Size(group.flavors[-1], memory)
        yield size
        memory -= size.memory


def plan(promise: Promise, existing: Sequence[Json], group: FlavorGroup) -> Plan:
    """`existing`: Reservations of the commitment in list order."""
    missing = promise.memory - sum(map(_memory, existing))
    index = _next_index(existing)
    wrong = [each for each in existing if not _fits(each, promise)]
    missing += sum(map(_memory, wrong))
    kept = [each for each in existing if _fits(each, promise)]
    surplus = []
    while missing < 0 and kept:
        leaving = _least_missed(kept)
        kept.remove(leaving)
        surplus.append(leaving)
        missing += _memory(leaving)
    made = tuple(_slot(promise, index + number, size) for number, size in enumerate(sizes(missing, group)))
    patches = {each["metadata"]["name"]: patch for each in kept if (patch := _synced(each, promise))}
    removed = tuple(each["metadata"]["name"] for each in (*wrong, *surplus))
    return Plan(removed, made, patches, len(kept) + len(made))


def _memory(slot: Json) -> int:
    return int(amounts(slot["spec"].get("resources")).get(MEMORY, 0))


def _next_index(slots: Sequence[Json]) -> int:
    """Counting goes on after the highest number, gaps are not filled. Names with a single dash have none."""
    parts = [slot["metadata"]["name"].split("-") for slot in slots]
    return max((int(each[-1]) for each in parts if len(each) >= 3 and each[-1].isdecimal()), default=-1) + 1


def _fits(slot: Json, promise: Promise) -> bool:
    """A slot is pinned to a host of its zone: one that has become wrong is made anew."""
    part = part_of(slot)
    where = (part.get("projectID"), part.get("resourceGroup"), slot["spec"].get("availabilityZone", ""))
    return where == (promise.project, promise.group, promise.zone)


def _least_missed(slots: Sequence[Json]) -> Json:
    """One without a host, else one without VMs, else the last."""
    unplaced = (slot for slot in slots if not slot["spec"].get("targetHost"))
    empty = (slot for slot in slots if not part_of(slot).get("allocations"))
    return next(iter((*unplaced, *empty, slots[-1])))


def _slot(promise: Promise, index: int, size: Size) -> Json:
    part = {
        "projectID": promise.project,
        "commitmentUUID": promise.uuid,
        "domainID": promise.domain,
        "resourceGroup": promise.group,
        "resourceName": size.flavor.name,
        "creator": CREATOR,
        "parentGeneration": promise.generation,
    }
    spec: dict[str, Any] = {
        "type": SLOT,
        "schedulingDomain": DOMAIN,
        "resources": {"memory": binary(size.memory), "cpu": decimal(size.flavor.vcpus)},
        "committedResourceReservation": part,
    }
    spec |= {"availabilityZone": promise.zone} if promise.zone else {}
    spec |= {key: value for key, value in (("startTime", promise.start), ("endTime", promise.end)) if value}
    metadata = {"name": f"{promise.name}-{index}", "labels": {TYPE_LABEL: COMMITTED}}
    return {"metadata": metadata, "spec": spec}


def _synced(slot: Json, promise: Promise) -> Json:
    """The patch of a spec that has not heard of the commitment's last change; empty when it has."""
    said = {"domainID": promise.domain, "parentGeneration": promise.generation}
    times = {"startTime": promise.start, "endTime": promise.end}
    part = {key: value for key, value in said.items() if value and part_of(slot).get(key) != value}
    spec: dict[str, Any] = {key: value for key, value in times.items() if value and slot["spec"].get(key) != value}
    return {**spec, "committedResourceReservation": part} if part else spec
