"""How commitments are cut into slots, and what a change of them does to the slots there are (cortex sheet §1.1)."""

import pytest

from lab.cortex.flavor_groups import FlavorGroup, GroupFlavor
from lab.cortex.reservations.sizes import Promise, plan, sizes

GI = 2**30
FLAVORS = FlavorGroup("g", (GroupFlavor("l", 8, 32 * GI), GroupFlavor("m", 4, 16 * GI), GroupFlavor("s", 2, 4 * GI)))


def promise(memory, **fields):
    said = {"name": "commitment-a", "uuid": "uuid-1", "project": "p", "domain": "d", "group": "g", "zone": "az-1",
            "memory": memory * GI, "start": "", "end": "", "generation": 1}  # fmt: skip
    return Promise(**{**said, **fields})


def existing(*sizes_, target="h", vms=(), **changes):
    """Slots as the controller makes them, with a host."""
    made = []
    for index, size in enumerate(sizes_):
        part = {"projectID": "p", "resourceGroup": "g", "commitmentUUID": "uuid-1", "domainID": "d",
                "parentGeneration": 1, "allocations": {vm: {} for vm in vms}, **changes}  # fmt: skip
        spec = {"resources": {"memory": f"{size}Gi"}, "availabilityZone": "az-1", "targetHost": target,
                "committedResourceReservation": part}  # fmt: skip
        made.append({"metadata": {"name": f"commitment-a-{index}"}, "spec": spec})
    return made


@pytest.mark.parametrize(
    ("memory", "cut"),
    [
        (0, []),
        (3, [("s", 3)]),  # less than the smallest: one slot of exactly that size
        (4, [("s", 4)]),
        (16, [("m", 16)]),
        (63, [("l", 32), ("m", 16), ("s", 4), ("s", 4), ("s", 4), ("s", 3)]),
        (64, [("l", 32), ("l", 32)]),
    ],
)
def test_the_largest_flavor_that_fits(memory, cut):
    assert [(size.flavor.name, size.memory // GI) for size in sizes(memory * GI, FLAVORS)] == cut


def test_slots_are_named_and_described():
    made = plan(promise(52, start="2026-01-01T00:00:00Z"), [], FLAVORS).made
    assert [slot["metadata"]["name"] for slot in made] == [f"commitment-a-{index}" for index in range(3)]
    first = made[0]
    assert first["metadata"]["labels"] == {"reservations.cortex.cloud/type": "committed-resource"}
    assert first["spec"]["resources"] == {"memory": "32Gi", "cpu": "8"}
    assert first["spec"]["startTime"] == "2026-01-01T00:00:00Z"
    part = first["spec"]["committedResourceReservation"]
    assert (part["resourceName"], part["resourceGroup"], part["parentGeneration"]) == ("l", "g", 1)
    assert "targetHost" not in first["spec"]


def test_more_gets_the_next_number_and_nothing_else_changes():
    planned = plan(promise(64), existing(32, 16), FLAVORS)
    assert [slot["metadata"]["name"] for slot in planned.made] == ["commitment-a-2"]
    assert (planned.removed, planned.patched, planned.total) == ((), {}, 3)


def test_numbers_are_not_seen_behind_a_single_dash():
    slots = existing(16)
    slots[0]["metadata"]["name"] = "cr-0"
    assert plan(promise(32, name="cr"), slots, FLAVORS).made[0]["metadata"]["name"] == "cr-0"  # it will collide


def test_less_takes_the_slots_that_are_missed_least():
    slots = [*existing(16, vms=("x",)), *existing(16), *existing(16, target="")]
    for index, slot in enumerate(slots):
        slot["metadata"]["name"] = f"commitment-a-{index}"
    assert plan(promise(32), slots, FLAVORS).removed == ("commitment-a-2",)
    assert plan(promise(16), slots, FLAVORS).removed == ("commitment-a-2", "commitment-a-1")
    assert plan(promise(0), slots, FLAVORS).removed == ("commitment-a-2", "commitment-a-1", "commitment-a-0")


def test_a_slot_too_large_goes_and_smaller_ones_come():
    planned = plan(promise(20), existing(32), FLAVORS)
    assert planned.removed == ("commitment-a-0",)
    assert [slot["spec"]["resources"]["memory"] for slot in planned.made] == ["16Gi", "4Gi"]


@pytest.mark.parametrize("wrong", [{"projectID": "other"}, {"resourceGroup": "other"}])
def test_slots_of_another_project_or_group_are_made_anew(wrong):
    planned = plan(promise(16), existing(16, **wrong), FLAVORS)
    assert planned.removed == ("commitment-a-0",)
    assert [slot["metadata"]["name"] for slot in planned.made] == ["commitment-a-1"]


def test_what_the_commitment_says_of_itself_is_brought_to_its_slots():
    planned = plan(promise(16, generation=2, end="2027-01-01T00:00:00Z"), existing(16), FLAVORS)
    assert planned.patched == {
        "commitment-a-0": {
            "endTime": "2027-01-01T00:00:00Z", "committedResourceReservation": {"parentGeneration": 2},
        }
    }  # fmt: skip
    assert planned.total == 1
