"""Write-back of allocations and the counters of placements (cortex sheet §2, §7)."""

import pytest

from lab.cortex.conf import Conf
from lab.cortex.kinds import RESERVATION
from unittests.lab_cortex.bed import Bed
from unittests.lab_cortex_scheduling.bodies import GROUP, PROJECT, VM, flavor


def bed_with(conf=None, **changes):
    bed = Bed(conf, **changes)
    for name in "ab":
        bed.host(name)
    return bed


def expected(bed, slot):
    return bed.api.get(RESERVATION, "", slot)["spec"]["committedResourceReservation"]["allocations"]


def test_the_vm_goes_into_a_slot_of_its_host():
    bed = bed_with()
    bed.commitment()
    bed.slot("slot-a", "a")
    bed.slot("slot-b", "b")
    assert bed.hosts("a", "b", weights={"a": 1.0, "b": 0.0}, hint=None) == ["a", "b"]
    entry = expected(bed, "slot-a")[VM]
    assert entry["resources"] == {"memory": "16Gi", "cpu": "4"}  # megabytes of Nova count as MiB
    assert entry["creationTimestamp"].startswith("2026-01-01T00:00:0")
    assert expected(bed, "slot-b") == {}
    assert bed.metrics.placements.values == {(GROUP, "Unknown", "slot_used"): 1.0}


def test_the_slot_that_is_picked():
    """Most covered, then the least left, then the name."""
    bed = bed_with()
    bed.commitment(amount=640)
    for name, size in (("s-8", 8), ("s-32", 32), ("s-16b", 16), ("s-16a", 16)):
        bed.slot(name, "a", size)
    order = []
    for number in range(5):
        bed.ask("a", instance_uuid=f"vm-{number}")
        order += [name for name in ("s-8", "s-32", "s-16b", "s-16a") if f"vm-{number}" in expected(bed, name)]
    assert order == ["s-16a", "s-16b", "s-32", "s-32", "s-8"]


def test_a_vm_that_is_listed_on_the_host_is_not_written_again():
    bed = bed_with()
    bed.commitment()
    bed.slot("one", "a", 32, expected=[VM])
    bed.slot("two", "a", 16)
    bed.ask("a")
    assert expected(bed, "two") == {}
    assert bed.count("placements", GROUP, "live_migration", "slot_used") == 1


def test_a_slot_of_any_candidate_counts_as_used():
    bed = bed_with()
    bed.commitment()
    bed.slot("slot-b", "b")
    bed.hosts("a", "b", weights={"a": 1.0, "b": 0.0}, hint="resize")
    assert bed.metrics.placements.values == {(GROUP, "resize", "slot_used"): 1.0}
    assert expected(bed, "slot-b") == {}


@pytest.mark.parametrize(
    ("commitment", "slots", "result"),
    [
        (None, True, "no_cr"),
        ({"state": "planned"}, True, "no_cr"),
        ({"used": 64}, True, "no_cr"),
        ({}, False, "slot_missed"),
        ({"state": "guaranteed"}, True, "slot_used"),
    ],
)
def test_outcomes(commitment, slots, result):
    bed = bed_with()
    if commitment is not None:
        bed.commitment(**commitment)
    if slots:
        bed.slot("slot-a", "a")
    bed.ask("a")
    assert bed.metrics.placements.values == {(GROUP, "live_migration", result): 1.0}


def test_the_project_of_the_context_counts():
    bed = bed_with()
    bed.commitment()
    bed.slot("slot-a", "a")
    bed.ask("a", context={"project_id": "somebody else"})
    assert bed.metrics.placements.values == {(GROUP, "live_migration", "no_cr"): 1.0}
    bed.ask("a", project_id="somebody else", context={"project_id": PROJECT})
    assert bed.count("placements", GROUP, "live_migration", "slot_used") == 1


def test_what_is_not_counted():
    bed = bed_with()
    bed.commitment()
    bed.ask("a", options={"skip_committed_resource_tracking": True})
    named = flavor()
    named["nova_object.data"]["name"] = "payg"
    bed.ask("a", flavor=named)
    assert bed.metrics.placements.values == {}


def test_without_the_gate_nothing_is_tracked():
    bed = bed_with(Conf(tracking=False))
    bed.commitment()
    bed.slot("slot-a", "a")
    bed.ask("a")
    bed.ask(weights={})
    assert (bed.metrics.placements.values, bed.metrics.no_host.values) == ({}, {})
    assert expected(bed, "slot-a") == {}


def test_without_flavor_groups_errors_are_counted():
    bed = bed_with(flavors=())
    bed.ask("a")
    bed.ask(weights={})
    assert bed.metrics.placements.values == {("unknown", "live_migration", "error"): 1.0}
    assert bed.metrics.no_host.values == {("error", "unknown", "live_migration"): 1.0}


@pytest.mark.parametrize(
    ("commitment", "slot", "result"),
    [
        (None, "a", "no_cr"),
        ({"used": 64}, "a", "cr_exhausted"),
        ({}, None, "slot_exhausted"),
        ({}, "a", "slot_blocked"),
    ],
)
def test_when_no_host_is_found(commitment, slot, result):
    bed = bed_with()
    bed.pipeline("strict", [], [{"name": "filter_host_instructions"}])
    bed.clock.advance(1)
    if commitment is not None:
        bed.commitment(**commitment)
    if slot is not None:
        bed.slot("slot", slot)
    assert bed.hosts("a", "b", pipeline="strict", ignore_hosts=["a", "b"]) is None
    assert bed.metrics.no_host.values == {(result, GROUP, "live_migration"): 1.0}
    assert bed.metrics.placements.values == {}
