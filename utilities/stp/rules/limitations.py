"""Known limitations (I.2), test limitations and exclusions (II.1): signed, and in the right list."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.plan import Limitation, Limitations, Nothing
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.signing import name_and_date
from utilities.stp.values import has_placeholder, is_empty

_CONFIRMED = re.compile(r"\breviewed and (?:confirmed|agreed)\b|\bconfirmed\b", re.IGNORECASE)
_BY_WHOM = re.compile(r"\b(?:[Rr]eviewed|[Cc]onfirmed)\b.*?(?:\b[A-Z][a-z]+|@\w)")
_ABOUT_TESTING = re.compile(
    r"\b(?:will not be|is not|are not|cannot be|not) tested\b|\buntested\b|\b(?:no|in the|our) (?:test )?lab\b"
    r"|\bno (?:test )?hardware\b|\bnot automated\b",
    re.IGNORECASE,
)
_ABOUT_PRODUCT = re.compile(
    r"\bproduct (?:cannot|can not|does not)\b"
    r"|\b(?:not supported|unsupported) by (?:the )?(?:product|feature|platform)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:we|qe) (?:decided|chose|prefers?|choose)\b|\bnot a priority\b|\blow priority\b", re.IGNORECASE
)


@rule("limitation-no-signoff", Severity.CRITICAL)
def limitation_no_signoff(subject: Subject) -> Iterator[Hit]:
    """A limitation has no sign-off line at all.

    Why: users will meet it, so somebody who may decide must have accepted it.
    Bad: `- **Growth only, no shrinking**`
    Good: with `*Sign-off:* PM One / 2031-03-04` below
    """
    for limitations in _lists(subject):
        for item in limitations.items:
            if item.sign_off is None and not has_placeholder(item.text):
                yield Hit(item.line, f"no sign-off for {_short(item.text.flat)}", "add `*Sign-off:* name / date`")


@rule("limitations-none-unconfirmed", Severity.HIGH)
def limitations_none_unconfirmed(subject: Subject) -> Iterator[Hit]:
    """No limitation is declared, and nobody confirmed that: I.2 needs name and date, Test Limitations the words.

    Why: that there is none has to be looked at like an entry.
    Bad: `None identified.`
    Good: `None — reviewed and confirmed with Developer One, 2031-03-04`
    """
    known = subject.plan.limitations
    if known and known.nothing and not _signed(known.nothing) and not has_placeholder(known.nothing.text):
        flat = known.nothing.text.flat
        who = _BY_WHOM.search(flat)
        if who is None or name_and_date(flat)[1] is None:
            yield Hit(known.nothing.line, "nobody confirmed that there is none", "say who reviewed it, and when")
    tests = subject.plan.scope.test_limitations if subject.plan.scope else None
    if tests and tests.nothing and not _signed(tests.nothing) and not _CONFIRMED.search(tests.nothing.text.flat):
        yield Hit(
            tests.nothing.line, "nobody confirmed that there is none", "write None — reviewed and confirmed that …"
        )


@rule("limitation-miscategorized", Severity.HIGH, Kind.HEURISTIC)
def limitation_miscategorized(subject: Subject) -> Iterator[Hit]:
    """I.2 speaks of testing, Out of Scope of what the product cannot do, Test Limitations of a choice of QE.

    Why: each list has its own approver and its own consequence.
    Bad: `No key server in the lab` in I.2
    Good: the same under Test Limitations
    """
    plan = subject.plan
    places = [(item.line, item.text.flat, _ABOUT_TESTING, "Test Limitations") for item in _of(plan.limitations)]
    if plan.scope and plan.scope.out_of_scope:
        places += [
            (
                item.line,
                f"{item.text.flat} {item.rationale.flat if item.rationale else ''}",
                _ABOUT_PRODUCT,
                "Section I.2",
            )
            for item in plan.scope.out_of_scope.items
        ]
    if plan.scope:
        places += [(item.line, item.text.flat, _CHOICE, "Out of Scope") for item in _of(plan.scope.test_limitations)]
    for line, text, pattern, target in places:
        match = pattern.search(text)
        if match:
            yield Hit(line, f"{_short(text)} stands in the wrong list", f"move it to {target}", matched=(match[0],))


def _lists(subject: Subject) -> Iterator[Limitations]:
    plan = subject.plan
    if plan.limitations:
        yield plan.limitations
    if plan.scope and plan.scope.test_limitations:
        yield plan.scope.test_limitations


def _of(limitations: Limitations | None) -> Iterator[Limitation]:
    yield from (item for item in (limitations.items if limitations else ()) if not is_empty(item.text))


def _signed(nothing: Nothing) -> bool:
    return nothing.sign_off is not None


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
