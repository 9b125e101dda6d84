"""Requirements, use cases, acceptance criteria and NFRs out of the checklist I.1."""

import re
from collections.abc import Iterator, Sequence

from utilities.stp.blocks import Item
from utilities.stp.plan import Answer, ChecklistItem, Nfr, Review, Statement
from utilities.stp.text import DASHES, Text
from utilities.stp.values import is_empty
from utilities.stp.vocabulary import CRITERIA, NFR_CATEGORIES, NFRS, REQUIREMENTS, VALUE, words

_USE_CASES_ROW = "customer use cases"
_GAPS = ("gap", "missing criteria")
_PLAIN_NAME = re.compile(r"\s*(?P<name>[A-Z][\w/&, -]{1,40}?)\s*:")


def read_review(items: Sequence[ChecklistItem]) -> Review:
    """The statements of the checklist, in reading order."""
    return Review(
        tuple(statement for item in items if item.title == REQUIREMENTS.title for statement in _listed(item.answers)),
        tuple(_use_cases(items)),
        tuple(
            statement
            for item in items
            if item.title == CRITERIA.title
            for statement in _listed([answer for answer in item.answers if not _is(answer, _GAPS)])
        ),
        tuple(nfr for item in items if item.title == NFRS.title for nfr in _nfrs(item)),
    )


def _is(answer: Answer, keys: Sequence[str]) -> bool:
    return any(key in words(answer.label) for key in keys)


def _listed(answers: Sequence[Answer]) -> Iterator[Statement]:
    """Nested bullets as statements; an unlabelled bullet is one itself; a value behind a label is unlisted prose."""
    for answer in answers:
        if answer.text and not is_empty(answer.text):
            yield Statement(answer.text, answer.text.line, listed=not answer.label)
        for item in answer.items:
            yield Statement(item.content, item.line)


def _use_cases(items: Sequence[ChecklistItem]) -> Iterator[Statement]:
    for item in items:
        if item.title != VALUE.title:
            continue
        if words(item.written) == _USE_CASES_ROW:
            yield from _listed(item.answers)
        yield from _listed([answer for answer in item.answers if _is(answer, ("use case",))])


def _nfrs(item: ChecklistItem) -> Iterator[Nfr]:
    for answer in item.answers:
        own = categories_in(answer.label)
        if own:
            yield Nfr(own, answer.content, answer.line)
            continue
        if not answer.label and answer.text:
            yield from _nfr(Item(answer.line, answer.text, answer.items))
        else:
            for child in answer.items:
                yield from _nfr(child)


def _nfr(item: Item) -> Iterator[Nfr]:
    found = item.text.field
    lead = item.text.lead
    label: str
    value: Text
    if found is not None:
        label, value = found
    elif lead is not None:
        label, value = lead[0].flat, lead[1].trimmed(":" + DASHES)
    else:
        match = _PLAIN_NAME.match(item.text.plain)
        if match is None:
            return
        label, value = match["name"], item.text.after(match.end()).trimmed()
    categories = categories_in(label)
    if categories:
        below = Text(tuple(span for child in item.items for span in child.content.spans))
        yield Nfr(categories, Text((*value.spans, *below.spans)), item.line)


def categories_in(label: str) -> tuple[str, ...]:
    """The NFR categories that a label names."""
    present = words(label).split()
    joined = f" {' '.join(present)} "
    return tuple(category for category, names in NFR_CATEGORIES.items() if any(f" {name} " in joined for name in names))
