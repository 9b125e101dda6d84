"""Goals, criteria and scenarios held against each other, by the words they share.

Words are weighed: one that stands in every goal says nothing about a pair.  The bounds were set on the fifteen plans of
the plan repository and the handed cases; a true pair below them, or a false one above, is what silencing is for.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from utilities.stp.finding import Severity
from utilities.stp.plan import Plan
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.similarity import contained, rareness, stems, weight
from utilities.stp.values import has_placeholder
from utilities.stp.vocabulary import Part

_OVERLAP = 0.35
"""Weighed share of the shorter text that stands in the longer one: from here on the two belong together."""
_DISTINCT = 0.2
"""Weighed share of what sets one goal apart from the others: from here on a scenario is about that goal."""
_STRANGER = 0.2
"""Below this overlap with every goal a scenario belongs to none."""
_SAME = 0.75
"""Share of a scenario's words that makes it the same as a goal."""
_ID = re.compile(r"^\W*[A-Za-z]{1,4}\d+\W+")
_DOCUMENTATION = stems("documentation documented docs guide")

_Stems = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Told:
    """A goal, criterion or scenario with the stems of its text."""

    line: int
    priority: str | None
    stems: _Stems


@rule("goal-without-scenario", Severity.CRITICAL, Kind.HEURISTIC)
def goal_without_scenario(subject: Subject) -> Iterator[Hit]:
    """No scenario shares enough words with a goal to prove it; a parent plan's goals are proven by its children.

    Why: the plan promises what no test will show.
    Bad: a goal about growth, no scenario about growth
    Good: `*Test Scenario:* [Tier 2] Verify that a disk grows`
    """
    plan = subject.plan
    if plan.section(Part.SCENARIOS) is None or subject.children:
        return
    for goal, shared in _unproven(list(_goals(plan, regression=False)), _scenarios(plan)):
        yield Hit(goal.line, "no scenario proves this goal", "add one to Section III", matched=shared)


@rule("criterion-without-scenario", Severity.CRITICAL, Kind.HEURISTIC)
def criterion_without_scenario(subject: Subject) -> Iterator[Hit]:
    """No scenario shares enough words with an acceptance criterion; criteria about documentation need none.

    Why: the criterion would be accepted unseen.
    Bad: a criterion about the boot id, no scenario about it
    Good: a scenario that reads the boot id before and after
    """
    plan = subject.plan
    if plan.section(Part.SCENARIOS) is None or subject.children:
        return
    criteria = [
        _Told(each.line, None, stems(_ID.sub("", each.text.flat)))
        for each in plan.review.criteria
        if each.listed and not has_placeholder(each.text)
    ]
    for criterion, shared in _unproven(criteria, _scenarios(plan, stories=True)):
        if not criterion.stems & _DOCUMENTATION:
            yield Hit(criterion.line, "no scenario proves this criterion", "add one to Section III", matched=shared)


@rule("scenario-without-goal", Severity.MEDIUM, Kind.HEURISTIC)
def scenario_without_goal(subject: Subject) -> Iterator[Hit]:
    """A scenario shares hardly a word with any goal.

    Why: either a goal was forgotten, or work is done that nobody asked for.
    Bad: a scenario about snapshots, no goal about them
    Good: the goal is added
    """
    plan = subject.plan
    goals = [*_goals(plan, regression=False), *_goals(plan, regression=True)]
    scenarios = _scenarios(plan)
    overlap = _Overlap((*goals, *scenarios))
    for scenario in scenarios if goals else ():
        if all(overlap(scenario, goal) < _STRANGER for goal in goals):
            yield Hit(scenario.line, "no goal asks for this scenario", "add the goal, or drop the scenario")


@rule("goal-scenario-priority-mismatch", Severity.MEDIUM, Kind.HEURISTIC)
def goal_scenario_priority_mismatch(subject: Subject) -> Iterator[Hit]:
    """A scenario that says nearly what a goal says has another priority.

    Why: the same failure would block the release and not block it.
    Bad: a P2 scenario of a P0 goal
    Good: both P0
    """
    goals = list(_goals(subject.plan, regression=False))
    for scenario in _scenarios(subject.plan):
        near = [goal for goal in goals if contained(scenario.stems, goal.stems) >= _SAME]
        priorities = {goal.priority for goal in near if goal.priority}
        if scenario.priority and priorities and scenario.priority not in priorities:
            named = ", ".join(sorted(priorities))
            yield Hit(scenario.line, f"{scenario.priority} scenario of a {named} goal", "align the priorities")


def _goals(plan: Plan, *, regression: bool) -> Iterator[_Told]:
    for goal in plan.scope.goals if plan.scope else ():
        if goal.regression is regression and not has_placeholder(goal.text):
            yield _Told(goal.line, goal.priority, stems(goal.text.flat))


def _scenarios(plan: Plan, *, stories: bool = False) -> list[_Told]:
    """The scenarios, with the words of their requirement's story when `stories`."""
    return [
        _Told(
            each.line, each.priority, stems(each.text) | (stems(requirement.summary.flat) if stories else frozenset())
        )
        for requirement in plan.requirements
        for each in requirement.scenarios
        if each.text
    ]


def _unproven(targets: Sequence[_Told], proofs: Sequence[_Told]) -> Iterator[tuple[_Told, tuple[str, ...]]]:
    """(target, words it shares with its nearest proof) of every target that no proof is about."""
    overlap = _Overlap((*targets, *proofs))
    distinct = rareness([target.stems for target in targets])
    for target in targets:
        whole = weight(target.stems, distinct)
        near = any(
            overlap(target, proof) >= _OVERLAP
            or (whole > 0 and weight(target.stems & proof.stems, distinct) / whole >= _DISTINCT)
            for proof in proofs
        )
        if not near:
            best = max(proofs, key=lambda proof: overlap(target, proof), default=None)
            yield target, tuple(sorted(target.stems & best.stems)) if best else ()


class _Overlap:
    """The weighed share of the shorter of two texts that stands in the other, 0.0 to 1.0.

    A word tells the more, the fewer of the texts have it, and never nothing.
    """

    def __init__(self, texts: Sequence[_Told]) -> None:
        counts = Counter(word for text in texts for word in text.stems)
        self._weights = {word: math.log(1 + len(texts) / count) for word, count in counts.items()}
        self._totals = {text.stems: weight(text.stems, self._weights) for text in texts}

    def __call__(self, one: _Told, other: _Told) -> float:
        shorter = min(self._totals[one.stems], self._totals[other.stems])
        return weight(one.stems & other.stems, self._weights) / shorter if shorter > 0 else 0.0
