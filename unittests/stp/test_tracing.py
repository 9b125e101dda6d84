"""Plans against claims: every rule once triggered and once at rest."""

from pathlib import Path

import pytest

from unittests.stp.reading import plan
from utilities.stp.parsing import plan_from
from utilities.stp.traceability import STOPS_COLLECTION, Claim, collection_errors, trace

PLAN = """
    ### **III. Test Scenarios & Traceability**
    - **[CNV-00001]** — As a user, I want disks to grow so that I keep working.
      - *Test Scenario:* [Tier 2] **GROW-01** — Verify that a disk grows
      - *Priority:* P0

      - *Test Scenario:* [Tier 2] [NEGATIVE] **GROW-02** — Verify that growth beyond the free space is refused
      - *Priority:* P1

      - *Test Scenario:* [Tier 3] **GROW-03** — Verify that a disk of a Windows guest grows
      - *Priority:* P2
      - *Not automated here:* no Windows image — CNV-00073, QE One / 2031-03-04
"""


def claims(**changed):
    positive = {"test_id": "tests/g/test_a.py::test_grow", "scenario_ids": ("GROW-01",)}
    negative = {"test_id": "tests/g/test_a.py::test_no", "scenario_ids": ("GROW-02",), "negative": True}
    return [Claim(**(positive | changed)), Claim(**negative)]


def ids(found):
    return [finding.id for finding in found]


def test_plan_and_tests_in_step():
    assert trace([plan(PLAN)], claims()) == ()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"scenario_ids": ()}, ["trace-scenario-untested", "trace-test-unplanned"]),
        ({"scenario_ids": ("GROW-01", "GROW-99")}, ["trace-unknown-scenario"]),
        ({"scenario_ids": ("GROW-01", "GROW-03")}, ["trace-exclusion-stale"]),
        ({"scenario_ids": ("GROW-01", "GROW-03"), "implemented": False}, []),
        ({"negative": True}, ["trace-negative-mismatch"]),
        ({"negative": True, "scenario_ids": ("GROW-01", "GROW-02")}, []),
        ({"tiers": ("tier3",)}, ["trace-tier-mismatch"]),
        ({"tiers": ("tier2",)}, []),
        ({"severity": "minor"}, ["trace-severity-mismatch"]),
        ({"severity": "blocker"}, []),
        ({"plan_path": "https://x.example/blob/main/stps/sig-x/plan.md#goals"}, []),
        ({"plan_path": "stps/sig-x/plan.md"}, []),
        ({"plan_path": "stps/sig-y/plan.md"}, ["trace-plan-mismatch"]),
        ({"description": "Test that growing a disk works"}, []),
        ({"description": "Test that colours match"}, ["trace-text-drift"]),
    ],
)
def test_one_claim_changed(changed, expected):
    assert sorted(ids(trace([plan(PLAN)], claims(**changed)))) == sorted(expected)


def test_unmarked_test_of_a_negative_scenario():
    found = trace([plan(PLAN)], [*claims()[:1], Claim("t.py::test_no", ("GROW-02",))])

    assert [(finding.id, finding.line) for finding in found] == [("trace-negative-mismatch", 6)]


def test_words_decide_in_a_plan_without_negative_marks():
    read = plan(PLAN.replace("[NEGATIVE] ", ""))

    assert trace([read], claims()) == ()
    assert ids(trace([read], [*claims()[:1], Claim("t.py::test_no", ("GROW-02",))])) == ["trace-negative-mismatch"]


def test_selection_is_not_blamed_for_what_it_leaves_out():
    assert ids(trace([plan(PLAN)], claims()[:1])) == ["trace-scenario-untested"]
    assert trace([plan(PLAN)], claims()[:1], partial=True) == ()


@pytest.mark.parametrize(
    ("exclusion", "expected", "open_"),
    [
        ("no Windows image — CNV-00073, [Name / date]", ["trace-exclusion-unsigned"], True),
        ("no Windows image — CNV-00073, QE One", ["trace-exclusion-unsigned"], True),
        ("no Windows image", ["trace-exclusion-unsigned"], True),
        ("CNV-00073, QE One / 2031-03-04", ["trace-exclusion-bare"], False),
        ("TBD", ["trace-exclusion-bare"], False),
    ],
)
def test_incomplete_exclusions(exclusion, expected, open_):
    found = trace([plan(PLAN.replace("no Windows image — CNV-00073, QE One / 2031-03-04", exclusion))], claims())

    assert ids(found) == expected
    assert [finding.open for finding in found] == [open_]
    assert [finding.id in STOPS_COLLECTION for finding in found] == [not open_]


def test_same_id_in_two_plans():
    other = plan_from(plan(PLAN).source.text, Path("stps/sig-y/plan.md"))

    found = trace([plan(PLAN), other], claims())

    assert ids(found) == ["trace-id-duplicate"] * 3
    assert found[0].path == "stps/sig-y/plan.md"
    assert "GROW-01 is taken by stps/sig-x/plan.md:3" in found[0].what


def test_scenario_without_id_goes_by_its_position():
    read = plan(PLAN.replace("**GROW-01** — ", ""))

    assert ids(trace([read], claims(scenario_ids=("CNV-00001#1",)))) == ["trace-id-fallback"]


def test_parameter_sets_of_one_test_give_one_finding():
    sets = [Claim(f"tests/g/test_a.py::test_x[{number}]", ()) for number in range(3)]

    assert ids(trace([plan(PLAN)], [*claims(), *sets])) == ["trace-test-unplanned"]


def test_collection_reads_all_tests_but_judges_the_selection(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_a.py").write_text(
        "import pytest\n\n@pytest.mark.scenario('GROW-01')\ndef test_grow():\n    assert 1\n\n"
        "@pytest.mark.scenario('GROW-02')\ndef test_no():\n    '''[NEGATIVE] Test it is refused'''\n    assert 1\n"
    )
    selected = [Claim("tests/test_a.py::test_grow", ("GROW-01",))]
    renamed = [Claim("tests/test_a.py::test_grow", ("GROW-1",))]

    assert collection_errors([plan(PLAN)], selected, [folder], tmp_path) == ()
    assert ids(collection_errors([plan(PLAN)], renamed, [folder], tmp_path)) == ["trace-unknown-scenario"]
    (folder / "test_a.py").unlink()
    assert ids(collection_errors([plan(PLAN)], [], [folder], tmp_path)) == ["trace-scenario-untested"] * 2
