"""What of the fault matrix runs every time for Nova, the hypervisor operator and Cortex.

As in `test_kubevirt_faults`.
"""

import pytest

from unittests.matrix.rows import broken, unmet

ROWS = (
    (
        "drain_limit_ignored",
        "cortex_uneven_when_nothing_fits",
        "cortex_every_intent_steered",
        "cortex_read_only_tracked",
        "cortex_never_follows",
    ),
    ("one_start_a_pass", "asked_twice", "in_flight_in_memory", "not_disabled_first", "evicted_too_early"),
    ("cortex_intent_read_as_hint", "success_too_early"),
    ("cortex_any_slot_steers",),
)


def test_every_p0_scenario_meets_a_fault_that_its_mark_names():
    assert unmet("cobaltcore", ROWS) == set()


@pytest.mark.parametrize("faults", ROWS, ids="+".join)
def test_faults_turn_red_what_they_declare_and_nothing_else(faults, tmp_path):
    row = broken(faults, tmp_path)
    assert row.exact, row.story()
