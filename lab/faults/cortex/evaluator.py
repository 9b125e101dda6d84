"""Faults of what slots on a host offer and leave free (Cortex sheet §11: F4-F7, F9-F11, F13, F14, F20, F21, F23)."""

from __future__ import annotations

from lab.controllers.answers import answering
from lab.controllers.decisions import Row
from lab.cortex.scheduling.slots import (
    CAPACITY,
    FREE,
    MATCH,
    REMAINING,
    ROOM,
    SLOT,
    Held,
    left,
    less,
)
from lab.faults.cortex.making import instead, steering
from lab.faults.fault import Fault, ahead, would

_UNREADY = would(SLOT, "not ready")


def _kept(held: Held) -> int:
    """What a slot offers when the VM that moves does not count in it."""
    part = held.slot.committed
    own = {} if part is None else part.expected.get(held.wanted.vm, {})
    return less(held.slot.memory, held.slot.expected_memory - own.get("memory", 0))


EXPECTED_IGNORED = Fault(
    "cortex_expected_ignored",
    "A slot offers all its memory, whatever VMs are expected in it.",
    steering(7, 14),
    ahead(REMAINING, instead("size", lambda held: held.slot.memory)),
)
UNREADY_SLOTS_OFFERED = Fault(
    "cortex_unready_slots_offered",
    "Slots that are not Ready are offered.",
    steering(10),
    ahead(
        SLOT,
        Row(
            "fault: not ready",
            lambda slot: _UNREADY(slot) and slot.committed is not None,
            answering(lambda slot: (slot.target,)),
        ),
    ),
)
BLOCKS_IGNORED = Fault(
    "cortex_blocks_ignored",
    "Room on a host is counted without the slots that are on it.",
    steering(4, 9, 26, 31, 33, 34),
    ahead(ROOM, instead("no blocks", lambda offer: offer.free >= offer.need)),
)
FOREIGN_BLOCKS_IGNORED = Fault(
    "cortex_foreign_blocks_ignored",
    "Room on a host is counted without the slots of other projects and groups.",
    steering(9, 26, 31, 33, 34),
    ahead(ROOM, instead("own blocks", lambda offer: offer.free - offer.own >= offer.need)),
)
CAPACITY_COUNTED = Fault(
    "cortex_capacity_counted",
    "Capacity is counted even where effective capacity is told.",
    steering(12),
    ahead(FREE, instead("capacity", lambda host: left(host, host.capacity))),
)
ONLY_EFFECTIVE_COUNTED = Fault(
    "cortex_only_effective_counted",
    "A host that tells capacity alone counts as full.",
    steering(12),
    ahead(FREE, instead("effective", lambda host: left(host, host.effective))),
)
EQUALITY_REFUSED = Fault(
    "cortex_equality_refused",
    "What is exactly enough counts as too little.",
    steering(3),
    {
        **ahead(CAPACITY, instead("more", lambda offer: any(each > offer.need for each in offer.remaining))),
        **ahead(ROOM, instead("more", lambda offer: offer.free - offer.blocks > offer.need)),
    },
)
GROUP_NOT_MATCHED = Fault(
    "cortex_group_not_matched",
    "Slots of any flavor group of the project are offered.",
    steering(8),
    ahead(MATCH, instead("project", lambda pair: pair.part.project == pair.wanted.project)),
)
PROJECT_NOT_MATCHED = Fault(
    "cortex_project_not_matched",
    "Slots of any project with the flavor group are offered.",
    steering(8),
    ahead(MATCH, instead("group", lambda pair: pair.part.group == pair.wanted.group)),
)
PROJECT_OF_CONTEXT = Fault(
    "cortex_project_of_context",
    "Slots are matched with the project of the caller instead of the VM's.",
    steering(15),
    ahead(
        MATCH,
        instead("context", lambda pair: pair.part.matches(pair.wanted.context_project, pair.wanted.group)),
    ),
)
SLOTS_WHERE_THEY_WERE = Fault(
    "cortex_slots_where_they_were",
    "A slot counts on the host of its status, not on its target.",
    steering(11),
    ahead(SLOT, Row("fault: status", would(SLOT, "at its target"), answering(lambda slot: (slot.host,)))),
)
SLOTS_ON_BOTH_HOSTS = Fault(
    "cortex_slots_on_both_hosts",
    "A slot in transit counts on both its hosts.",
    steering(11),
    ahead(SLOT, Row("fault: both", would(SLOT, "at its target"), answering(lambda slot: slot.hosts))),
)
OVERFILL_ACCEPTED = Fault(
    "cortex_overfill_accepted",
    "A slot that is too small counts if the host makes up for it.",
    steering(4),
    ahead(
        CAPACITY,
        instead(
            "overfilled",
            lambda offer: any(each > 0 and offer.free - offer.blocks + each >= offer.need for each in offer.remaining),
        ),
    ),
)
FIRST_SLOT_ONLY = Fault(
    "cortex_first_slot_only",
    "Only the first slot on a host is looked at.",
    steering(6),
    ahead(CAPACITY, instead("first", lambda offer: any(each >= offer.need for each in offer.remaining[:1]))),
)
SLOTS_ADDED_UP = Fault(
    "cortex_slots_added_up",
    "Slots on a host that are too small are added up.",
    steering(5),
    ahead(CAPACITY, instead("sum", lambda offer: bool(offer.remaining) and sum(offer.remaining) >= offer.need)),
)
OWN_SLOT_FREE = Fault(
    "cortex_own_slot_free",
    "The slot that the VM is in counts as free, so that the VM is drawn to where it is.",
    steering(14),
    ahead(REMAINING, instead("without the VM", _kept)),
)
EVALUATOR_FAULTS: tuple[Fault, ...] = (
    EXPECTED_IGNORED,
    UNREADY_SLOTS_OFFERED,
    BLOCKS_IGNORED,
    FOREIGN_BLOCKS_IGNORED,
    CAPACITY_COUNTED,
    ONLY_EFFECTIVE_COUNTED,
    EQUALITY_REFUSED,
    GROUP_NOT_MATCHED,
    PROJECT_NOT_MATCHED,
    PROJECT_OF_CONTEXT,
    SLOTS_WHERE_THEY_WERE,
    SLOTS_ON_BOTH_HOSTS,
    OVERFILL_ACCEPTED,
    FIRST_SLOT_ONLY,
    SLOTS_ADDED_UP,
    OWN_SLOT_FREE,
)
"""F22, free memory that is not kept from going below zero, shows nowhere: blocks cover what slots offer, so that both
forms answer alike."""
