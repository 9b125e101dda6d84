"""The catalogue as a whole: names, tables, scenarios, and how faults are chosen."""

import re

import pytest

from lab.controllers.decisions import Row, Table, hold
from lab.cortex import placements, scheduler
from lab.cortex.reservations import following
from lab.cortex.scheduling import building, pipeline, slots
from lab.cortex.scheduling.weighers import migration_slot
from lab.faults import CATALOGUE, Fault, UnknownFaultError, named, together
from lab.faults.fault import ahead, would
from lab.hypervisor_operator.eviction import answers, case, instances, limits, queue
from lab.hypervisor_operator.flags import START
from lab.hypervisor_operator.maintenance import DRAIN, REPORT, SERVICE
from lab.kubevirt.evacuation.controller import EVACUATE
from lab.kubevirt.evacuation.evictions import EVICTION
from lab.kubevirt.handler.migratable import DEVICES
from lab.kubevirt.launchers import LAUNCH
from lab.kubevirt.migration.admission import CREATE
from lab.kubevirt.migration.controller import SETTINGS
from lab.kubevirt.migration.engine import BANDWIDTH, MDEV
from lab.kubevirt.migration.job import ABORTS, OUTCOMES
from lab.kubevirt.migration.limits import CLAIMS, PRIORITIES
from lab.kubevirt.migration.monitor import MONITOR
from lab.kubevirt.migration.source import SOURCE
from lab.kubevirt.migration.status import STATUS
from lab.kubevirt.migration.target import TARGET
from lab.kubevirt.migration.work import WORK
from lab.kubevirt.subresources.instances import EVACUATE_CANCEL
from lab.kubevirt.vm.printable import PRINTABLE
from lab.openstack.compute.external.verdicts import VERDICTS
from lab.openstack.compute.live import LIVE
from lab.openstack.compute.scheduling import FILTERS
from lab.openstack.http.requests import REQUESTS

TABLES = {
    table.name
    for table in (
        ABORTS, BANDWIDTH, DEVICES, LAUNCH, MDEV, MONITOR, OUTCOMES, PRINTABLE, SETTINGS, SOURCE, STATUS, TARGET, WORK,
        answers.AGAIN, answers.CLAIM, answers.POSTED, answers.WRITES, case.STAGES, instances.PARALLEL, limits.LIMIT,
        limits.ROOM, queue.CANDIDATES, queue.ORDER, queue.SCAN, START, DRAIN, REPORT, SERVICE, FILTERS, REQUESTS,
        VERDICTS,
        CLAIMS, CREATE, EVACUATE, EVACUATE_CANCEL, EVICTION, PRIORITIES,
        building.KNOWN, following.CONFIRMATIONS, following.FOLLOWS, following.OCCUPANTS, migration_slot.ACTIVATIONS,
        migration_slot.COUNTED, migration_slot.INTENT, migration_slot.LISTING, migration_slot.NEED,
        migration_slot.OUTCOME, migration_slot.SOURCE, migration_slot.WEIGHTS, pipeline.WHOLE, placements.TRACKED,
        scheduler.REMEMBERED, slots.CAPACITY, slots.FREE, slots.MATCH, slots.REMAINING, slots.ROOM, slots.SLOT, LIVE,
    )
}  # fmt: skip
SCENARIOS = {"VGPU": range(1, 32), "DRAIN": range(1, 26), "EVIC": range(1, 33), "CRMS": (*range(1, 42), 43)}
"""Of each plan: the numbers of the scenarios that are automated."""
NUMBERS: Table[int] = Table("numbers", (Row("even", lambda n: n % 2 == 0, hold), Row("odd", lambda _: True, hold)))


def test_names_are_unique_and_can_be_typed():
    names = [fault.name for fault in CATALOGUE]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names)


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda fault: fault.name)
def test_each_says_what_it_breaks_where_and_who_must_notice(fault):
    assert fault.breaks.endswith(".")
    assert fault.breaks.count(".") == 1
    assert fault.rows or fault.at_start
    assert fault.rows.keys() <= TABLES
    assert all(row.name.startswith("fault: ") for rows in fault.rows.values() for row in rows)
    assert fault.scenarios
    assert fault.scenarios <= known()


def known():
    """Ids of all automated scenarios."""
    return {f"{plan}-{number:02}" for plan, numbers in SCENARIOS.items() for number in numbers}


def test_every_scenario_of_the_plans_is_caught_by_something():
    assert frozenset().union(*(fault.scenarios for fault in CATALOGUE)) == known()


def test_faults_are_chosen_by_name():
    assert [fault.name for fault in named(["gate_stale", "gate_ignored"], CATALOGUE)] == ["gate_stale", "gate_ignored"]


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownFaultError, match=r"unknown lab fault 'gate_ignord'; known faults: abort_ignored, .*"):
        named(["gate_ignored", "gate_ignord"], CATALOGUE)


def test_rows_of_several_faults_stand_in_the_order_of_choice():
    first = Fault("first", "x", frozenset(), ahead(NUMBERS, Row("fault: a", lambda _: True, hold)))
    second = Fault("second", "x", frozenset(), ahead(NUMBERS, Row("fault: b", lambda _: True, hold)))
    table = together([second, first]).ahead_of(NUMBERS)
    assert [row.name for row in table.rows] == ["fault: b", "fault: a", "even", "odd"]


def test_a_condition_on_a_row_that_is_not_there_is_an_error():
    assert would(NUMBERS, "odd")(3)
    assert not would(NUMBERS, "odd")(2)
    with pytest.raises(LookupError, match="table numbers has no row 'prime'"):
        would(NUMBERS, "prime")
