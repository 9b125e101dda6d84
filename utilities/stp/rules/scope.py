"""What is out of scope (II.1): reasons, agreements, contradictions."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import OutOfScopeItem
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.similarity import stems
from utilities.stp.values import has_placeholder, says_nothing

_CONFIRMED = re.compile(r"\breviewed and (?:confirmed|agreed)\b", re.IGNORECASE)
_COVERED = re.compile(
    r"\balready (?:covered|tested)\b|\b(?:covered|tested) (?:by|in) (?:the )?(?:existing|other|another|current)\b"
    r"|\btested elsewhere\b|\bexisting (?:tests|coverage)\b",
    re.IGNORECASE,
)
_FEWEST_STEMS = 2


@rule("out-of-scope-no-rationale", Severity.HIGH)
def out_of_scope_no_rationale(subject: Subject) -> Iterator[Hit]:
    """An item out of scope gives no reason.

    Why: nobody can agree to an exclusion without its reason.
    Bad: `- **Windows guests**`
    Good: with `*Rationale:* no licensed image this cycle` below
    """
    for item in _items(subject):
        bare = item.rationale is None or says_nothing(item.rationale)
        if bare and not (item.rationale and has_placeholder(item.rationale)):
            yield Hit(item.line, f"no rationale for {item.text.flat[:60]!r}", "add `*Rationale:* …`")


@rule("out-of-scope-no-agreement", Severity.CRITICAL)
def out_of_scope_no_agreement(subject: Subject) -> Iterator[Hit]:
    """An item out of scope has no agreement line, or its cell is empty.

    Why: what is not tested is a risk that product management has to take.
    Bad: an item with a rationale alone
    Good: with `*PM/Lead Agreement:* PM One / 2031-03-04`
    """
    for item in _items(subject):
        if item.agreement is None:
            yield Hit(item.line, f"no agreement for {item.text.flat[:60]!r}", "add `*PM/Lead Agreement:* name / date`")


@rule("out-of-scope-none-unconfirmed", Severity.HIGH)
def out_of_scope_none_unconfirmed(subject: Subject) -> Iterator[Hit]:
    """Nothing is out of scope, and it does not say that this was reviewed and confirmed.

    Why: that nothing is excluded has to be looked at like an entry.
    Bad: `None`
    Good: `None — reviewed and confirmed that nothing is excluded`
    """
    scope = subject.plan.scope
    nothing = scope.out_of_scope.nothing if scope and scope.out_of_scope else None
    if nothing and nothing.sign_off is None and not _CONFIRMED.search(nothing.text.flat):
        yield Hit(nothing.line, "nobody confirmed that there is none", "write None — reviewed and confirmed that …")


@rule("out-of-scope-already-covered", Severity.MEDIUM, Kind.HEURISTIC)
def out_of_scope_already_covered(subject: Subject) -> Iterator[Hit]:
    """The rationale says that it is tested elsewhere: that is regression, not an exclusion.

    Why: what another test covers is covered; it needs a name, not an agreement.
    Bad: `*Rationale:* tested by the storage suite`
    Good: the suite under Regression Testing in II.2
    """
    for item in _items(subject):
        match = _COVERED.search(item.rationale.flat) if item.rationale else None
        if match:
            yield Hit(
                item.line,
                "existing coverage is no exclusion",
                "name the suite under Regression Testing",
                matched=(match[0],),
            )


@rule("scope-contradiction", Severity.CRITICAL, Kind.HEURISTIC)
def scope_contradiction(subject: Subject) -> Iterator[Hit]:
    """A goal or scenario speaks of everything that an item out of scope names.

    Why: two readers plan two different tests.
    Bad: goal: a 2 TiB disk; out of scope: a 2 TiB disk
    Good: one of the two
    """
    plan = subject.plan
    goals = plan.scope.feature_goals if plan.scope else ()
    promised = [(goal.line, stems(goal.text.flat)) for goal in goals]
    promised += [(scenario.line, stems(scenario.text)) for scenario in plan.scenarios]
    for item in _items(subject):
        excluded = stems(item.text.flat)
        line = next((line for line, told in promised if excluded <= told), None)
        if len(excluded) >= _FEWEST_STEMS and line is not None:
            yield Hit(
                item.line, f"out of scope, yet promised in line {line}", "decide", matched=tuple(sorted(excluded))
            )


def _items(subject: Subject) -> Iterator[OutOfScopeItem]:
    scope = subject.plan.scope
    items = scope.out_of_scope.items if scope and scope.out_of_scope else ()
    yield from (item for item in items if not has_placeholder(item.text))
