"""Section II.2: the thirteen test types, as boxes or as the old table."""

from collections.abc import Iterator, Sequence

from utilities.stp.blocks import Block, Box, Item, ItemList, Row, Table
from utilities.stp.plan import StrategyItem
from utilities.stp.text import DASHES, Text, joined
from utilities.stp.values import is_na
from utilities.stp.vocabulary import STRATEGY_TYPES, words

_KEYS = {
    "functional": "Functional Testing",
    "automation": "Automation Testing",
    "regression": "Regression Testing",
    "performance": "Performance Testing",
    "scale": "Scale Testing",
    "scalability": "Scale Testing",
    "security": "Security Testing",
    "usability": "Usability Testing",
    "monitoring": "Monitoring",
    "compatibility": "Compatibility Testing",
    "upgrade": "Upgrade Testing",
    "dependencies": "Dependencies",
    "integrations": "Cross Integrations",
    "cloud": "Cloud Testing",
}
_YES = ("y", "yes", "x", "[x]")


def read_strategy(blocks: Sequence[Block]) -> tuple[StrategyItem, ...]:
    """The items in order."""
    found: list[StrategyItem] = []
    for block in blocks:
        if isinstance(block, ItemList):
            found += (_item(item) for item in block.items)
        elif isinstance(block, Table):
            found += (_row(block, row) for row in block.rows)
    return tuple(found)


def types_in(written: str) -> tuple[str, ...]:
    """The template's types a title covers; several for `Performance/Scale Testing`."""
    present = {_KEYS[word] for word in words(written).split() if word in _KEYS}
    return tuple(name for name in STRATEGY_TYPES if name in present)


def _item(item: Item) -> StrategyItem:
    lead = item.text.lead
    if lead is not None:
        written, description = lead[0].flat.rstrip(":"), lead[1].trimmed(":" + DASHES)
    else:
        written, description = item.text.flat, Text()
    details = list(_details(item.items))
    if is_na(description) and not details:
        details, description = [description], Text()
    text = joined(details)
    return StrategyItem(types_in(written), written, item.box, description, text, text.line or item.line, item.line)


def _details(items: Sequence[Item]) -> Iterator[Text]:
    """Details behind the label or as plain bullets; the template's questions are no details."""
    for item in items:
        found = item.text.field
        if found is not None:
            yield from (text for text in (found[1],) if text)
        elif item.text and not item.text.flat.endswith("?"):
            yield item.text
        yield from _details(item.items)


def _row(table: Table, row: Row) -> StrategyItem:
    """`| Item | Description | Applicable (Y/N or N/A) | Comments |`."""
    written = row.cell(0).flat
    applicable = row.cell(table.column("applicable")).flat.lower()
    comments = row.cell(table.column("comments", "details")).trimmed("-")
    box = Box.MARKED if applicable in _YES else Box.OPEN
    description = row.cell(table.column("description"))
    return StrategyItem(types_in(written), written, box, description, comments, row.line, row.line)
