"""The filter `filter_has_enough_capacity`, with its traps (Cortex sheet §3)."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from lab.cortex.scheduling.amounts import CPU, MEMORY, NOTHING, Amount, Amounts
from lab.cortex.scheduling.decoding import Kind, Shape
from lab.cortex.scheduling.hosts import Host
from lab.cortex.scheduling.intents import EVACUATE, RESERVE_FOR_COMMITTED, REUSE_FAILOVER, intent_of
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.reserved import COMMITTED, FAILOVER, Reservation
from lab.cortex.scheduling.steps import Answered, Asked, Step, StepError, keep

_LOCK, _IGNORE_TYPES, _IGNORE_ALLOCATIONS = "lockReserved", "ignoredReservationTypes", "ignoreAllocations"
_OPTIONS: Mapping[str, Shape] = {_LOCK: Kind.FLAG, _IGNORE_TYPES: [Kind.TEXT], _IGNORE_ALLOCATIONS: Kind.FLAG}
_MEGABYTE = 1_000_000


def _enough_capacity(asked: Asked) -> Answered:
    """Keep the hosts that take the VM beside VMs and reservations. A host without a Hypervisor goes."""
    request, known = asked.request, asked.view.hosts
    empty = bool(asked.params.get(_IGNORE_ALLOCATIONS)) or request.options.assume_empty_hosts
    ignored = {*(asked.params.get(_IGNORE_TYPES) or ()), *request.options.ignored_types}
    locked = bool(asked.params.get(_LOCK)) or request.options.lock_reservations
    intent = intent_of(request)
    free = {name: _free(known[name], empty=empty) for name in asked.hosts if name in known}
    for reservation in asked.view.reservations:
        hosts = [host for host in reservation.hosts if host in free]
        if hosts and reservation.kind not in ignored and not _unlocked(reservation, request, intent, locked=locked):
            blocks = reservation.resources if empty else reservation.unused
            for host in hosts:
                _block(free[host], blocks)
    return keep(host for host, left in free.items() if _fits(left, request))


def _free(host: Host, *, empty: bool) -> dict[str, Amount]:
    used = NOTHING if empty else host.allocation
    return {name: size - used.get(name, 0) for name, size in (host.size or NOTHING).items()}


def _unlocked(reservation: Reservation, request: Request, intent: str | None, *, locked: bool) -> bool:
    """Whether a reservation blocks nothing for this request. One that is not Ready always blocks."""
    if not reservation.ready:
        return False
    if reservation.kind in (COMMITTED, ""):
        part = reservation.committed
        if part is None or not part.group:
            return True
        return intent != RESERVE_FOR_COMMITTED and not locked and part.matches(request.project, request.hardware)
    if reservation.kind == FAILOVER:
        return intent == REUSE_FAILOVER or (intent == EVACUATE and request.vm in (reservation.failover_vms or ()))
    return False


def _block(free: dict[str, Amount], blocks: Amounts) -> None:
    """Take it away, but never to less than nothing: later blocks then start from there."""
    for name in (CPU, MEMORY):
        if name in free and name in blocks:
            free[name] = max(free[name] - blocks[name], 0)


def _fits(free: Amounts, request: Request) -> bool:
    """Whether as many instances fit, by whole megabytes. What is not told, or is below zero, makes the host pass.

    Raises StepError for a flavor without CPU or memory, for memory only once a host has CPU enough.
    """
    if request.flavor.vcpus == 0:
        raise StepError("flavor has 0 vcpus")
    cpu, memory = free.get(CPU, -1), free.get(MEMORY, -1)
    if cpu < 0:
        return True
    if ceil(cpu) // request.flavor.vcpus < request.instances:
        return False
    if request.flavor.memory_mb == 0:
        raise StepError("flavor has 0 memory")
    return memory < 0 or ceil(memory) // _MEGABYTE // request.flavor.memory_mb >= request.instances


ENOUGH_CAPACITY = Step("filter_has_enough_capacity", _enough_capacity, _OPTIONS)
