"""Docstrings and their sections: there, named as agreed, numbered, single."""

import re
from collections.abc import Iterator

from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.traceability.descriptions import SECTIONS
from utilities.stp.traceability.std.described import Described, line_of

_STANDS_FOR = {
    "Preconditions": re.compile(r"\bpre-?(?:conditions?|requisites?)\b|\bsetup\b|\bset up\b|\bgiven\b", re.IGNORECASE),
    "Steps": re.compile(r"\bsteps?\b|\bactions?\b|\bprocedure\b|\bwhen\b", re.IGNORECASE),
    "Expected": re.compile(r"\bexpect\w*\b|\bresults?\b|\boutcomes?\b|\bthen\b|\bassert\w*\b", re.IGNORECASE),
}
"""Other names that authors give the three sections."""
_NUMBER = re.compile(r"(\d+)[.)]\s")


@rule("std-docstring-missing", Severity.HIGH)
def docstring_missing(described: Described) -> Iterator[Hit]:
    """A collected test has no docstring.

    Why: the docstring is the test's description; without it nobody can review what is tested.
    Bad: `def test_growth(vm): grow(vm)`
    Good: the same with a description, Steps and Expected
    """
    if described.case.levels[0].docstring is None and described.case.collected:
        yield Hit(described.case.line, f"{described.name} has no docstring", "describe it: Steps, Expected")


@rule("std-section-missing", Severity.HIGH)
def section_missing(described: Described) -> Iterator[Hit]:
    """A test's docstring lacks Steps or Expected, or neither it nor its class nor its module has Preconditions.

    Why: what is given, what is done and what must be seen are the three things that a reviewer checks.
    Bad: a description alone
    Good: `Preconditions:` with bullets, `Steps:` with numbers, `Expected:` with a bullet
    """
    own = described.case.levels[0].docstring
    if own is None:
        return
    here = {stands_for(part.name) for part in own.description.parts}
    anywhere = {stands_for(part.name) for each in described.case.docstrings for part in each.description.parts}
    missing = [name for name in ("Steps", "Expected") if name not in here]
    missing += ["Preconditions"] if "Preconditions" not in anywhere else []
    if missing:
        yield Hit(described.case.line, f"{described.name}: no {', no '.join(missing)}", "add what is missing")


@rule("std-section-name", Severity.HIGH)
def section_name(described: Described) -> Iterator[Hit]:
    """A section has another name than Preconditions, Steps, Expected, Markers or Parametrize.

    Why: programs and readers find the parts of a description by these names.
    Bad: `Expected Results:`
    Good: `Expected:`
    """
    for docstring in described.case.docstrings:
        for part in docstring.description.parts:
            if part.name not in SECTIONS:
                meant = stands_for(part.name)
                yield Hit(
                    line_of(docstring, part),
                    f"section {part.name!r}",
                    f"call it {meant}" if meant else f"use one of {', '.join(SECTIONS)}",
                )


@rule("std-description-missing", Severity.MEDIUM)
def description_missing(described: Described) -> Iterator[Hit]:
    """A test's docstring starts with a section.

    Why: the first line is what lists and reports show.
    Bad: `Preconditions:` as the first line
    Good: `Test that a disk grows while its VM runs.`
    """
    own = described.case.levels[0].docstring
    if own is not None and not own.description.text:
        yield Hit(own.line, f"{described.name} has no description", "begin with: Test that …")


@rule("std-steps-unnumbered", Severity.LOW)
def steps_unnumbered(described: Described) -> Iterator[Hit]:
    """Steps are not numbered 1. 2. … in order.

    Why: findings and discussions point to a step by its number.
    Bad: `- Grow the disk`
    Good: `1. Grow the disk`
    """
    found = described.part("Steps")
    if found is None:
        return
    docstring, part = found
    numbers = [int(match[1]) if (match := _NUMBER.match(entry)) else 0 for entry in part.entries]
    if numbers != list(range(1, len(numbers) + 1)):
        yield Hit(line_of(docstring, part), f"the steps of {described.name} are not numbered 1. 2. …", "number them")


@rule("std-expected-many", Severity.MEDIUM)
def expected_many(described: Described) -> Iterator[Hit]:
    """A test expects more than one thing.

    Why: the first one that fails hides the others. Several bullets may describe one behaviour; then say so.
    Bad: `- The disk has 2 GiB`, `- The VM can be stopped`
    Good: `- The disk has 2 GiB`
    """
    found = described.part("Expected")
    if found is not None and len(found[1].entries) > 1:
        yield Hit(
            line_of(*found),
            f"{described.name} expects {len(found[1].entries)} things",
            "split the test, or say why they are one behaviour",
        )


def stands_for(name: str) -> str | None:
    """The section that a heading means, None for one that means none of the three."""
    if name in SECTIONS:
        return name
    return next((known for known, pattern in _STANDS_FOR.items() if pattern.search(name)), None)
