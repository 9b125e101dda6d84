"""Hosts with too much on them: seen, waited for, a slot taken away and placed again (cortex sheet §6)."""

import pytest

from lab.cortex.kinds import RESERVATION
from lab.cortex.reservations.oversubscription import victim
from lab.cortex.reservations.settings import Settings
from lab.cortex.scheduling.reserved import reservation_of
from unittests.lab_cortex_reservations.region import Slots

SERIES = ("hv-1", "az-1", "memory")


def crowded(**settings):
    """hv-1 of 512 GiB with a VM of 4 in a slot of 16, and an empty slot of 500."""
    slots = Slots(settings=Settings(**settings) if settings else None)
    slots.be_ready("hv-1")
    vm = slots.vm().id
    slots.slot("filled", vms=(vm,), confirmed=(vm,))
    slots.slot("empty", size=500, cpu=1)
    slots.clock.advance(90)
    return slots


def test_too_much_is_shown_and_a_slot_goes_after_three_minutes():
    slots = crowded()
    gauge = slots.process.metrics.oversubscribed
    assert gauge.values == {SERIES: 4.0 * 2**30}  # 4 + 12 + 500 of 512
    began = slots.clock.now()
    moved = slots.until(lambda: slots.place("empty") == ("hv-2", "hv-2"), within=400)
    assert 60 < moved - began <= 185
    assert slots.ready("empty") == ("True", "ReservationActive")
    assert slots.place("filled") == ("hv-1", "hv-1")
    assert gauge.values == {}
    assert slots.process.metrics.evicted_reservations.values == {("az-1",): 1.0}


def test_the_slot_is_revoked_on_the_way():
    slots = crowded()
    reasons = []
    slots.api.listen(RESERVATION, lambda _: reasons.append(slots.ready("empty")[1]))
    slots.clock.advance(300)
    assert "PlacementRevoked" in reasons


def test_what_heals_by_itself_is_left_alone():
    slots = crowded()
    slots.api.delete(RESERVATION, "", "empty")
    slots.clock.advance(600)
    assert slots.process.metrics.oversubscribed.values == {}
    assert slots.process.metrics.evicted_reservations.values == {}


def test_eviction_can_be_off():
    slots = crowded(eviction=False)
    slots.clock.advance(1000)
    assert slots.place("empty") == ("hv-1", "hv-1")
    assert SERIES in slots.process.metrics.oversubscribed.values


def test_the_check_can_be_off():
    slots = crowded(oversubscription=False)
    slots.clock.advance(600)
    assert slots.process.metrics.oversubscribed.values == {}


def test_hosts_that_are_not_ready_are_not_judged():
    slots = Slots()
    slots.slot("empty", target="hv-3", size=600, cpu=1)
    slots.clock.advance(600)
    assert slots.place("empty") == ("hv-3", "hv-3")


def slot(name, size, used=0, target="h"):
    vms = {"m": {"resources": {"memory": f"{used}Gi"}}} if used else {}
    return reservation_of(
        {
            "metadata": {"name": name},
            "spec": {
                "type": "CommittedResourceReservation",
                "targetHost": target,
                "resources": {"memory": f"{size}Gi", "cpu": "4"},
                "committedResourceReservation": {"allocations": vms},
            },
            "status": {"host": target, "committedResourceReservation": {"allocations": dict.fromkeys(vms, target)}},
        }
    )


@pytest.mark.parametrize(
    ("slots", "chosen"),
    [
        ((), None),
        ((slot("a", 32), slot("b", 16), slot("c", 8, used=8)), "b"),  # the smallest without VMs
        ((slot("a", 32, used=24), slot("b", 16, used=4)), "b"),  # else the idlest: 7 tenths
        ((slot("a", 32, used=16), slot("b", 16, used=8)), "b"),  # equally idle: the smaller
        ((slot("a", 8, target=""),), None),  # on its way already
    ],
)
def test_the_slot_that_is_missed_least_goes(slots, chosen):
    found = victim(slots)
    assert (found.name if found is not None else None) == chosen
