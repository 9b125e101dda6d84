"""The capacity filter and its traps (Cortex sheet §3), and what reservations block (§4)."""

import pytest

from lab.cortex.scheduling.accounting import free_capacity, has_capacity
from lab.cortex.scheduling.filters.capacity import ENOUGH_CAPACITY
from lab.cortex.scheduling.reserved import reservation_of
from lab.cortex.scheduling.steps import StepError
from unittests.lab_cortex_scheduling.bodies import GI, VM, flavor, request
from unittests.lab_cortex_scheduling.objects import asked, failover, hypervisor, slot, view


def fits(hosts, slots=(), params=None, candidates="a", **changes):
    """Whether the VM of 16384 MB fits, host by host."""
    changes.setdefault("project_id", "other")  # nothing is unlocked unless a test wants it
    found = asked(ENOUGH_CAPACITY, request(*candidates, **changes), view(hosts, slots), params).activations
    return [host in found for host in candidates]


def free_mb(megabytes):
    """A host with exactly that much memory."""
    made = hypervisor("a")
    made["status"]["effectiveCapacity"]["memory"] = str(megabytes)
    return [made]


def test_megabytes_are_counted_by_the_million_and_whole():
    assert fits(free_mb(16384 * 10**6)) == [True]
    assert fits(free_mb(16384 * 10**6 - 1)) == [False]


def test_processors_are_counted_too():
    assert fits([hypervisor("a", cpu=(8, 4))]) == [True]
    assert fits([hypervisor("a", cpu=(8, 5))]) == [False]


def test_without_instances_everything_fits():
    assert fits([hypervisor("a", 0)], num_instances=0) == [True]
    assert fits([hypervisor("a", 31)], num_instances=2) == [True]
    assert fits([hypervisor("a", 30)], num_instances=2) == [False]


@pytest.mark.parametrize(("memory_mb", "vcpus", "text"), [(16384, 0, "0 vcpus"), (0, 4, "0 memory")])
def test_a_flavor_of_nothing_fails_the_step(memory_mb, vcpus, text):
    with pytest.raises(StepError, match=text):
        fits([hypervisor("a")], flavor=flavor(memory_mb, vcpus))
    assert fits([], flavor=flavor(memory_mb, vcpus)) == [False]


def test_a_host_without_a_hypervisor_goes_and_one_that_tells_no_capacity_stays():
    assert fits([hypervisor("a", None)], candidates="ab") == [True, False]


def test_capacity_counts_where_effective_capacity_is_not_told():
    assert fits([hypervisor("a", None, 48, 64)]) == [True]
    assert fits([hypervisor("a", None, 49, 64)]) == [False]


def test_more_allocated_than_there_is_lets_a_host_pass_unless_something_blocks_it():
    assert fits([hypervisor("a", 32, 48)]) == [True]
    assert fits([hypervisor("a", 32, 48)], [slot("s", "a", 1)]) == [False]


HOST = [hypervisor("a", 24)]
UNLOCKING = {"project_id": "P"}


@pytest.mark.parametrize(
    ("slots", "changes", "stays"),
    [
        ([slot("s", "a")], {}, False),
        ([slot("s", "a")], UNLOCKING, True),
        ([slot("s", "a", group="X")], UNLOCKING, False),
        ([slot("s", "a")], {**UNLOCKING, "options": {"lock_reservations": True}}, False),
        ([slot("s", "a")], {**UNLOCKING, "hint": "reserve_for_committed_resource"}, False),
        ([slot("s", "a", ready=False)], UNLOCKING, False),
        ([slot("s", "", host="", ready=False)], {}, True),
        ([slot("s", "a", part=False)], {}, True),
        ([slot("s", "a", group="")], {}, True),
        ([slot("s", "a", kind="")], {}, False),
        ([slot("s", "a", kind="InFlightReservation", part=False)], {}, False),
        ([slot("s", "b", host="a")], {}, False),
        ([slot("s", "a", used={VM: 16}, confirmed=[VM])], {}, True),
        ([slot("s", "a", used={VM: 16})], {}, False),
        ([slot("s", "a", used={VM: 16}, confirmed=[VM])], {"options": {"assume_empty_hosts": True}}, False),
        ([slot("s", "a")], {"options": {"ignored_reservation_types": ["CommittedResourceReservation"]}}, True),
        ([failover("f", "a", vms=[VM])], {}, False),
        ([failover("f", "a", vms=[VM])], {"hint": "evacuate"}, True),
        ([failover("f", "a", vms=["x"])], {"hint": "evacuate"}, False),
        ([failover("f", "a")], {"hint": "reuse_failover_reservation"}, True),
        ([failover("f", "a", vms=[VM], ready=False)], {"hint": "evacuate"}, False),
    ],
)
def test_what_reservations_block(slots, changes, stays):
    assert fits(HOST, slots, **changes) == [stays]


def test_parameters_of_the_step():
    assert fits(HOST, [slot("s", "a")], {"lockReserved": True}, **UNLOCKING) == [False]
    assert fits(HOST, [slot("s", "a")], {"ignoredReservationTypes": ["CommittedResourceReservation"]}) == [True]
    assert fits([hypervisor("a", 24, 24)], [], {"ignoreAllocations": True}) == [True]


def test_a_slot_in_transit_blocks_both_hosts_fully():
    hosts = [hypervisor("a", 24), hypervisor("b", 24)]
    moving = slot("s", "a", used={VM: 16}, confirmed=[VM], host="b")
    assert fits(hosts, [moving], candidates="ab") == [False, False]


def test_a_block_never_leaves_less_than_nothing():
    """Below zero the host would pass."""
    assert fits(HOST, [slot("s", "a", 40), slot("t", "a", 8)]) == [False]


@pytest.mark.parametrize(
    ("made", "blocks"),
    [
        (slot("s", "a", 16), 16),
        (slot("s", "a", 16, {"x": 4, "y": 4}, confirmed=["x"]), 12),
        (slot("s", "a", 16, {"x": 4, "y": 14}, confirmed=["x"]), 14),
        (slot("s", "a", 16, {"x": 24}, confirmed=["x"]), 0),
        (slot("s", "a", 16, {"x": 24}), 24),
        (slot("s", "a", 16, {"x": 16}, confirmed=["x"], host="b"), 16),
        (slot("s", "a", 16, {"x": 16}, confirmed=["x"], kind=""), 16),
    ],
)
def test_the_unused_part_of_a_slot(made, blocks):
    assert reservation_of(made).unused["memory"] == blocks * GI


def capacity(host, *others):
    seen = view([host], others)
    moved = reservation_of(slot("s", "src", 480, {"x": 240}, confirmed=["x"]))
    return has_capacity(seen.reservations, seen.hosts["h"], moved)


def test_a_slot_follows_where_its_unused_part_has_room_beside_all_that_blocks():
    assert capacity(hypervisor("h", 960, 240))
    assert not capacity(hypervisor("h", 480, 240), slot("t", "h", 480))
    assert capacity(hypervisor("h", 480, 240))
    assert not capacity(hypervisor("h", 480, 241))
    assert not capacity(hypervisor("h", 480, 240), failover("f", "h", 1))
    assert not capacity(hypervisor("h", 480, 240), slot("t", "other", 1, host="h"))
    assert capacity(hypervisor("h", 480, 240), slot("s", "h", 480))
    assert not capacity(hypervisor("h", None, 0))


def test_room_counts_for_every_resource_of_the_slot():
    host = hypervisor("h", 64, 0, cpu=(8, 8))
    moved = reservation_of(slot("s", "src", 16, cpu=2))
    assert not has_capacity([], view([host]).hosts["h"], moved)


def test_what_the_oversubscription_controller_finds_free():
    host = view([hypervisor("h", 16, 8)]).hosts["h"]
    blocking = [reservation_of(each) for each in (slot("s", "h", 16), slot("t", "", 16, host="h"))]
    free = free_capacity(blocking, host)
    assert free is not None
    assert free["memory"] == -8 * GI
    assert free_capacity([], view([hypervisor("h", None)]).hosts["h"]) is None
