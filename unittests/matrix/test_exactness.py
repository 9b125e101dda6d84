"""A fault is exact when what it declares is red and everything else green; anything else is named with its reason."""

import pytest

from benchmarks.exactness import Cell, Row, gist
from benchmarks.matrix_page import page
from benchmarks.planrun import read
from lab.faults import Fault

FAULT = Fault("some_fault", "It breaks something.", frozenset({"A-1", "A-2"}))
OTHER = Fault("other_fault", "It breaks something else.", frozenset({"A-3"}))


def ran(**verdicts):
    """A run with these verdicts of scenarios A-1, A-2 …; each that did not pass has a reason."""
    scenarios = {name.replace("_", "-").upper(): verdict for name, verdict in verdicts.items()}
    tests = [
        {"test": f"tests/p/test_x.py::test_{name}", "scenarios": [name], "verdict": verdict, "reason": "why it did"}
        for name, verdict in scenarios.items()
    ]
    return read({"scenarios": scenarios, "tests": tests}, seconds=1.0)


@pytest.mark.parametrize(
    ("verdict", "declared", "undeclared"),
    [
        ("passed", Cell.MISSED, Cell.QUIET),
        ("failed", Cell.CAUGHT, Cell.UNDECLARED),
        ("broken", Cell.CAUGHT, Cell.UNDECLARED),
        ("inconclusive", Cell.MISSED, Cell.UNDECLARED),
        ("blocked", Cell.MISSED, Cell.UNDECLARED),
        ("not run", Cell.MISSED, Cell.UNDECLARED),
    ],
)
def test_only_failed_and_broken_catch_and_only_passed_is_green(verdict, declared, undeclared):
    row = Row((FAULT,), ran(a_1=verdict, a_2="failed", a_3=verdict))
    assert (row.cell("A-1"), row.cell("A-3")) == (declared, undeclared)


def test_exactly_what_is_declared_is_exact():
    assert Row((FAULT,), ran(a_1="failed", a_2="broken", a_3="passed", a_4="excluded")).exact


def test_a_scenario_that_did_not_run_is_missed():
    row = Row((FAULT,), ran(a_1="failed"))
    assert not row.exact
    assert row.of(Cell.MISSED) == ["A-2"]


def test_the_story_names_scenario_fault_verdict_and_reason():
    story = Row((FAULT,), ran(a_1="passed", a_2="failed", a_3="failed")).story()
    assert story.splitlines() == [
        "MISSED A-1 under some_fault: passed; test_x.py::test_A-1: why it did",
        "UNDECLARED A-3 under some_fault: failed; test_x.py::test_A-3: why it did",
    ]


def test_faults_together_declare_what_each_declares():
    row = Row((FAULT, OTHER), ran(a_1="failed", a_2="failed", a_3="failed", a_4="passed"))
    assert row.name == "some_fault + other_fault"
    assert row.exact


def test_the_page_shows_every_cell_and_every_reason():
    rows = [
        Row((FAULT,), ran(a_1="failed", a_2="passed", a_3="passed")),
        Row((OTHER,), ran(a_1="passed", a_3="failed")),
    ]
    text = page(rows, ["a mark <lies>"])
    assert "1 of 2 faults turn red exactly what they declare" in text
    assert "A-2: passed (MISSED)" in text
    assert "a mark &lt;lies&gt;" in text
    assert "why it did" in text
    assert "http" not in text  # nothing is loaded from elsewhere


def test_the_gist_of_a_long_reason_is_its_first_line_and_its_end():
    assert gist("one\ntwo") == "one\ntwo"
    lines = [str(number) for number in range(40)]
    assert gist("\n".join(lines)).splitlines() == ["0", "  …", *lines[31:]]
