"""The trace itself: plans and claims in, findings out.  Pure; the same for claims read from source and collected.

Source: sheet §6.  A test may claim many scenarios and a scenario may have many tests.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from utilities.stp.finding import Finding, Severity
from utilities.stp.plan import Plan, Scenario
from utilities.stp.traceability.claims import Claim

SEVERITIES = {"P0": "blocker", "P1": "critical", "P2": "normal"}
"""Allure severity by priority (sheet §5)."""

_REFUSAL = re.compile(
    r"\b(?:refus\w+|reject\w+|fail(?:s|ed|ure)?|forbidden|denied|blocked|cannot|not (?:be )?(?:possible|allowed))\b",
    re.IGNORECASE,
)
_STOP_WORDS = frozenset(("that", "test", "verify", "with", "after", "before", "from", "into", "when", "while"))
_CONTENT_WORD = 4

_Planned = tuple[Plan, Scenario]


def trace(plans: Sequence[Plan], claims: Iterable[Claim], *, partial: bool = False) -> tuple[Finding, ...]:
    """Every place where plans and tests disagree, in order of file and line.

    partial: `claims` is a selection of the tests, so a scenario without claim proves nothing and is not reported.
    """
    told = tuple(claims)
    planned: dict[str, list[_Planned]] = {}
    for plan in plans:
        for scenario in plan.scenarios:
            planned.setdefault(scenario.key, []).append((plan, scenario))
    by_scenario: dict[str, list[Claim]] = {}
    for claim in told:
        for name in claim.scenario_ids:
            by_scenario.setdefault(name, []).append(claim)
    findings = [
        *_duplicates(planned),
        *(finding for claim in told for finding in _of_claim(claim, planned)),
        *(
            finding
            for plan in plans
            for scenario in plan.scenarios
            for finding in _of_scenario(plan, scenario, by_scenario.get(scenario.key, []), partial)
        ),
    ]
    return tuple(sorted(set(findings), key=lambda finding: finding.place))


def _duplicates(planned: Mapping[str, Sequence[_Planned]]) -> Iterator[Finding]:
    for name, (first, *others) in planned.items():
        for plan, scenario in others:
            if scenario.id:
                yield Finding(
                    "trace-id-duplicate",
                    Severity.CRITICAL,
                    str(plan.path),
                    scenario.line,
                    f"scenario id {name} is taken by {first[0].path}:{first[1].line}",
                    "give one of the two another id",
                )


def _of_claim(claim: Claim, planned: Mapping[str, Sequence[_Planned]]) -> Iterator[Finding]:
    def found(name: str, severity: Severity, what: str, todo: str) -> Finding:
        return Finding(name, severity, claim.file, claim.line, what, todo)

    test = claim.function
    if not claim.scenario_ids:
        yield found(
            "trace-test-unplanned", Severity.HIGH, f"{test} claims no scenario", 'add @pytest.mark.scenario("ID")'
        )
    known = [(name, *planned[name][0]) for name in claim.scenario_ids if name in planned]
    for name in claim.scenario_ids:
        if name not in planned:
            yield found(
                "trace-unknown-scenario",
                Severity.CRITICAL,
                f"{test} claims {name}, which no plan has",
                "correct the id, or add the scenario to the plan",
            )
    for name, plan, scenario in known:
        if claim.plan_path and not same_plan(claim.plan_path, plan):
            yield found(
                "trace-plan-mismatch",
                Severity.MEDIUM,
                f"{test} claims {name} of {plan.path} but links {claim.plan_path}",
                "link the plan that holds the scenario",
            )
        if claim.tiers and scenario.tier is not None and f"tier{scenario.tier}" not in claim.tiers:
            yield found(
                "trace-tier-mismatch",
                Severity.MEDIUM,
                f"{test} is marked {', '.join(claim.tiers)}, {name} is Tier {scenario.tier}",
                "drop the mark (the plan sets it), or correct the plan",
            )
        wanted = SEVERITIES.get(scenario.priority or "")
        if claim.severity and wanted and claim.severity != wanted:
            yield found(
                "trace-severity-mismatch",
                Severity.MEDIUM,
                f"{test} has severity {claim.severity}, {name} is {scenario.priority}",
                f"drop the severity: the plan makes it {wanted}",
            )
        if claim.description and not _content(claim.description) & _content(scenario.text):
            yield found(
                "trace-text-drift",
                Severity.LOW,
                f"the description of {test} shares no word with {name}",
                "bring description and scenario together",
            )
    if claim.negative and known and not any(is_negative(scenario, plan) for _, plan, scenario in known):
        yield found(
            "trace-negative-mismatch",
            Severity.HIGH,
            f"{test} is [NEGATIVE], {', '.join(claim.scenario_ids)} in the plan is not",
            "mark the scenario [NEGATIVE], or drop the mark of the test",
        )


def _of_scenario(plan: Plan, scenario: Scenario, claims: Sequence[Claim], partial: bool) -> Iterator[Finding]:
    def found(name: str, severity: Severity, what: str, todo: str, *, unsigned: bool = False) -> Finding:
        return Finding(name, severity, str(plan.path), scenario.line, what, todo, open=unsigned)

    key, exclusion = scenario.key, scenario.exclusion
    if not scenario.id:
        yield found(
            "trace-id-fallback",
            Severity.LOW,
            f"scenario has no id and goes by {key}, which changes when scenarios move",
            "write a bold id in front of its text",
        )
    if exclusion is None and not claims and not partial:
        yield found(
            "trace-scenario-untested",
            Severity.CRITICAL,
            f"{key} has neither a test nor an exclusion",
            "claim it in a test, or say *Not automated here:* with reason and issue",
        )
    if exclusion is not None:
        missing = [
            name
            for name, value in (("issue", exclusion.issue), ("name", exclusion.name), ("date", exclusion.date))
            if not value
        ]
        if not exclusion.reason:
            yield found(
                "trace-exclusion-bare",
                Severity.HIGH,
                f"the exclusion of {key} gives no reason",
                "say why it is not automated",
            )
        elif missing:
            yield found(
                "trace-exclusion-unsigned",
                Severity.HIGH,
                f"the exclusion of {key} has no {', '.join(missing)}",
                "have it agreed: reason, issue, name / date",
                unsigned=True,
            )
        if any(claim.implemented for claim in claims):
            yield found(
                "trace-exclusion-stale",
                Severity.MEDIUM,
                f"{key} is excluded, yet {claims[0].function} tests it",
                "delete the exclusion",
            )
    if claims and is_negative(scenario, plan) and not any(claim.negative for claim in claims):
        yield found(
            "trace-negative-mismatch",
            Severity.HIGH,
            f"{key} is negative, none of its tests is [NEGATIVE]",
            "begin the test's description with [NEGATIVE]",
        )


def is_negative(scenario: Scenario, plan: Plan) -> bool:
    """The scenario is marked [NEGATIVE]; in a plan without any such mark, its words speak of refusal or failure."""
    if any(each.negative for each in plan.scenarios):
        return scenario.negative
    return _REFUSAL.search(scenario.text) is not None


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
