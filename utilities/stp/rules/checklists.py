"""The checklists I.1 and I.3: items, boxes, labels, answers."""

import re
from collections.abc import Iterator

from utilities.stp.blocks import Box
from utilities.stp.finding import Severity
from utilities.stp.plan import ChecklistItem
from utilities.stp.rule import Hit, Kind, rule
from utilities.stp.rules.subject import Subject
from utilities.stp.values import has_placeholder, is_bare_na, is_empty, sentences
from utilities.stp.vocabulary import (
    API,
    DESIGN_CHECKS,
    ENVIRONMENT_NEEDS,
    HANDOFF,
    REVIEW_CHECKS,
    VALUE,
    Part,
    Question,
    words,
)

_CHECKS = {check.title: check for check in (*REVIEW_CHECKS, *DESIGN_CHECKS)}
_EMPTY_HANDOFF = re.compile(
    r"\b(?:meetings?|kick-?off|reviewed with|discussed|was held|took place|done|completed|see (?:section )?I)\b",
    re.IGNORECASE,
)
_GENERIC_HANDOFF = 12
"""Words; a longer sentence says something."""
_INTERNAL_API = re.compile(
    r"\b(?:internal (?:field|kind|api|type|crd|resource)s?|controller'?s own \w+)\b|\bstatus\.\w+", re.IGNORECASE
)
_MANY_FIELDS = 10


@rule("checklist-item-missing", Severity.HIGH)
def checklist_item_missing(subject: Subject) -> Iterator[Hit]:
    """An item of the template's checklist is absent.

    Why: each item is a question that the review must have asked.
    Bad: no Testability item
    Good: `- [x] **Testability**` and its answer
    """
    plan = subject.plan
    for part, checks, items in (
        (Part.CHECKLIST, REVIEW_CHECKS, plan.review_items),
        (Part.DESIGN, DESIGN_CHECKS, plan.design_items),
    ):
        section = plan.section(part)
        if section is None:
            continue
        present = {item.title for item in items}
        for check in checks:
            excused = subject.child and check is VALUE
            if check.title not in present and not excused:
                yield Hit(section.line, f"no item {check.title}", f"add `- [ ] **{check.title}**` and answer it")


@rule("checkbox-unmarked", Severity.HIGH)
def checkbox_unmarked(subject: Subject) -> Iterator[Hit]:
    """An item is answered and its box is open.

    Why: an open box says that the review is not finished.
    Bad: `- [ ] **Testability**` above an answer
    Good: `- [x] **Testability**`
    """
    for item in _items(subject):
        waiting = has_placeholder(item.content)
        if item.box is Box.OPEN and not waiting and _answered(item) and item.title != ENVIRONMENT_NEEDS.title:
            yield Hit(item.line, f"{item.title} is answered but not marked", "mark it [x]")


@rule("checkbox-marked-empty", Severity.HIGH)
def checkbox_marked_empty(subject: Subject) -> Iterator[Hit]:
    """An item is marked and not answered.

    Why: a mark without an answer claims a review that left no trace.
    Bad: `- [x] **Testability**` and nothing below
    Good: the answer below it, None is one
    """
    for item in _items(subject):
        waiting = has_placeholder(item.content)
        if item.box is Box.MARKED and not waiting and not _answered(item) and item.title != ENVIRONMENT_NEEDS.title:
            yield Hit(item.line, f"{item.title} is marked but not answered", "answer it, or clear the box")


@rule("checklist-label-missing", Severity.LOW)
def checklist_label_missing(subject: Subject) -> Iterator[Hit]:
    """A question of the template has no counterpart below its item.

    Why: None is an answer; silence is not.
    Bad: Acceptance Criteria without a line about gaps
    Good: `*Note any gaps or missing criteria:* None`
    """
    if subject.legacy or subject.child:
        return
    items = list(_items(subject))
    for item in items:
        split = sum(each.title == item.title for each in items) > 1
        if split or not item.answers:
            continue
        for question in _CHECKS[item.title].questions:
            if not any(_answers(question, answer.label) for answer in item.answers):
                yield Hit(item.line, f"{item.title}: no {question.label!r}", "add the line, None is an answer")


@rule("checklist-na-unjustified", Severity.MEDIUM, Kind.HEURISTIC)
def checklist_na_unjustified(subject: Subject) -> Iterator[Hit]:
    """Every answer of a design review item is a bare N/A or None.

    Why: a bare N/A cannot be told from not having looked.
    Bad: challenges N/A, impact N/A
    Good: `None — the same calls as for disks`
    """
    for item in subject.plan.design_items:
        answers = [answer.content for answer in item.answers if not is_empty(answer.content)]
        if answers and all(is_bare_na(answer) for answer in answers):
            yield Hit(item.line, f"{item.title} gives no reason", "say why there is nothing")


@rule("handoff-no-substance", Severity.HIGH, Kind.HEURISTIC)
def handoff_no_substance(subject: Subject) -> Iterator[Hit]:
    """The kickoff answer is one generic sentence: a meeting took place, nothing was learned.

    Why: what the developers told is what shapes the tests.
    Bad: `Meeting was held.`
    Good: `Old images lack the agent; tests pin the image.`
    """
    for item in subject.plan.design_items:
        if item.title != HANDOFF.title or not _answered(item):
            continue
        text = item.content
        match = _EMPTY_HANDOFF.search(text.flat)
        if match and len(sentences(text)) <= 1 and len(text.flat.split()) <= _GENERIC_HANDOFF:
            yield Hit(item.line, "the kickoff answer is generic", "say what was learned", matched=(match[0],))


@rule("api-internal-listed", Severity.MEDIUM, Kind.HEURISTIC)
def api_internal_listed(subject: Subject) -> Iterator[Hit]:
    """API Extensions lists internal fields or kinds, or ten and more fields.

    Why: testers need what users can set, see or call; the rest belongs into the design document.
    Bad: the controller's own kind
    Good: the new field of the VM, and its command
    """
    for item in subject.plan.design_items:
        if item.title != API.title:
            continue
        internal = tuple(match[0] for match in _INTERNAL_API.finditer(item.content.flat))
        fields = sum(span.code for span in item.content.spans)
        if internal or fields >= _MANY_FIELDS:
            matched = internal or (f"{fields} fields",)
            yield Hit(
                item.line, "internal interfaces are listed", "list what users can set, see or call", matched=matched
            )


def _items(subject: Subject) -> Iterator[ChecklistItem]:
    yield from (item for item in (*subject.plan.review_items, *subject.plan.design_items) if item.title in _CHECKS)


def _answered(item: ChecklistItem) -> bool:
    return any(not is_empty(answer.content) for answer in item.answers)


def _answers(question: Question, label: str) -> bool:
    """Whether an author's label means this question."""
    plain = words(label)
    return any(key in plain for key in question.keys)
