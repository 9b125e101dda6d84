"""Which scenarios prove an acceptance criterion or a goal.

The template links neither to scenarios.  A statement that names scenario ids is proven by these; for any other the
words decide: the scenarios that hold most of what sets the statement apart.  The report says which way it was.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from utilities.stp.plan import Plan
from utilities.stp.signoff.approvals import Approvals
from utilities.stp.signoff.standings import Standing
from utilities.stp.similarity import rareness, stems, weight
from utilities.stp.values import has_placeholder, sentences

_LEAST = 0.15
"""Weighed share of a statement's words: with less, no scenario is about it."""
_NEAR = 0.65
"""Share of the best scenario's share: from here on a scenario is as much about the statement as the best."""
_LABEL = re.compile(r"^\W*(?P<label>[A-Za-z]{1,4}\d+)\W+")
_DOCUMENTATION = stems("documentation documented docs guide")


class Kind(StrEnum):
    """What is to be proven."""

    CRITERION = "acceptance criterion"
    GOAL = "goal"


class State(StrEnum):
    """How far a statement is proven, worst first."""

    UNPROVEN = "unproven"
    PARTLY = "in part"
    PROVEN = "proven"


@dataclass(frozen=True, slots=True)
class Proof:
    """A criterion or goal and the scenarios that prove it.

    label: `AC1` as written, or its number; named: the statement itself names the scenarios.
    """

    kind: Kind
    label: str
    text: str
    line: int
    scenarios: tuple[str, ...]
    named: bool
    state: State


@dataclass(frozen=True, slots=True)
class _Statement:
    kind: Kind
    label: str
    text: str
    line: int


def proofs(plan: Plan, standings: Sequence[Standing], approvals: Approvals) -> tuple[Proof, ...]:
    """Every acceptance criterion and every goal of the new feature, in the plan's order.

    Of a goal only the first sentence counts: what follows are the dimensions that its scenarios share.
    """
    criteria = [
        _statement(Kind.CRITERION, number, each.text.flat, each.line)
        for number, each in enumerate((c for c in plan.review.criteria if not has_placeholder(c.text)), 1)
    ]
    goals = [
        _statement(Kind.GOAL, number, next(iter(sentences(goal.text)), ""), goal.line)
        for number, goal in enumerate(plan.scope.feature_goals if plan.scope else (), 1)
    ]
    stories = {
        scenario.key: stems(scenario.text) | stems(requirement.summary.flat)
        for requirement in plan.requirements
        for scenario in requirement.scenarios
    }
    texts = {scenario.key: stems(scenario.text) for scenario in plan.scenarios}
    by_key = {standing.key: standing for standing in standings}
    return (*_proven(criteria, stories, by_key, approvals), *_proven(goals, texts, by_key, approvals))


def _statement(kind: Kind, number: int, text: str, line: int) -> _Statement:
    match = _LABEL.match(text)
    if match is not None:
        return _Statement(kind, match["label"], text[match.end() :], line)
    return _Statement(kind, f"{'C' if kind is Kind.CRITERION else 'G'}{number}", text, line)


def _proven(
    statements: Sequence[_Statement],
    texts: Mapping[str, frozenset[str]],
    standings: Mapping[str, Standing],
    approvals: Approvals,
) -> Iterable[Proof]:
    weights = rareness([*(stems(each.text) for each in statements), *texts.values()])
    for each in statements:
        named = _named(each.text, texts)
        keys = named or _near(stems(each.text), texts, weights)
        state = _state([standings[key] for key in keys])
        if not keys and stems(each.text) & _DOCUMENTATION and approvals.documentation.reviewed:
            state = State.PROVEN
        yield Proof(each.kind, each.label, each.text, each.line, keys, bool(named), state)


def _named(text: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The scenario ids that stand in a text."""
    return tuple(key for key in keys if re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text))


def _near(target: frozenset[str], texts: Mapping[str, frozenset[str]], weights: Mapping[str, float]) -> tuple[str, ...]:
    """The scenarios that hold about as much of the target as the best one does, in the plan's order."""
    whole = weight(target, weights)
    if whole <= 0:
        return ()
    shares = {key: weight(target & text, weights) / whole for key, text in texts.items()}
    best = max(shares.values(), default=0.0)
    return tuple(key for key, share in shares.items() if best >= _LEAST and share >= _NEAR * best)


def _state(standings: Sequence[Standing]) -> State:
    """Something has to have passed, or to be an accepted exception; else nothing proves the statement."""
    if standings and all(standing.passed for standing in standings):
        return State.PROVEN
    if any(standing.passed or standing.excepted for standing in standings):
        return State.PARTLY
    return State.UNPROVEN
