"""The checklists I.1 and I.3, as lists of items or as the old table."""

from collections.abc import Iterator, Sequence

from utilities.stp.blocks import Block, Box, Item, ItemList, Row, Table
from utilities.stp.plan import Answer, ChecklistItem
from utilities.stp.text import DASHES, Text
from utilities.stp.values import is_empty
from utilities.stp.vocabulary import Check, words

_ANSWER_LABELS = 90
"""Characters; a longer text in front of a colon is a sentence, not a label."""


def read_checklist(blocks: Sequence[Block], checks: Sequence[Check]) -> tuple[ChecklistItem, ...]:
    """The items in order.  Entries whose title no check knows keep the author's title."""
    found: list[ChecklistItem] = []
    for block in blocks:
        if isinstance(block, ItemList):
            found += (_item(item, checks) for item in block.items)
        elif isinstance(block, Table):
            found += (_row(block, row, checks) for row in block.rows)
    return tuple(found)


def title_of(written: str, checks: Sequence[Check]) -> str:
    """The template's title of an item, the author's when there is none."""
    plain = words(written)
    for check in checks:
        if words(check.title) == plain:
            return check.title
    for check in checks:
        if any(key in plain for key in check.keys):
            return check.title
    return written


def _item(item: Item, checks: Sequence[Check]) -> ChecklistItem:
    lead = item.text.lead
    written, rest = (lead[0].flat, lead[1].trimmed(":" + DASHES)) if lead is not None else (item.text.flat, Text())
    answers = [Answer("", rest, (), rest.line)] if rest else []
    answers += (_answer(child) for child in item.items)
    return ChecklistItem(title_of(written.rstrip(":"), checks), written, item.box, tuple(answers), item.line)


def _answer(item: Item) -> Answer:
    found = item.text.field
    if found is not None and len(found[0]) <= _ANSWER_LABELS:
        return Answer(found[0], found[1], item.items, item.line)
    return Answer("", item.text, item.items, item.line)


def _row(table: Table, row: Row, checks: Sequence[Check]) -> ChecklistItem:
    """`| Check | Done | Details/Notes | Comments |`: the cells after Done are unlabelled answers."""
    done_column = table.column("done")
    done = row.cell(done_column).flat.lower()
    box = Box.MARKED if "x" in done else Box.OPEN
    answers = [
        Answer("", Text(), tuple(Item(line.line, line) for line in numbered_lines(cell)), row.line)
        for number, cell in enumerate(row.cells)
        if number not in (0, done_column) and not is_empty(cell)
    ]
    written = row.cell(0).flat
    return ChecklistItem(title_of(written, checks), written, box, tuple(answers), row.line)


def numbered_lines(cell: Text) -> Iterator[Text]:
    """The lines of a cell without their `1.` or `-`."""
    for line in cell.lines():
        shown = line.plain
        kept = shown.lstrip(" 0123456789")
        if kept.startswith((". ", ") ")) and len(kept) < len(shown.lstrip()):
            yield line.after(len(shown) - len(kept) + 1).trimmed()
        else:
            yield line.trimmed("-•")
