"""Goals, criteria and scenarios held against each other, by the words they share."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from utilities.stp.finding import Severity
from utilities.stp.plan import Goal, Plan, Scenario
from utilities.stp.rules.rule import Hit, Kind, Subject, rule
from utilities.stp.similarity import contained, stems
from utilities.stp.values import has_placeholder
from utilities.stp.vocabulary import Part

_PROVES = 0.6
"""Share of a scenario's words that its goal must hold, or of a criterion's words that its scenarios must hold."""
_STRANGER = 0.25
"""Below this share a scenario belongs to no goal."""
_SAME = 0.75
"""Share of a scenario's words that makes it the same as a goal."""
_ID = re.compile(r"^\W*[A-Za-z]{1,4}\d+\W+")
_DOCUMENTATION = frozenset(stems("documentation documented docs guide page"))


@dataclass(frozen=True, slots=True)
class _Told:
    """A goal or scenario with the stems of its text."""

    line: int
    priority: str | None
    stems: frozenset[str]


@rule("goal-without-scenario", Severity.CRITICAL, Kind.HEURISTIC)
def goal_without_scenario(subject: Subject) -> Iterator[Hit]:
    """No scenario shares enough words with a goal to prove it."""
    plan = subject.plan
    if plan.section(Part.SCENARIOS) is None:
        return
    scenarios = _scenarios(plan.scenarios)
    for goal in _goals(plan, regression=False):
        if not any(contained(scenario.stems, goal.stems) >= _PROVES for scenario in scenarios):
            yield Hit(
                goal.line, "no scenario proves this goal", "add one to Section III", matched=_best(goal, scenarios)
            )


@rule("scenario-without-goal", Severity.MEDIUM, Kind.HEURISTIC)
def scenario_without_goal(subject: Subject) -> Iterator[Hit]:
    """A scenario shares hardly a word with any goal."""
    plan = subject.plan
    goals = [*_goals(plan, regression=False), *_goals(plan, regression=True)]
    if not goals:
        return
    for scenario in _scenarios(plan.scenarios):
        if all(contained(scenario.stems, goal.stems) < _STRANGER for goal in goals):
            yield Hit(scenario.line, "no goal asks for this scenario", "add the goal, or drop the scenario")


@rule("goal-scenario-priority-mismatch", Severity.MEDIUM, Kind.HEURISTIC)
def goal_scenario_priority_mismatch(subject: Subject) -> Iterator[Hit]:
    """A scenario that says nearly what a goal says has another priority."""
    goals = list(_goals(subject.plan, regression=False))
    for scenario in _scenarios(subject.plan.scenarios):
        near = [goal for goal in goals if contained(scenario.stems, goal.stems) >= _SAME]
        priorities = {goal.priority for goal in near if goal.priority}
        if scenario.priority and priorities and scenario.priority not in priorities:
            named = ", ".join(sorted(priorities))
            yield Hit(scenario.line, f"{scenario.priority} scenario of a {named} goal", "align the priorities")


@rule("criterion-without-scenario", Severity.CRITICAL, Kind.HEURISTIC)
def criterion_without_scenario(subject: Subject) -> Iterator[Hit]:
    """An acceptance criterion shares too few words with the scenarios to be proven by them."""
    plan = subject.plan
    if plan.section(Part.SCENARIOS) is None:
        return
    scenarios = _scenarios(plan.scenarios)
    for criterion in plan.review.criteria:
        own = stems(_ID.sub("", criterion.text.flat))
        if has_placeholder(criterion.text) or own & _DOCUMENTATION or not criterion.listed:
            continue
        proven = any(contained(scenario.stems, own) >= _PROVES for scenario in scenarios)
        together = frozenset().union(*(each.stems for each in scenarios if contained(each.stems, own) >= _STRANGER))
        if not proven and contained(own, together) < _PROVES:
            yield Hit(criterion.line, "no scenario proves this criterion", "add one to Section III")


def _goals(plan: Plan, *, regression: bool) -> Iterator[_Told]:
    goals: Sequence[Goal] = plan.scope.goals if plan.scope else ()
    for goal in goals:
        if goal.regression is regression and not has_placeholder(goal.text):
            yield _Told(goal.line, goal.priority, stems(goal.text.flat))


def _scenarios(scenarios: Sequence[Scenario]) -> list[_Told]:
    return [_Told(each.line, each.priority, stems(each.text)) for each in scenarios if each.text]


def _best(goal: _Told, scenarios: Sequence[_Told]) -> tuple[str, ...]:
    """The words that the nearest scenario shares with a goal."""
    best = max(scenarios, key=lambda scenario: contained(scenario.stems, goal.stems), default=None)
    return tuple(sorted(best.stems & goal.stems)) if best else ()
