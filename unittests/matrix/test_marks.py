"""Marks, catalogue and plans agree; each way in which they may not is named."""

from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.marks import CaughtBy, disagreements, marks_in, packages_of
from benchmarks.matrix import automated, marks_that_lie, plans
from lab.faults import Fault

CATALOGUE = (
    Fault("first", "It breaks one thing.", frozenset({"A-1", "A-2"})),
    Fault("second", "It breaks another.", frozenset({"A-3"})),
)


def mark(scenario, *faults):
    """A mark of a test."""
    return CaughtBy("test_x.py:1", (scenario,), faults)


def test_marks_are_read_wherever_they_stand():
    text = """
        import pytest

        @pytest.mark.scenario("A-1", caught_by=("first", "second"))
        def test_function(): ...

        class TestClass:
            @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.scenario("A-2", caught_by="first"))])
            def test_method(self): ...

            @pytest.mark.scenario("A-3", "A-4")
            def test_without(self): ...
    """
    found = sorted(marks_in(dedent(text), Path("tests/p/test_x.py")), key=lambda mark: mark.scenarios)
    assert found == [
        CaughtBy("test_x.py:4", ("A-1",), ("first", "second")),
        CaughtBy("test_x.py:8", ("A-2",), ("first",)),
        CaughtBy("test_x.py:11", ("A-3", "A-4"), ()),
    ]


def test_agreement_has_nothing_to_say():
    marks = [mark("A-1", "first"), mark("A-2", "first"), mark("A-3", "second")]
    assert disagreements(marks, CATALOGUE, ["A-1", "A-2", "A-3"]) == ()


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ([mark("A-1")], "test_x.py:1: A-1 names no fault that must turn it red"),
        ([mark("A-1", "frist")], "test_x.py:1: there is no fault 'frist'"),
        ([mark("A-1", "second")], "test_x.py:1: fault second does not declare A-1"),
        ([], "scenario A-1 has no test with a mark"),
    ],
)
def test_marks_that_lie_are_named(marks, said):
    others = [mark("A-2", "first"), mark("A-3", "second")]
    assert disagreements([*marks, *others], CATALOGUE, ["A-1", "A-2", "A-3"]) == (said,)


def test_a_scenario_without_fault_is_named():
    marks = [mark("A-1", "first"), mark("A-2", "first"), mark("A-3", "second"), mark("A-4", "first")]
    assert "scenario A-4 has no fault that turns it red" in disagreements(marks, CATALOGUE, ["A-4"])


def test_a_fault_that_declares_what_no_plan_knows_is_named():
    marks = [mark("A-1", "first"), mark("A-2", "first"), mark("A-3", "second")]
    assert disagreements(marks, CATALOGUE, ["A-1", "A-2"]) == ("fault second declares unknown A-3",)


def test_tests_catalogue_and_plans_of_this_project_agree():
    assert len(automated(plans())) >= 31
    assert marks_that_lie() == ()


def test_packages_that_claim_scenarios(tmp_path):
    for plan, scenario in (("drains", "A-1"), ("moves", "B-1")):
        (tmp_path / "tests" / plan).mkdir(parents=True)
        (tmp_path / "tests" / plan / "test_x.py").write_text(
            f"@pytest.mark.scenario({scenario!r})\ndef test_x(): ...\n"
        )
    (tmp_path / "tests" / "__init__.py").touch()
    assert packages_of(["B-1", "C-9"], tmp_path / "tests") == ("tests/moves",)
    assert packages_of(["A-1", "B-1"], tmp_path / "tests") == ("tests/drains", "tests/moves")
    assert packages_of([], tmp_path / "tests") == ()
