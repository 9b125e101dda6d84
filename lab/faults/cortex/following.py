"""Faults of what comes after a run: slots that follow, and what a read-only run leaves (Cortex sheet §11: F26-F31)."""

from __future__ import annotations

from lab.cortex.placements import TRACKED
from lab.cortex.reservations.following import CONFIRMATIONS, FOLLOWS, OCCUPANTS, Fate, Moves, Occupant
from lab.cortex.scheduler import REMEMBERED
from lab.faults.cortex.making import instead, steering
from lab.faults.fault import Fault, ahead, saying, would

_LEAVES = would(OCCUPANTS, "not alone, or no room")


def _was_here(vm: Occupant) -> bool:
    """Whether it is the VM that moved, and not one that the slot was taken away from."""
    return (vm.slot.confirmed or {}).get(vm.vm) == vm.slot.host


ONLY_TARGET_FOLLOWS = Fault(
    "cortex_only_target_follows",
    "A slot that follows its VM stays in transit: only its target moves.",
    steering(33, 34, 39),
    ahead(FOLLOWS, instead("target", lambda _: Moves(host=False))),
)
ONLY_STATUS_FOLLOWS = Fault(
    "cortex_only_status_follows",
    "A slot that follows its VM stays in transit: only the host of its status moves.",
    steering(33, 34, 39),
    ahead(FOLLOWS, instead("status", lambda _: Moves(target=False))),
)
FOLLOWS_WITHOUT_ROOM = Fault(
    "cortex_follows_without_room",
    "A slot follows its VM to a host that has no room for it.",
    steering(35, 37),
    ahead(OCCUPANTS, saying("no room", lambda vm: _LEAVES(vm) and vm.alone, Fate.FOLLOW)),
)
FOLLOWS_ONE_OF_SEVERAL = Fault(
    "cortex_follows_one_of_several",
    "A slot with several VMs follows the first that moves.",
    steering(36),
    ahead(
        OCCUPANTS,
        saying("not alone", lambda vm: _LEAVES(vm) and not vm.alone and vm.room() and _was_here(vm), Fate.FOLLOW),
    ),
)
NEVER_FOLLOWS = Fault(
    "cortex_never_follows",
    "A slot stays where it is when its VM moves.",
    steering(33, 34, 39),
    ahead(OCCUPANTS, saying("stays", would(OCCUPANTS, "followed"), Fate.REMOVE)),
)
CONFIRMATIONS_STAY = Fault(
    "cortex_confirmations_stay",
    "A VM that leaves a slot stays confirmed in it.",
    steering(37),
    ahead(CONFIRMATIONS, instead("kept", lambda both: {**both.before, **both.seen})),
)
READ_ONLY_REMEMBERED = Fault(
    "cortex_read_only_remembered",
    "A read-only run writes a History.",
    steering(30),
    ahead(REMEMBERED, saying("read-only", lambda request: request.options.read_only, True)),
)
READ_ONLY_TRACKED = Fault(
    "cortex_read_only_tracked",
    "A read-only run writes the VM into a slot.",
    steering(30),
    ahead(TRACKED, saying("read-only", lambda request: request.options.read_only, True)),
)
FOLLOWING_FAULTS: tuple[Fault, ...] = (
    ONLY_TARGET_FOLLOWS,
    ONLY_STATUS_FOLLOWS,
    FOLLOWS_WITHOUT_ROOM,
    FOLLOWS_ONE_OF_SEVERAL,
    NEVER_FOLLOWS,
    CONFIRMATIONS_STAY,
    READ_ONLY_REMEMBERED,
    READ_ONLY_TRACKED,
)
