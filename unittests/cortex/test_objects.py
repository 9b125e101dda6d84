"""Slots as the tests make them, under the reconciler of a lab."""

import pytest

from lab.cortex.kinds import RESERVATION
from unittests.lab_cortex_reservations.region import PROJECT, Slots
from utilities.cortex.objects import Owner, Slot

HOURS = 4 * 3600


@pytest.mark.parametrize(("early", "left"), [(True, ["vm"]), (False, [])])
def test_an_early_slot_expects_its_vm_however_long_a_test_takes(early, left):
    slots = Slots()
    slot = Slot("slot", Owner(PROJECT, "hw-1", "medium"), "hv-1", 16, expected={"vm": 4}, early=early)
    slots.api.create(RESERVATION, slot.body("az-1", "commitment-1"))
    slots.api.patch(RESERVATION, "", "slot", {"status": slot.status("2026-01-01T00:00:00Z")}, subresource="status")
    slots.clock.advance(HOURS)
    part = slots.api.get(RESERVATION, "", "slot")["spec"]["committedResourceReservation"]
    assert sorted(part.get("allocations") or {}) == left
