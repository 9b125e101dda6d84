"""Rules about tests: what they claim of the plans.  Source: sheet §6."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan, Scenario
from utilities.stp.rule import Hit, Kind, Rule, rule
from utilities.stp.traceability.claims import Claim
from utilities.stp.traceability.refusals import is_negative

SEVERITIES = {"P0": "blocker", "P1": "critical", "P2": "normal"}
"""Allure severity by priority (sheet §5)."""

_STOP_WORDS = frozenset(("that", "test", "verify", "with", "after", "before", "from", "into", "when", "while"))
_CONTENT_WORD = 4


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim, the scenarios it names with their plans, and the ids that no plan has."""

    claim: Claim
    known: tuple[tuple[Plan, Scenario], ...]
    unknown: tuple[str, ...]


@rule("trace-test-unplanned", Severity.HIGH)
def test_unplanned(claimed: Claimed) -> Iterator[Hit]:
    """A test claims no scenario.

    Why: nobody asked for it, so nobody will miss it, and its result counts for nothing.
    Bad: `def test_growth(vm):` alone
    Good: `@pytest.mark.scenario("GROW-01")` above it
    """
    claim = claimed.claim
    if not claim.scenario_ids:
        yield Hit(claim.line, f"{claim.function} claims no scenario", 'add @pytest.mark.scenario("ID")')


@rule("trace-unknown-scenario", Severity.CRITICAL)
def unknown_scenario(claimed: Claimed) -> Iterator[Hit]:
    """A test claims a scenario that no plan has.

    Why: the scenario it once proved would count as proven by a test that proves something else, or by none.
    Bad: `@pytest.mark.scenario("GROW-1")` for GROW-01
    Good: `@pytest.mark.scenario("GROW-01")`
    """
    for name in claimed.unknown:
        yield Hit(
            claimed.claim.line,
            f"{claimed.claim.function} claims {name}, which no plan has",
            "correct the id, or add the scenario to the plan",
        )


@rule("trace-plan-mismatch", Severity.MEDIUM)
def plan_mismatch(claimed: Claimed) -> Iterator[Hit]:
    """A test claims a scenario of one plan and links another.

    Why: a reader of the test opens the wrong plan.
    Bad: `STP: stps/sig-virt/memory.md` above a claim of GROW-01
    Good: `STP: stps/sig-storage/disk-growth.md`
    """
    claim = claimed.claim
    for plan, scenario in claimed.known:
        if claim.plan_path and not same_plan(claim.plan_path, plan):
            yield Hit(
                claim.line,
                f"{claim.function} claims {scenario.key} of {plan.path} but links {claim.plan_path}",
                "link the plan that holds the scenario",
            )


@rule("trace-tier-mismatch", Severity.MEDIUM)
def tier_mismatch(claimed: Claimed) -> Iterator[Hit]:
    """A tier mark written by hand disagrees with the scenario's tier.

    Why: the test runs in a lane that the plan did not mean.
    Bad: `@pytest.mark.tier3` on the test of a `[Tier 2]` scenario
    Good: no tier mark: the plan gives it
    """
    claim = claimed.claim
    for _, scenario in claimed.known:
        if claim.tiers and scenario.tier is not None and f"tier{scenario.tier}" not in claim.tiers:
            yield Hit(
                claim.line,
                f"{claim.function} is marked {', '.join(claim.tiers)}, {scenario.key} is Tier {scenario.tier}",
                "drop the mark (the plan sets it), or correct the plan",
            )


@rule("trace-severity-mismatch", Severity.MEDIUM)
def severity_mismatch(claimed: Claimed) -> Iterator[Hit]:
    """A severity written by hand disagrees with the scenario's priority.

    Why: reports would sort a blocker among the trifles.
    Bad: `@allure.severity(allure.severity_level.MINOR)` on the test of a P0 scenario
    Good: no severity: the plan gives it
    """
    claim = claimed.claim
    for _, scenario in claimed.known:
        wanted = SEVERITIES.get(scenario.priority or "")
        if claim.severity and wanted and claim.severity != wanted:
            yield Hit(
                claim.line,
                f"{claim.function} has severity {claim.severity}, {scenario.key} is {scenario.priority}",
                f"drop the severity: the plan makes it {wanted}",
            )


@rule("trace-text-drift", Severity.LOW, Kind.HEURISTIC)
def text_drift(claimed: Claimed) -> Iterator[Hit]:
    """The description of a test shares no content word with its scenario.

    Why: one of the two was rewritten, and the test may prove something else by now.
    Bad: `Test that colours match`, claiming the growth of a disk
    Good: `Test that a disk grows while its VM runs`
    """
    claim = claimed.claim
    for _, scenario in claimed.known:
        if claim.description and not _content(claim.description) & _content(scenario.text):
            yield Hit(
                claim.line,
                f"the description of {claim.function} shares no word with {scenario.key}",
                "bring description and scenario together",
            )


@rule("trace-negative-mismatch", Severity.HIGH, Kind.HEURISTIC)
def negative_test(claimed: Claimed) -> Iterator[Hit]:
    """A test is [NEGATIVE] and none of its scenarios is, or a scenario is and none of its tests.

    A plan without any [NEGATIVE] mark is judged by its words.

    Why: refusals and failures are counted apart; a wrong mark hides that one is missing.
    Bad: `[NEGATIVE] Test that a disk grows`
    Good: `[NEGATIVE] Test that growth beyond the free space is refused`
    """
    claim, known = claimed.claim, claimed.known
    if claim.negative and known and not any(is_negative(scenario, plan) for plan, scenario in known):
        yield Hit(
            claim.line,
            f"{claim.function} is [NEGATIVE], {', '.join(claim.scenario_ids)} in the plan is not",
            "mark the scenario [NEGATIVE], or drop the mark of the test",
        )


RULES: tuple[Rule[Claimed], ...] = (
    test_unplanned,
    unknown_scenario,
    plan_mismatch,
    tier_mismatch,
    severity_mismatch,
    text_drift,
    negative_test,
)


def same_plan(link: str, plan: Plan) -> bool:
    """Whether a link (URL, path in the repository, file name) means this plan."""
    path = PurePosixPath(plan.path.as_posix())
    parts = PurePosixPath(link.partition("#")[0].partition("?")[0]).parts
    known = parts[len(parts) - 1 - parts[::-1].index("stps") :] if "stps" in parts else parts[-1:]
    return path.parts[-len(known) :] == known


def _content(text: str) -> set[str]:
    """Beginnings of the words that carry meaning, so that "migrates" meets "migration"."""
    return {
        word[:5]
        for word in re.findall(r"[a-z0-9]+", text.lower())
        if len(word) >= _CONTENT_WORD and word not in _STOP_WORDS
    }
