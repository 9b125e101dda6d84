"""What of the fault matrix runs every time for KubeVirt: every P0 scenario under a fault that its mark names.

The whole of it is `python -m benchmarks.matrix`. Each run takes whole plans, so that what a fault turns red by mistake
shows as well; faults that touch different decisions share a run. The cloud's faults are a module of their own, so that
another worker can run them.
"""

import pytest

from unittests.matrix.rows import broken, unmet

ROWS = (
    ("gate_stale",),
    ("gate_ignored", "mdev_not_rewritten", "failure_unreported", "capacity_never_returns", "drain_serialised"),
    ("guest_rebooted", "source_killed_on_failure"),
    ("guest_lost_on_target",),
    ("limits_ignored_while_scheduling", "evacuated_twice"),
    ("killed_by_eviction",),
)


def test_every_p0_scenario_meets_a_fault_that_its_mark_names():
    assert unmet("sig-virt", ROWS) == set()


@pytest.mark.parametrize("faults", ROWS, ids="+".join)
def test_faults_turn_red_what_they_declare_and_nothing_else(faults, tmp_path):
    row = broken(faults, tmp_path)
    assert row.exact, row.story()
