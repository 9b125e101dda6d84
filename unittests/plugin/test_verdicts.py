"""A scenario is as good as the worst of its tests, and never better than what was run."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.plugin.verdicts import Evidence, TestResult, Verdict, by_scenario, scenario_verdict

VERDICTS = st.sampled_from([Verdict.PASSED, Verdict.BLOCKED, Verdict.INCONCLUSIVE, Verdict.BROKEN, Verdict.FAILED])


@dataclass(frozen=True)
class Exclusion:
    reason: str


@dataclass(frozen=True)
class Scenario:
    id: str
    exclusion: Exclusion | None = None
    requirement: str = "CNV-1"
    tier: int = 2
    priority: str = "P0"
    text: str = "Verify"


def result(verdict, scenarios=("A-1",), reason=""):
    return TestResult("tests/x.py::t", scenarios, verdict, reason)


def test_nothing_run_is_never_passed():
    assert scenario_verdict(excluded=False, results=[]) is Verdict.NOT_RUN
    assert scenario_verdict(excluded=True, results=[]) is Verdict.EXCLUDED


@given(st.lists(VERDICTS, min_size=1), VERDICTS)
def test_one_more_result_never_improves_a_verdict(verdicts, extra):
    before = scenario_verdict(False, [result(verdict) for verdict in verdicts])
    after = scenario_verdict(False, [result(verdict) for verdict in [*verdicts, extra]])
    assert after.rank >= before.rank


@given(st.lists(VERDICTS, min_size=1))
def test_passed_only_if_all_passed(verdicts):
    verdict = scenario_verdict(False, [result(each) for each in verdicts])
    assert (verdict is Verdict.PASSED) == (set(verdicts) == {Verdict.PASSED})


def test_results_are_joined_to_the_scenarios_they_claim():
    failed = result(Verdict.FAILED, ("A-2", "A-1"), "boom")
    first, second, third = by_scenario(
        [Scenario("A-1"), Scenario("A-2"), Scenario("A-3", Exclusion("needs Windows"))],
        [result(Verdict.PASSED), failed],
    )
    assert (first.verdict, first.reason, len(first.tests)) == (Verdict.FAILED, "boom", 2)
    assert (second.verdict, len(second.tests)) == (Verdict.FAILED, 1)
    assert (third.verdict, third.reason) == (Verdict.EXCLUDED, "needs Windows")


def test_a_result_survives_the_way_from_a_worker():
    before = TestResult(
        "t", ("A-1",), Verdict.BLOCKED, "no GPU", 1.5, (Evidence("a", "b.svg", "image/svg+xml"),), (("gap", "1 s"),)
    )
    assert TestResult.from_json(before.to_json()) == before


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_its_rank(verdict):
    assert list(Verdict)[verdict.rank] is verdict


def known(verdict, what="guarantee 7"):
    return TestResult("tests/x.py::k", ("A-1",), verdict, "r", figures=(("known issue", what),) if what else ())


@pytest.mark.parametrize(
    ("tests", "issue", "not_seen"),
    [
        ([known(Verdict.FAILED)], "guarantee 7", ""),
        ([known(Verdict.FAILED), known(Verdict.FAILED, "guarantee 9")], "guarantee 7; guarantee 9", ""),
        ([known(Verdict.BROKEN)], "", ""),  # what kept the test from judging is something else
        ([known(Verdict.FAILED), known(Verdict.FAILED, "")], "", ""),  # one failure that nobody knows
        ([known(Verdict.FAILED), known(Verdict.PASSED, "")], "guarantee 7", ""),
        ([known(Verdict.PASSED), known(Verdict.FAILED, "")], "", ""),
        ([known(Verdict.INCONCLUSIVE)], "", ""),
        ([known(Verdict.PASSED)], "", "guarantee 7"),
        ([], "", ""),
    ],
)
def test_known_issues_stand_beside_the_verdict(tests, issue, not_seen):
    (joined,) = by_scenario([Scenario("A-1")], tests)
    assert (joined.known_issue, joined.not_seen) == (issue, not_seen)
    assert joined.verdict is scenario_verdict(False, tests)
