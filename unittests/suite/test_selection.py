"""What `-k` chooses, and what a run says that was given nothing to do, or part of a plan."""

import re

import pytest

from .processes import run_plans

PLAN = "tests/mdev_vgpu_live_migration"


@pytest.mark.parametrize(
    ("words", "tests"),
    [
        ("VGPU-29", {f"{PLAN}/test_permissions.py::test_gate_cannot_be_flipped"}),
        ("vgpu-29 or VGPU-98", {f"{PLAN}/test_permissions.py::test_gate_cannot_be_flipped"}),
        ("VGPU-29 and not permissions", set()),
    ],
)
def test_scenarios_are_chosen_by_their_ids(tmp_path, words, tests):
    ended = run_plans(tmp_path, "--collect-only", "-q", "-k", words)
    assert set(re.findall(r"^tests/.*::.*$", ended.shown, re.MULTILINE)) == tests, ended.shown


@pytest.mark.parametrize("workers", ["0", "1"])
def test_words_that_choose_nothing_are_said_with_what_there_is(tmp_path, workers):
    ended = run_plans(tmp_path, "-k", "VGPU-98", "-n", workers, tests=(f"{PLAN}/test_move.py",))
    assert ended.status == 5, ended.shown
    (hint,) = re.findall(r"^-k VGPU-98 .*$", ended.shown, re.MULTILINE)
    count = int(re.search(r"chooses none of (\d+) tests", hint)[1])
    assert count > 3
    assert "names of tests and modules, and ids of scenarios such as VGPU-05" in hint
