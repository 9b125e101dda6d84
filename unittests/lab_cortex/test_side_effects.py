"""A side-effect-free call: what it leaves alone, and what it still counts (cortex sheet §2)."""

import orjson
import pytest

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.cortex.http.answers import PATH
from lab.cortex.placements import TRACKED
from lab.cortex.scheduler import REMEMBERED
from unittests.lab_cortex.bed import READ_ONLY, STEERING, Bed
from unittests.lab_cortex_scheduling.bodies import GROUP, VM, body


def full(faults=None):
    bed = Bed(faults=faults)
    bed.host("a", memory=24, used=16)
    bed.host("b", memory=64, used=16)
    bed.commitment()
    bed.slot("src-0", "src", confirmed=[VM], expected=[VM])
    bed.slot("slot-b", "b")
    return bed


@pytest.fixture
def bed():
    return full()


def test_no_object_changes(bed):
    before = bed.revision()
    assert bed.hosts("a", "b", options=READ_ONLY)[0] == "b"
    assert bed.hosts("a", "b", pipeline=None, options=READ_ONLY) is not None
    bed.clock.advance(60)
    assert bed.revision() == before
    assert bed.history() is None


def test_what_is_counted_all_the_same(bed):
    bed.hosts("a", "b", options=READ_ONLY)
    assert bed.count("migration_slots", "slot_found") == 1
    assert bed.count("requests", STEERING) == 1
    assert round(bed.count("weight_modification", STEERING, "b", "kvm_cr_migration_slot"), 9) == 0.1
    assert bed.count("weight_modification", STEERING, "a", "kvm_cr_migration_slot") == 0
    assert bed.metrics.placements.values == {}


def test_no_host_is_counted_all_the_same(bed):
    assert bed.hosts(weights={}, options=READ_ONLY) is None
    assert bed.metrics.no_host.values == {("slot_exhausted", GROUP, "live_migration"): 1.0}


def test_the_numbers_of_the_pipeline_come_after_the_answer(bed):
    bed.cortex.front.answer("POST", PATH, orjson.dumps(body("a", pipeline=STEERING, options=READ_ONLY)))
    assert bed.count("requests", STEERING) == 0
    bed.clock.advance(0.1)
    assert bed.count("requests", STEERING) == 1


def test_a_call_that_is_not_has_effects(bed):
    before = bed.revision()
    bed.ask("a", "b")
    assert bed.revision() > before
    assert bed.history() is not None


@pytest.mark.parametrize("table", [REMEMBERED, TRACKED])
def test_a_fault_that_writes_nevertheless(table):
    always = Row("fault: writes", lambda _: True, says(True))
    bed = full(Faults({table.name: (always,)}))
    before = bed.revision()
    bed.ask("a", "b", options=READ_ONLY)
    assert bed.revision() > before
