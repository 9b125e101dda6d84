"""The sheet's prose of the capacity filter and of what reservations block (§3, §4) once more: raw objects, GiB."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import Any

from unittests.lab_cortex_scheduling.model import PART, gib, is_ready

Json = dict[str, Any]


def hosts_of(reservation: Json) -> set[str]:
    return {reservation["spec"]["targetHost"], reservation["status"]["host"]} - {""}


def unused(reservation: Json) -> Fraction:
    """Memory that it blocks on each host."""
    spec, size = reservation["spec"], gib(reservation["spec"]["resources"])
    expected = spec.get(PART, {}).get("allocations", {})
    settled = spec["targetHost"] == reservation["status"]["host"]
    if spec["type"] != "CommittedResourceReservation" or not settled or not expected:
        return size
    listed = reservation["status"].get(PART, {}).get("allocations", {})
    confirmed = sum(gib(each["resources"]) for vm, each in expected.items() if vm in listed)
    spec_only = sum(gib(each["resources"]) for vm, each in expected.items() if vm not in listed)
    return (
        max(max(size - confirmed, Fraction(0)), Fraction(spec_only)) if "memory" in spec["resources"] else Fraction(0)
    )


def unlocked(reservation: Json, project: str, group: str, vm: str, intent: str, locked: bool) -> bool:
    if not is_ready(reservation):
        return False
    spec = reservation["spec"]
    if spec["type"] == "FailoverReservation":
        if intent == "reuse_failover_reservation":
            return True
        return intent == "evacuate" and vm in reservation["status"]["failoverReservation"]["allocations"]
    if PART not in spec or spec[PART]["resourceGroup"] == "":
        return True
    own = spec[PART]["projectID"] == project and spec[PART]["resourceGroup"] == group
    return own and not locked and intent != "reserve_for_committed_resource"


def free(hypervisor: Json, reservations: list[Json], **request: Any) -> Fraction | None:
    """Memory that is left of a host, None if it tells no capacity; below zero only if nothing blocks."""
    status, name = hypervisor["status"], hypervisor["metadata"]["name"]
    size = status.get("effectiveCapacity", status.get("capacity"))
    if size is None or "memory" not in size:
        return None
    left = gib(size) - gib(status.get("allocation"))
    for block in blocks(name, reservations, **request):
        left = max(left - block, Fraction(0))
    return left


def blocks(host: str, reservations: list[Json], **request: Any) -> Iterator[Fraction]:
    for each in reservations:
        if host in hosts_of(each) and not unlocked(each, **request) and "memory" in each["spec"]["resources"]:
            yield unused(each)


def fits(left: Fraction | None, memory_mb: int, instances: int) -> bool:
    if left is None or left < 0:
        return True
    megabytes = floor(left * 2**30 / 10**6)
    return megabytes // memory_mb >= instances


def follows(hypervisor: Json, reservations: list[Json], slot: Json) -> bool:
    """Whether the memory of a slot has room on a host that its VM is on already."""
    status, name = hypervisor["status"], hypervisor["metadata"]["name"]
    size = status.get("effectiveCapacity", status.get("capacity"))
    if size is None:
        return False
    if "memory" not in slot["spec"]["resources"]:
        return True
    if "memory" not in size:
        return False
    others = [each for each in reservations if each is not slot and name in hosts_of(each)]
    return gib(size) - gib(status.get("allocation")) - sum(map(unused, others)) >= unused(slot)
