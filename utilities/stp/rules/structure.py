"""Headings and labels of the template: present, at their place, under their name."""

from collections.abc import Iterator

from utilities.stp.blocks import Label
from utilities.stp.finding import Severity
from utilities.stp.rule import Hit, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.text import bare
from utilities.stp.values import has_placeholder
from utilities.stp.vocabulary import GOALS, OUT_OF_SCOPE, TEST_LIMITATIONS, Part, words

_H3 = 3


@rule("section-missing", Severity.HIGH)
def section_missing(subject: Subject) -> Iterator[Hit]:
    """A heading of the template, or one of the three labels of Scope of Testing, is absent.

    Why: a reader looks for an answer under its heading; without the heading it counts as forgotten.
    Bad: II ends with Entry Criteria
    Good: `#### **5. Risks**` follows, with its six categories
    """
    if subject.fragment:
        return
    plan = subject.plan
    for part in Part:
        if plan.section(part) is None:
            above = plan.section(part.parent) if part.parent else None
            yield Hit(above.line if above else 1, f"no section {part.title}", f"add `{part.heading}`")
    scope = plan.section(Part.SCOPE)
    if scope is None or plan.scope is None:
        return
    present = {block.name for block in scope.blocks if isinstance(block, Label)}
    for label in (GOALS, OUT_OF_SCOPE, TEST_LIMITATIONS):
        excused = subject.legacy and label == TEST_LIMITATIONS
        found = label in present or (label == GOALS and plan.scope.goals_line is not None)
        if not found and not excused:
            yield Hit(scope.line, f"no label {label}", f"add `**{label}**`")


@rule("section-misplaced", Severity.MEDIUM)
def section_misplaced(subject: Subject) -> Iterator[Hit]:
    """A heading has the template's title and another number or parent.

    Why: plans are compared by number; a section in another place is overlooked.
    Bad: `#### **6. Known Limitations**` in II
    Good: `#### **2. Known Limitations**` in I
    """
    for section in subject.plan.sections:
        part = section.part
        if part is None or not part.number:
            continue
        if section.number != part.number:
            yield Hit(
                section.line, f"{part.title} is numbered {section.number or 'not at all'}", f"number it {part.number}."
            )
        elif not subject.fragment and part.parent is not None and section.above is not part.parent:
            yield Hit(section.line, f"{part.title} stands in another part", f"move it below {part.parent.number}.")


@rule("section-title-variant", Severity.LOW)
def section_title_variant(subject: Subject) -> Iterator[Hit]:
    """The first heading or a numbered title differs from the template in words; bold and dashes do not matter.

    Why: sections are searched for by the words of their title.
    Bad: `#### **1. Requirement & User Story**`
    Good: `#### **1. Requirement & User Story Review Checklist**`
    """
    for section in subject.plan.sections:
        part = section.part
        if part is None or not (part.number or part is Part.DOCUMENT):
            continue
        if words(section.title) != words(part.title):
            yield Hit(section.line, f"title reads {section.title!r}", f"write {part.title!r}")


@rule("section-extra", Severity.MEDIUM)
def section_extra(subject: Subject) -> Iterator[Hit]:
    """A section that the template does not know; groups inside III are none.

    Why: what stands outside the template is neither reviewed nor found again.
    Bad: `#### **7. Notes**`
    Good: the note stands in the section it is about
    """
    for section in subject.plan.sections:
        if section.part is None and section.level >= _H3:
            yield Hit(section.line, f"the template has no section {section.title!r}", "fold it into one that it has")


@rule("legacy-table-form", Severity.MEDIUM)
def legacy_table_form(subject: Subject) -> Iterator[Hit]:
    """The plan uses a table of the old template; rules about what it never had are silent.

    Why: the old tables have no place for sign-offs and fields that approvers ask for today.
    Bad: `| Field | Details |`
    Good: `- **Epic Tracking:** CNV-00122`
    """
    line = subject.plan.legacy_line
    if line is not None:
        yield Hit(line, "table of the old template", "use the list form when the plan is edited next")


@rule("title-in-brackets", Severity.LOW)
def title_in_brackets(subject: Subject) -> Iterator[Hit]:
    """The plan's title stands in square brackets.

    Why: brackets mark what is still to be filled in.
    Bad: `## **[Fast clone] - Quality Engineering Plan**`
    Good: `## **Fast clone - Quality Engineering Plan**`
    """
    section = subject.plan.section(Part.PLAN)
    if section is None:
        return
    heading = section.title.strip("* ")
    if heading.startswith("[") and not has_placeholder(bare(heading, section.line)):
        yield Hit(section.line, f"title {subject.plan.title!r} is bracketed", "drop the brackets")
