"""The part of the fault matrix that runs every time: every P0 scenario under a fault that its own mark names.

The whole of it is `python -m benchmarks.matrix`. Each run takes the whole plans, so that what a fault turns red by
mistake shows as well; faults that touch different decisions share a run.
"""

import pytest

from benchmarks.marks import read_marks
from benchmarks.matrix import automated, plans, run_broken
from benchmarks.planrun import ROOT
from lab.faults import CATALOGUE, named

RUNS = (
    (
        "gate_stale",
        "drain_limit_ignored",
        "cortex_uneven_when_nothing_fits",
        "cortex_every_intent_steered",
        "cortex_read_only_tracked",
        "cortex_never_follows",
    ),
    ("gate_ignored", "mdev_not_rewritten", "failure_unreported", "capacity_never_returns"),
    (
        "guest_rebooted",
        "source_killed_on_failure",
        "one_start_a_pass",
        "asked_twice",
        "in_flight_in_memory",
        "not_disabled_first",
        "evicted_too_early",
    ),
    ("guest_lost_on_target", "cortex_intent_read_as_hint", "success_too_early"),
    ("cortex_any_slot_steers",),
    ("limits_ignored_while_scheduling", "evacuated_twice"),
    ("drain_serialised",),
    ("killed_by_eviction",),
)


def test_every_p0_scenario_meets_a_fault_that_its_mark_names():
    chosen = {fault for faults in RUNS for fault in faults}
    met = {scenario for mark in read_marks(ROOT / "tests") if chosen & set(mark.faults) for scenario in mark.scenarios}
    assert set(automated(plans(), "P0")) <= met


@pytest.mark.parametrize("faults", RUNS, ids="+".join)
def test_faults_turn_red_what_they_declare_and_nothing_else(faults, tmp_path):
    row = run_broken(named(faults, CATALOGUE), tmp_path)
    assert row.exact, row.story()
