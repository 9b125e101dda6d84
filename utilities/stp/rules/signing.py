"""Signatures wherever they stand: sign-offs, agreements, exclusions."""

from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject


@rule("signoff-placeholder", Severity.CRITICAL)
def signoff_placeholder(subject: Subject) -> Iterator[Hit]:
    """The value of a sign-off or agreement is a placeholder, empty or pending: an open item for a person.

    Why: what nobody signed nobody decided. A draft may carry it, the QE sign-off may not.
    Bad: `*Sign-off:* [Name/Date]`
    Good: `*Sign-off:* PM One / 2031-03-04`
    """
    for sign_off in subject.plan.sign_offs:
        if sign_off.open:
            label = sign_off.label or "Sign-off"
            yield Hit(
                sign_off.line,
                f"{label} is unsigned ({sign_off.value or 'empty'})",
                "have it signed: name / date",
                open=True,
            )


@rule("signoff-incomplete", Severity.HIGH)
def signoff_incomplete(subject: Subject) -> Iterator[Hit]:
    """A signature has a name without a date or a date without a name; month and year are enough of a date.

    Why: later one has to know whom to ask and what was known then.
    Bad: `*Sign-off:* PM One`
    Good: `*Sign-off:* PM One / 2031-03-04`
    """
    for sign_off in subject.plan.sign_offs:
        if not sign_off.open and not sign_off.complete:
            missing = "a date" if sign_off.name else "a name" if sign_off.date else "name and date"
            yield Hit(sign_off.line, f"{sign_off.label} {sign_off.value!r} lacks {missing}", f"add {missing}")


@rule("signoff-bracketed", Severity.LOW)
def signoff_bracketed(subject: Subject) -> Iterator[Hit]:
    """A real name and date still stand in the placeholder's brackets.

    Why: brackets mark what is still to be filled in.
    Bad: `[PM One / 1.3.2031]`
    Good: `PM One / 1.3.2031`
    """
    for sign_off in subject.plan.sign_offs:
        if sign_off.bracketed:
            yield Hit(sign_off.line, f"{sign_off.label} {sign_off.value} is bracketed", "drop the brackets")
