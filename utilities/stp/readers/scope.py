"""Section II.1: goals, exclusions, test limitations, told apart by their bold labels."""

import re
from collections.abc import Iterator

from utilities.stp.blocks import Block, Item, ItemList, Label
from utilities.stp.plan import Goal, Scope, Section
from utilities.stp.readers.entries import read_limitations, read_out_of_scope
from utilities.stp.text import Text
from utilities.stp.vocabulary import GOALS, OUT_OF_SCOPE, REGRESSION_GOALS, TEST_LIMITATIONS

_MARKS = re.compile(r"\s*(?:\[(?P<mark>[^\]]{1,20})\]\s*:?\s*)")
_PRIORITIES = ("P0", "P1", "P2")


def read_scope(section: Section) -> Scope:
    """The three lists; a list in front of every label counts as goals when its items look like goals."""
    below: dict[str, tuple[int, list[Block]]] = {}
    goals: list[Goal] = []
    label = ""
    for block in section.blocks:
        if isinstance(block, Label):
            label = block.name
            below.setdefault(label, (block.line, []))
        elif label in (GOALS, REGRESSION_GOALS) or (not label and _has_goals(block)):
            goals += _goals(block, regression=label == REGRESSION_GOALS)
        elif label:
            below[label][1].append(block)
    out_of_scope = below.get(OUT_OF_SCOPE)
    limitations = below.get(TEST_LIMITATIONS)
    goals_line = below[GOALS][0] if GOALS in below else (goals[0].line if goals else None)
    return Scope(
        section.line,
        goals_line,
        tuple(goals),
        read_out_of_scope(*out_of_scope) if out_of_scope else None,
        read_limitations(*limitations) if limitations else None,
    )


def _has_goals(block: Block) -> bool:
    return isinstance(block, ItemList) and any(marks_of(item.text)[0] for item in block.items)


def _goals(block: Block, *, regression: bool) -> Iterator[Goal]:
    if isinstance(block, ItemList):
        yield from (_goal(item, regression) for item in block.items)


def _goal(item: Item, regression: bool) -> Goal:
    marks, _ = marks_of(item.text)
    _, content = marks_of(item.content)
    priority = next((mark for mark in marks if mark in _PRIORITIES), None)
    negative = any(mark.lower() == "negative" for mark in marks)
    return Goal(priority, negative, marks, content, regression, item.line)


def marks_of(text: Text) -> tuple[tuple[str, ...], Text]:
    """(bracketed words in front, the rest): `[P0] [Negative] Verify…`."""
    marks: list[str] = []
    while (match := _MARKS.match(text.plain)) is not None and text.spans[0].href is None:
        marks.append(match["mark"].strip())
        text = text.after(match.end())
    return tuple(marks), text
