"""The trace itself: plans and claims in, findings out.  Pure; the same for claims read from source and collected.

A test may claim many scenarios and a scenario may have many tests.  Source: sheet §6.
"""

from collections.abc import Iterable, Iterator, Sequence

from utilities.stp.finding import Finding
from utilities.stp.plan import Plan, Scenario
from utilities.stp.similarity import contained, stems
from utilities.stp.traceability import claimed, planned
from utilities.stp.traceability.claimed import SEVERITIES, Claimed
from utilities.stp.traceability.claims import Claim
from utilities.stp.traceability.planned import Planned
from utilities.stp.traceability.variants import Variants, merged, variants_in

__all__ = ["SEVERITIES", "trace"]

_ABOUT = 0.6
"""Share of a scenario's words in a goal: from here on the scenario is about that goal."""


def trace(plans: Sequence[Plan], claims: Iterable[Claim], *, partial: bool = False) -> tuple[Finding, ...]:
    """Every place where plans and tests disagree, in order of file and line.

    partial: `claims` is a selection of the tests, so a scenario without claim proves nothing and is not reported.
    """
    told = tuple(claims)
    known: dict[str, tuple[Plan, Scenario]] = {}
    for plan in plans:
        for scenario in plan.scenarios:
            known.setdefault(scenario.key, (plan, scenario))
    findings = {
        *(
            finding
            for claim in told
            for rule in claimed.RULES
            for finding in rule.findings(_claimed(claim, known), claim.file)
        ),
        *(
            finding
            for each in _planned(plans, told, known, partial)
            for rule in planned.RULES
            for finding in rule.findings(each, str(each.plan.path))
        ),
    }
    return tuple(sorted(findings, key=lambda finding: finding.place))


def _claimed(claim: Claim, known: dict[str, tuple[Plan, Scenario]]) -> Claimed:
    return Claimed(
        claim,
        tuple(known[name] for name in claim.scenario_ids if name in known),
        tuple(name for name in claim.scenario_ids if name not in known),
    )


def _planned(
    plans: Sequence[Plan], claims: Sequence[Claim], known: dict[str, tuple[Plan, Scenario]], partial: bool
) -> Iterator[Planned]:
    by_scenario: dict[str, list[Claim]] = {}
    for claim in claims:
        for name in claim.scenario_ids:
            by_scenario.setdefault(name, []).append(claim)
    for plan in plans:
        for scenario in plan.scenarios:
            first_plan, first = known[scenario.key]
            taken = None if first is scenario else f"{first_plan.path}:{first.line}"
            mine = tuple(by_scenario.get(scenario.key, ()))
            yield Planned(plan, scenario, mine, taken, partial, _asked(plan, scenario))


def _asked(plan: Plan, scenario: Scenario) -> tuple[Variants, ...]:
    """The variants that a scenario and the goals it is about list."""
    own = stems(scenario.text)
    about = [
        goal.text.flat
        for goal in (plan.scope.feature_goals if plan.scope else ())
        if contained(own, stems(goal.text.flat)) >= _ABOUT
    ]
    return merged(variants for text in (scenario.text, *about) for variants in variants_in(text))
