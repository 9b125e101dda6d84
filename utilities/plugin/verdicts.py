"""Verdicts: one word per test, and the worst of its tests per scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What came out. Ordered from best to worst by `rank`."""

    PASSED = "passed"
    EXCLUDED = "excluded"
    NOT_RUN = "not run"
    BLOCKED = "blocked"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"
    FAILED = "failed"

    @property
    def rank(self) -> int:
        """Higher is worse."""
        return tuple(Verdict).index(self)


KNOWN_ISSUE = "known issue"
"""Name of the figure by which a test tells what the product is known to break."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file in the results folder: `path` is relative to it."""

    title: str
    path: str
    media_type: str


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test, one parameter set, one run. `seconds` is wall time; `reason` is empty when it passed."""

    __test__ = False  # the name starts like a test, which pytest would try to collect

    test: str
    scenarios: tuple[str, ...]
    verdict: Verdict
    reason: str = ""
    seconds: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()  # measured values worth showing, such as guest-observed downtime

    @property
    def known_issue(self) -> str:
        """What the product is known to break here, as the test's `known_issue` mark says; "" without one."""
        return dict(self.figures).get(KNOWN_ISSUE, "")

    def to_json(self) -> dict[str, Any]:
        """A JSON object of plain values."""
        return {**asdict(self), "verdict": str(self.verdict)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TestResult:
        """The inverse of `to_json`."""
        return cls(
            test=data["test"],
            scenarios=tuple(data["scenarios"]),
            verdict=Verdict(data["verdict"]),
            reason=data["reason"],
            seconds=data["seconds"],
            evidence=tuple(Evidence(**item) for item in data["evidence"]),
            figures=tuple((name, value) for name, value in data["figures"]),
        )


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario of a plan with the worst verdict of the tests that claim it."""

    id: str
    requirement: str
    tier: int
    priority: str
    text: str
    verdict: Verdict
    reason: str
    tests: tuple[TestResult, ...]
    plan: str = ""

    @property
    def known_issue(self) -> str:
        """Why it failed, if all of its failed tests are known for that; "" else. It never makes the verdict better."""
        failed = [test.known_issue for test in self.tests if test.verdict is Verdict.FAILED]
        return "; ".join(dict.fromkeys(failed)) if self.verdict is Verdict.FAILED and all(failed) else ""

    @property
    def not_seen(self) -> str:
        """The known issues of its tests, if it passed all the same; "" else."""
        known = dict.fromkeys(test.known_issue for test in self.tests if test.known_issue)
        return "; ".join(known) if self.verdict is Verdict.PASSED else ""


def scenario_verdict(excluded: bool, results: Sequence[TestResult]) -> Verdict:
    """The worst verdict of all claiming tests; with none: excluded or not run, never passed."""
    if results:
        return max((result.verdict for result in results), key=lambda verdict: verdict.rank)
    return Verdict.EXCLUDED if excluded else Verdict.NOT_RUN


def by_scenario(scenarios: Iterable[Any], results: Sequence[TestResult], plan: str = "") -> tuple[ScenarioResult, ...]:
    """Each scenario (a `utilities.stp` Scenario) with its results, in plan order. plan: title of their plan."""
    joined = []
    for scenario in scenarios:
        mine = tuple(result for result in results if scenario.id in result.scenarios)
        verdict = scenario_verdict(scenario.exclusion is not None, mine)
        reasons = [result.reason for result in mine if result.verdict == verdict and result.reason]
        if not mine and scenario.exclusion is not None:
            reasons = [scenario.exclusion.reason]
        joined.append(
            ScenarioResult(
                id=scenario.id,
                requirement=scenario.requirement,
                tier=scenario.tier or 0,
                priority=scenario.priority or "",
                text=scenario.text,
                verdict=verdict,
                reason=reasons[0] if reasons else "",
                tests=mine,
                plan=plan,
            )
        )
    return tuple(joined)
