"""Every combination a table can meet, against the prose of the sheet (§1.1, §6)."""

import itertools

import pytest

from lab.controllers.answers import answer
from lab.cortex.reservations.following import OCCUPANTS, Fate, Occupant
from lab.cortex.reservations.slots import STEPS, Step
from lab.cortex.scheduling.hosts import host_of
from lab.cortex.scheduling.reserved import reservation_of

ELSEWHERE = host_of({"metadata": {"name": "elsewhere"}})
SLOT = reservation_of({"metadata": {"name": "s"}, "spec": {}})
FLAGS = list(itertools.product((False, True), repeat=6))


def prose(confirmed, young, here, away, alone, room):
    """Sheet §6, the table of VM states, in other words."""
    if not confirmed:
        if young:
            return Fate.WAIT
        return Fate.CONFIRM if here else Fate.REMOVE
    if here:
        return Fate.CONFIRM
    return Fate.FOLLOW if away and alone and room else Fate.REMOVE


@pytest.mark.parametrize("flags", FLAGS)
def test_what_becomes_of_a_vm(flags):
    confirmed, young, here, away, alone, room = flags
    vm = Occupant(
        vm="m", slot=SLOT, age=899.0 if young else 900.0, grace=900.0, confirmed=confirmed, here=here,
        elsewhere=ELSEWHERE if away else None, alone=alone, room=lambda: room, since=0.0,
    )  # fmt: skip
    assert answer(OCCUPANTS, vm) is prose(*flags)


def steps(named, ready, target, expects, same):
    if not named:
        return Step.UNNAMED
    if ready:
        return Step.VERIFY if target else Step.REVOKE
    if not target:
        return Step.PLACE
    if expects:
        return Step.PREALLOCATE
    return Step.PLACE if same else Step.ACTIVATE


@pytest.mark.parametrize("flags", list(itertools.product((False, True), repeat=5)))
def test_what_is_done_with_a_slot(flags):
    named, ready, target, expects, same = flags
    part = {"resourceName": "m"} if named else {}
    part |= {"allocations": {"vm": {"resources": {}}}} if expects else {}
    slot = reservation_of(
        {
            "metadata": {"name": "s"},
            "spec": {"committedResourceReservation": part, **({"targetHost": "a"} if target else {})},
            "status": {
                "host": "a" if same else "b",
                "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
            },
        }
    )
    assert answer(STEPS, slot) is steps(*flags)
