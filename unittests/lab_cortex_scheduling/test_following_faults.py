"""Faults of what comes after a run, decision by decision (Cortex sheet §11: F26-F31)."""

from dataclasses import replace

import pytest

from lab.controllers.answers import answer
from lab.cortex.placements import TRACKED
from lab.cortex.reservations.following import CONFIRMATIONS, FOLLOWS, OCCUPANTS, Confirmations, Fate, Follow, Occupant
from lab.cortex.scheduler import REMEMBERED
from lab.cortex.scheduling.reserved import reservation_of
from lab.faults.cortex import CORTEX_FAULTS
from lab.faults.fault import named, together
from unittests.lab_cortex_scheduling.bodies import request
from unittests.lab_cortex_scheduling.objects import hypervisor, slot, view

SLOT = reservation_of(slot("s", "src", confirmed=["vm"]))
TAKEN_ALONG = reservation_of(
    {
        **slot("s", "h"),
        "status": {**slot("s", "h")["status"], "committedResourceReservation": {"allocations": {"vm": "src"}}},
    }
)
TARGET = view([hypervisor("h")]).hosts["h"]


def decided(table, subject, fault=""):
    faults = together(named([f"cortex_{fault}"] if fault else [], CORTEX_FAULTS))
    return answer(faults.ahead_of(table), subject)


def gone(alone=True, room=True):
    """A confirmed VM that is on another host."""
    return Occupant("vm", SLOT, 900.0, 60.0, True, False, TARGET, alone, lambda: room, 0.0)


@pytest.mark.parametrize(
    ("fault", "fates"),
    [
        ("", (Fate.FOLLOW, Fate.REMOVE, Fate.REMOVE, Fate.REMOVE)),
        ("follows_without_room", (Fate.FOLLOW, Fate.FOLLOW, Fate.REMOVE, Fate.REMOVE)),
        ("follows_one_of_several", (Fate.FOLLOW, Fate.REMOVE, Fate.FOLLOW, Fate.REMOVE)),
        ("never_follows", (Fate.REMOVE, Fate.REMOVE, Fate.REMOVE, Fate.REMOVE)),
    ],
)
def test_which_slots_follow(fault, fates):
    cases = (gone(), gone(room=False), gone(alone=False), gone(alone=False, room=False))
    assert tuple(decided(OCCUPANTS, case, fault) for case in cases) == fates


def test_a_slot_that_followed_one_of_several_does_not_go_back_for_another():
    left_behind = replace(gone(alone=False), slot=TAKEN_ALONG)
    assert decided(OCCUPANTS, left_behind, "follows_one_of_several") == Fate.REMOVE


@pytest.mark.parametrize(
    ("fault", "moves"),
    [("", (True, True)), ("only_target_follows", (True, False)), ("only_status_follows", (False, True))],
)
def test_which_hosts_of_a_slot_follow(fault, moves):
    found = decided(FOLLOWS, Follow(SLOT, TARGET), fault)
    assert (found.target, found.host) == moves


def test_a_vm_that_left_may_stay_confirmed():
    both = Confirmations({"old": "a"}, {"new": "b"})
    assert decided(CONFIRMATIONS, both) == {"new": "b"}
    assert decided(CONFIRMATIONS, both, "confirmations_stay") == {"old": "a", "new": "b"}


@pytest.mark.parametrize(("table", "fault"), [(REMEMBERED, "read_only_remembered"), (TRACKED, "read_only_tracked")])
def test_a_read_only_run_may_leave_traces(table, fault):
    skips = dict.fromkeys(("skip_history", "skip_inflight", "skip_committed_resource_tracking"), True)
    quiet, silent = request("a", options=skips), request("a", options={"read_only": True, **skips})
    assert not decided(table, silent)
    assert decided(table, silent, fault)
    assert not decided(table, quiet, fault)
