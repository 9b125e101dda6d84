"""How a placement met its project's commitments, and into which slot its VM is written (Cortex sheet §2, §7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.cortex.scheduling.amounts import MEMORY, Amount, amount
from lab.cortex.scheduling.reserved import Reservation
from lab.cortex.scheduling.slots import SlotEvaluator, Wanted

Json = Mapping[str, Any]
ACTIVE = frozenset({"guaranteed", "confirmed"})


def active_commitments(commitments: Iterable[Json], project: str, group: str) -> tuple[Json, ...]:
    """CommittedResource objects of the project and flavor group that are in force."""
    return tuple(
        each
        for each in commitments
        if (each["spec"].get("projectID"), each["spec"].get("flavorGroupName")) == (project, group)
        and each["spec"].get("state") in ACTIVE
    )


def outcome(evaluator: SlotEvaluator, active: Iterable[Json], candidates: Iterable[str], wanted: Wanted) -> str:
    """`cr_slot` of `cortex_nova_placement_total`: no_cr, slot_missed or slot_used, by any candidate."""
    if _exhausted(tuple(active)):
        return "no_cr"
    used = any(
        evaluator.remaining(slot, wanted) > 0 for host in candidates for slot in evaluator.matching(host, wanted)
    )
    return "slot_used" if used else "slot_missed"


def no_host_outcome(
    evaluator: SlotEvaluator, active: Iterable[Json], hosts: Iterable[str], wanted: Wanted, need: Amount
) -> str:
    """`cr_slot` of `cortex_nova_no_host_found_total`; hosts: those of the request; need: bytes of the VM."""
    known = tuple(active)
    if not known:
        return "no_cr"
    if _exhausted(known):
        return "cr_exhausted"
    blocked = any(evaluator.has_usable_slot(host, wanted, need) for host in hosts)
    return "slot_blocked" if blocked else "slot_exhausted"


def pick_slot(
    evaluator: SlotEvaluator, slots: Sequence[Reservation], wanted: Wanted, memory: Amount
) -> Reservation | None:
    """The slot that a VM of so many bytes goes into: it covers most, then it leaves least, then its name is first."""
    left = {slot.name: evaluator.remaining(slot, wanted) for slot in slots}
    by_name = {slot.name: slot for slot in slots if left[slot.name] > 0}
    best = min(by_name, key=lambda name: (-min(left[name], memory), left[name], name), default=None)
    return None if best is None else by_name[best]


def _exhausted(active: tuple[Json, ...]) -> bool:
    used = sum(amount(((each.get("status") or {}).get("usedResources") or {}).get(MEMORY, 0)) for each in active)
    return used >= sum(amount(each["spec"].get("amount", 0)) for each in active)
