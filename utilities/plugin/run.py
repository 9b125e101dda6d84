"""One run of the plans: where its results go, what came out, and the report it leaves."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from utilities.errors import SiteError
from utilities.evidence.allure_files import write_categories, write_environment
from utilities.evidence.sink import Sink
from utilities.plugin import facts
from utilities.plugin.report import page
from utilities.plugin.verdicts import Evidence, ScenarioResult, TestResult, Verdict, by_scenario
from utilities.stp import Plan

TITLE = "Migration test plans"


@dataclass(slots=True)
class Run:
    """State of one pytest process that runs plans; under xdist the controller gathers what workers report."""

    results: Path
    allure: Path  # folder of the Allure results
    plans: tuple[Plan, ...]
    sink: Sink
    suite: dict[str, str] = field(default_factory=dict)  # facts.of_suite, from before the first test
    tests: list[TestResult] = field(default_factory=list)
    observed: list[dict[str, str]] = field(default_factory=list)  # facts.of_versions, of each process
    started: float = field(default_factory=time.time)

    @property
    def verdicts(self) -> Path:
        """The JSON that other commands read."""
        return self.results / "verdicts.json"

    @property
    def report(self) -> Path:
        """The HTML page."""
        return self.results / "report.html"

    def scenarios(self) -> tuple[ScenarioResult, ...]:
        """Results by scenario of the plans that any test of this run belongs to."""
        touched = {name for test in self.tests for name in test.scenarios}
        plans = [plan for plan in self.plans if any(scenario.id in touched for scenario in plan.scenarios)]
        return tuple(result for plan in plans for result in by_scenario(plan.scenarios, self.tests, plan.title))

    def write(self, target: dict[str, str], left: Sequence[str]) -> None:
        """Leave verdicts as JSON, the report as HTML, and what Allure reads beside its results.

        left: what tests left behind on the site; on a real cluster nobody can tell.
        """
        self.results.mkdir(parents=True, exist_ok=True)
        joined = self.scenarios()
        told = {
            **facts.joined([{"Target": target["Target"]}, *self.observed, target]),  # versions come before details
            **self.suite,
            **({"Left behind": "; ".join(left) or facts.NONE} if target["Target kind"] == "lab" else {}),
            "Started": datetime.fromtimestamp(self.started, UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
            "Took": f"{time.time() - self.started:.0f} s",
        }
        verdicts = {
            "facts": told,
            "left": list(left),
            "scenarios": {result.id: str(result.verdict) for result in joined},
            "tests": [test.to_json() for test in self.tests],
        }
        self.verdicts.write_text(json.dumps(verdicts, indent=1), encoding="utf-8")
        self.report.write_text(page(TITLE, told, joined, self.results, left), encoding="utf-8")
        write_environment(self.allure, told)
        write_categories(self.allure)


def make_folders(results: Path, allure: Path) -> None:
    """Make sure that results can be written before there are any. Raises SiteError."""
    try:
        for folder in (results, allure):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SiteError(
            f"cannot write results to {results}: {error}", next_step="name a folder that can be made: --results=DIR"
        ) from error


RUN: pytest.StashKey[Run] = pytest.StashKey()
_WORST: pytest.StashKey[tuple[Verdict, str]] = pytest.StashKey()
_SECONDS: pytest.StashKey[float] = pytest.StashKey()


def note_phase(item: pytest.Item, verdict: Verdict, reason: str, seconds: float, *, voids: bool = False) -> None:
    """Remember the outcome of one phase (setup, call, teardown) of a test; the worst one counts.

    voids: whatever the other phases said proves nothing.
    """
    worst = item.stash.get(_WORST, (Verdict.PASSED, ""))
    if voids or verdict.rank > worst[0].rank:
        item.stash[_WORST] = (verdict, reason)
    item.stash[_SECONDS] = item.stash.get(_SECONDS, 0.0) + seconds


def result_of(item: pytest.Item, scenarios: tuple[str, ...], run: Run) -> TestResult:
    """The result of a test whose phases are all over."""
    verdict, reason = item.stash.get(_WORST, (Verdict.PASSED, ""))
    pieces, figures = run.sink.end()
    evidence = tuple(Evidence(piece.title, piece.path, piece.media_type) for piece in pieces)
    return TestResult(item.nodeid, scenarios, verdict, reason, item.stash.get(_SECONDS, 0.0), evidence, figures)
