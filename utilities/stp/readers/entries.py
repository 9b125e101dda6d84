"""Lists whose items need somebody's agreement: limitations and exclusions, in list, table or free form."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from utilities.stp.blocks import Block, Item, ItemList, Paragraph, Row, Table
from utilities.stp.plan import Limitation, Limitations, Nothing, OutOfScope, OutOfScopeItem
from utilities.stp.signing import SIGN_OFF_LABEL, SignOff, read_sign_off
from utilities.stp.text import Text, joined
from utilities.stp.values import is_na

_NOTHING = re.compile(r"\W*no (?:known |test |further )?(?:limitations?|exclusions?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One item with what was said below it.  `notes` are sub-bullets that are neither rationale nor signature."""

    text: Text
    line: int
    rationale: Text | None = None
    sign_off: SignOff | None = None
    notes: tuple[Text, ...] = ()

    @property
    def declares_nothing(self) -> bool:
        """The item says that the list is empty."""
        return is_na(self.text) or _NOTHING.match(self.text.flat) is not None


def read_limitations(line: int, blocks: Sequence[Block]) -> Limitations:
    """I.2, or the part of II.1 below **Test Limitations**."""
    entries = tuple(_entries(blocks))
    nothing = next((entry for entry in entries if entry.declares_nothing), None)
    items = tuple(Limitation(entry.text, entry.sign_off, entry.line) for entry in entries if not entry.declares_nothing)
    return Limitations(line, items, _nothing(nothing))


def read_out_of_scope(line: int, blocks: Sequence[Block]) -> OutOfScope:
    """The part of II.1 below **Out of Scope**."""
    entries = tuple(_entries(blocks))
    nothing = next((entry for entry in entries if entry.declares_nothing), None)
    items = tuple(
        OutOfScopeItem(entry.text, entry.rationale, entry.sign_off, entry.line)
        for entry in entries
        if not entry.declares_nothing
    )
    return OutOfScope(line, items, _nothing(nothing))


def _nothing(entry: Entry | None) -> Nothing | None:
    if entry is None:
        return None
    return Nothing(joined([entry.text, *([entry.rationale] if entry.rationale else [])]), entry.sign_off, entry.line)


def _entries(blocks: Sequence[Block]) -> Iterator[Entry]:
    """Entries in order; a labelled line without indentation belongs to the entry before it."""
    entry: Entry | None = None
    for block in blocks:
        if isinstance(block, Table):
            yield from ([entry] if entry else [])
            entry = None
            yield from (_from_row(block, row) for row in block.rows)
        elif isinstance(block, ItemList):
            for item in block.items:
                if entry is not None and _kind(item) is not None:
                    entry = _with(entry, item)
                else:
                    yield from ([entry] if entry else [])
                    entry = _from_item(item)
        elif isinstance(block, Paragraph):
            item = Item(block.line, block.text)
            if entry is not None and _kind(item) is not None:
                entry = _with(entry, item)
            elif entry is None and Entry(block.text, block.line).declares_nothing:
                entry = Entry(block.text, block.line)
    yield from ([entry] if entry else [])


def _from_item(item: Item) -> Entry:
    entry = Entry(item.text, item.line)
    for child in item.below():
        entry = _with(entry, child)
    return entry


def _kind(item: Item) -> str | None:
    found = item.text.field
    if found is None:
        return None
    if SIGN_OFF_LABEL.search(found[0]):
        return "sign-off"
    return "rationale" if "rationale" in found[0].lower() else None


def _with(entry: Entry, item: Item) -> Entry:
    kind = _kind(item)
    found = item.text.field
    if kind is None or found is None:
        return Entry(entry.text, entry.line, entry.rationale, entry.sign_off, (*entry.notes, item.text))
    label, value = found
    if kind == "sign-off":
        return Entry(entry.text, entry.line, entry.rationale, read_sign_off(label, value, item.line), entry.notes)
    nested = joined([value, *(child.content for child in item.items)])
    return Entry(entry.text, entry.line, nested, entry.sign_off, entry.notes)


def _from_row(table: Table, row: Row) -> Entry:
    """`| Out-of-Scope Item | Rationale | PM/ Lead Agreement |` and its sibling for limitations."""
    agreement = row.cell(table.column("agreement", "sign-off"))
    rationale = row.cell(table.column("rationale", "details"))
    sign_off = read_sign_off("Agreement", agreement, row.line) if agreement else None
    return Entry(row.cell(0), row.line, rationale or None, sign_off)
