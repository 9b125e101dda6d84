"""What each program of the simulated operator is known to break, held against the plan of parallel drains."""

import pytest

from benchmarks.operators import NEEDS_PARALLEL, PLAN, against, judge, known_issues
from benchmarks.planrun import ROOT, PlanRun
from lab.hypervisor_operator.programs import FIXED, PARALLEL, SERIAL

KNOWN = frozenset({"EVIC-07", "EVIC-16"})


def ran(**red):
    """A run of three scenarios."""
    verdicts = {"EVIC-01": "passed", "EVIC-07": "passed", "EVIC-16": "passed"}
    return PlanRun({**verdicts, **{name.replace("_", "-"): verdict for name, verdict in red.items()}}, {})


@pytest.mark.parametrize(
    ("program", "run", "wrong"),
    [
        (FIXED, ran(), ()),
        (FIXED, ran(EVIC_16="failed"), ("EVIC-16 is failed: ",)),
        (PARALLEL, ran(EVIC_07="failed", EVIC_16="failed"), ()),
        (PARALLEL, ran(EVIC_07="failed"), ("EVIC-16 is not red, though it is known to be",)),
        (PARALLEL, ran(EVIC_07="failed", EVIC_16="inconclusive"), ("EVIC-16 is not red, though it is known to be",)),
        (PARALLEL, ran(EVIC_01="failed", EVIC_07="failed", EVIC_16="failed"), ("EVIC-01 is failed: ",)),
    ],
)
def test_what_counts_as_wrong(program, run, wrong):
    assert judge(program, run, KNOWN).wrong == wrong


def test_a_serial_program_passes_nothing_that_is_parallel():
    serial = PlanRun(dict.fromkeys(NEEDS_PARALLEL, "blocked"), {})
    assert judge(SERIAL, serial, KNOWN).wrong == ()
    passing = PlanRun({**serial.verdicts, "EVIC-03": "passed"}, {})
    assert judge(SERIAL, passing, KNOWN).wrong == ("EVIC-03 passed, though nothing is parallel",)


def test_known_issues_stand_in_the_marks_and_in_the_plan():
    known = known_issues(ROOT / PLAN)
    assert known == {f"EVIC-{number:02}" for number in (7, 16, 23, 26, 28, 29, 30, 31, 32)}
    plan = (ROOT / "stps" / "cobaltcore" / "eviction-concurrency.md").read_text(encoding="utf-8")
    (limitation,) = (text for text in plan.split("\n- **") if text.startswith("The proposal as it is breaks"))
    assert all(name in limitation for name in known)


def test_the_proposal_breaks_what_it_is_known_to_break_and_nothing_else(tmp_path):
    met = against(PARALLEL, tmp_path)
    assert met.wrong == (), met.line()
