"""The scale benchmark: what it reads from the system, and what it says of its stages."""

import math
from dataclasses import replace

import pytest

from benchmarks.lab_scale import COSTS, FULL, Stage, growth, table, verdicts
from benchmarks.scale_lab import cpu_seconds, resident

FIRST = Stage(
    objects=11_000, vmis=1000, bare_rate=400.0, bare_cost=1.0, vmi_rate=30.0, vmi_objects_rate=200.0, vmi_cost=20.0,
    list_cost=1.0, pages_cost=2.0, event_rate=9000.0, event_cost=0.05, resting=0.02, resident=400.0,
)  # fmt: skip
LAST = replace(FIRST, objects=110_000, vmis=10_000, bare_cost=1.2, resident=1500.0)


def test_processor_time_is_read_behind_a_name_with_brackets():
    assert cpu_seconds("7 (a (b) c) S 1 7 7 0 -1 0 0 0 0 0 250 50 0 0 20 0 1 0 0 0 0", ticks=100) == 3.0


def test_memory_is_read_in_mebibytes():
    assert resident("Name:\tpython\nVmHWM:\t   4096 kB\nVmRSS:\t   2048 kB\n", "VmRSS") == 2.0


def test_a_stage_is_a_share_of_the_size_with_all_nodes():
    assert FULL.at(0.1) == replace(FULL, vmis=1000, bare=FULL.bare // 10)


def test_growth_is_the_last_stage_over_the_first():
    assert growth([FIRST, replace(FIRST, bare_cost=9.0), LAST], "bare_cost") == pytest.approx(1.2)
    assert growth([replace(FIRST, list_cost=0.0), LAST], "list_cost") == math.inf


def test_every_cost_has_a_line_with_its_growth():
    lines = table([FIRST, LAST])
    assert all(any(line.startswith(name) and line.endswith("x") for line in lines) for name in COSTS)


def test_targets_that_are_met_and_not_met():
    assert all(line.endswith(", met") for line in verdicts([FIRST, LAST]))
    missed = verdicts([FIRST, replace(LAST, bare_rate=150.0, vmi_cost=31.0, resident=2100.0)])
    assert missed == [
        "at least 200 objects/s: 150/s, not met",
        "linear growth, at most 1.5x: 1.55x, not met",
        "under 2048 MiB: 2100 MiB, not met",
    ]
