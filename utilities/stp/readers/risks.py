"""Section II.5: risks by category, as labels with lists, as boxed items, or as the old table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from utilities.stp.blocks import Block, Item, ItemList, Label, Paragraph, Row, Table
from utilities.stp.plan import Field, Risk, RiskCategory
from utilities.stp.readers.fields import labelled
from utilities.stp.signing import SIGN_OFF_LABEL, read_sign_off
from utilities.stp.text import Text, joined
from utilities.stp.vocabulary import OTHER_RISK, RISK_FIELDS, label_name, words

_CATEGORIES = {words(name): name for name in (*RISK_FIELDS, OTHER_RISK)}
_FIELDS = {
    **{words(label): label for labels in RISK_FIELDS.values() for label in labels},
    "risk": "Risk",
    "mitigation": "Mitigation",
}


def read_risks(blocks: Sequence[Block]) -> tuple[RiskCategory, ...]:
    """The categories in order."""
    found: list[RiskCategory] = []
    for block in blocks:
        if isinstance(block, Label):
            found.append(_category(block.name, block.line))
        elif isinstance(block, Paragraph) and (name := _bold_line(block)) is not None:
            found.append(_category(name, block.line))
        elif isinstance(block, Table):
            found += (_from_row(block, row) for row in block.rows)
        elif isinstance(block, ItemList):
            for item in block.items:
                name = _category_of(item)
                if name is not None:
                    found.append(replace(_category(name, item.line), risks=tuple(_risks(item.items))))
                elif found:
                    more = tuple(_risks([item], found[-1].risks))
                    found[-1] = replace(found[-1], risks=more)
    return tuple(found)


def _category(name: str, line: int) -> RiskCategory:
    known = _CATEGORIES.get(words(name))
    return RiskCategory(known or name, known is not None, (), line)


def _bold_line(block: Paragraph) -> str | None:
    """A category that the template does not know: a paragraph that is bold from end to end."""
    lead = block.text.lead
    if lead is None or lead[1] or not lead[0].spans[0].strong:
        return None
    return lead[0].flat.rstrip(":")


def _category_of(item: Item) -> str | None:
    """`- [x] **Category**` with the risk below it."""
    lead = item.text.lead
    return lead[0].flat.rstrip(":") if lead is not None and label_name(lead[0].flat.rstrip(":")) else None


def _risks(items: Sequence[Item], before: Sequence[Risk] = ()) -> Iterator[Risk]:
    """Risks in order.  A field that the open risk does not have yet belongs to it, wherever it is indented."""
    yield from before[:-1]
    current = before[-1] if before else None
    for item in _flat(items):
        found = labelled(item)
        name = _FIELDS.get(words(found[0])) if found is not None else None
        if found is None or (name is None and not SIGN_OFF_LABEL.search(found[0])):
            continue
        label, value = found
        if name == "Risk":
            if current is not None:
                yield current
            unlabelled = [child.content for child in item.items if not _is_field(child)]
            current = replace(_nothing(item.line), text=joined([value, *unlabelled]))
            continue
        current = current or _nothing(item.line)
        nested = joined([value, *(child.content for child in item.items if not _is_field(child))])
        if name == "Mitigation":
            if current.mitigation is not None:
                yield current
                current = _nothing(item.line)
            current = replace(current, mitigation=nested, mitigation_line=item.line)
        elif name is None:
            current = replace(current, sign_off=read_sign_off(label, value, item.line))
        else:
            current = replace(current, supplement=Field(name, label, nested, (), item.line))
    if current is not None:
        yield current


def _nothing(line: int) -> Risk:
    return Risk(None, None, None, None, None, line, line)


def _flat(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from _flat(item.items)


def _is_field(item: Item) -> bool:
    found = labelled(item)
    return found is not None and (words(found[0]) in _FIELDS or SIGN_OFF_LABEL.search(found[0]) is not None)


def _from_row(table: Table, row: Row) -> RiskCategory:
    """`| Risk Category | Specific Risk for This Feature | Mitigation Strategy | Status |`."""
    risk = row.cell(table.column("specific risk", "risk for"))
    mitigation = row.cell(table.column("mitigation"))
    status = row.cell(table.column("status")).flat
    entry = Risk(risk, mitigation, None, None, status, row.line, row.line)
    return replace(_category(_plain(row.cell(0)), row.line), risks=(entry,))


def _plain(text: Text) -> str:
    return text.flat.rstrip(":")
