"""The metadata list or table, the maturity phases below it and the document conventions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from utilities.stp.blocks import Block, Item, ItemList, Paragraph, Table
from utilities.stp.plan import Field, Metadata, Phase, Section, Term
from utilities.stp.readers.fields import labelled, read_fields
from utilities.stp.text import DASHES, Text
from utilities.stp.values import is_na
from utilities.stp.vocabulary import CONVENTIONS, METADATA_ALIASES, words

_PHASE = re.compile(
    r"\s*(?P<name>DP|TP|GA|Dev(?:eloper)? Preview|Tech(?:nology)? Preview|General Availability)\s*[:=]",
    re.IGNORECASE,
)
_PHASE_NAMES = {"d": "DP", "t": "TP", "g": "GA"}
_DEFINITION = re.compile(rf"\s*(?P<term>[^:=]+?)\s*(?::|=|\s[{DASHES}]\s)\s*(?P<meaning>.*)", re.DOTALL)


def read_metadata(section: Section) -> Metadata:
    """The section as fields; a conventions label starts the terms, wherever it stands."""
    fields: list[Field] = []
    terms: list[Term] = []
    conventions: int | None = None
    for block in section.blocks:
        start = _conventions(block)
        if start is not None:
            conventions = start.line
            terms += _terms_in(start)
        elif conventions is not None:
            terms += _terms(block)
        else:
            fields += (_named(field) for field in read_fields([block]))
    at_field = next((field for field in fields if words(field.label).startswith(words(CONVENTIONS))), None)
    if at_field is not None and conventions is None:
        conventions = at_field.line
        terms += _terms_in(at_field.value)
        terms += (term for item in at_field.items for term in _terms_in(item.text))
    phases = tuple(_phases(fields))
    kept = tuple(field for field in fields if field is not at_field)
    return Metadata(section.line, kept, phases, tuple(terms), conventions)


def _named(field: Field) -> Field:
    return replace(field, name=METADATA_ALIASES.get(words(field.label), field.label))


def _conventions(block: Block) -> Text | None:
    if isinstance(block, Paragraph):
        lead = block.text.lead
        if lead is not None and words(lead[0].flat).startswith(words(CONVENTIONS)):
            return block.text
    return None


def _phases(fields: Sequence[Field]) -> Iterator[Phase]:
    for field in fields:
        if field.name != "Feature Maturity":
            continue
        lines: list[Text] = [row for text in (field.value,) for row in text.lines()]
        lines += [item.text for top in field.items for item in (top, *top.below())]
        for line in lines:
            match = _PHASE.match(line.plain)
            if match is not None:
                name = _PHASE_NAMES[match["name"][0].lower()]
                yield Phase(name, line.after(match.end()).trimmed("*"), line.line or field.line)


def _terms(block: Block) -> Iterator[Term]:
    if isinstance(block, ItemList):
        for item in block.items:
            yield from _terms_of_item(item)
    elif isinstance(block, Table):
        for row in block.rows:
            yield Term(row.cell(0).flat, row.cell(1).flat, row.line)
    elif isinstance(block, Paragraph):
        yield from _terms_in(block.text)


def _terms_of_item(item: Item) -> Iterator[Term]:
    found = labelled(item)
    if found is not None and item.text.field is not None:
        yield Term(found[0], found[1].flat, item.line)
    else:
        yield from _terms_in(item.text)


def _terms_in(text: Text) -> Iterator[Term]:
    """`X: meaning`, `X = meaning`, `**X** - meaning`, behind the label or on lines of their own."""
    for line in text.lines():
        lead = line.lead
        if lead is not None and words(lead[0].flat).startswith(words(CONVENTIONS)):
            found = line.field
            line = found[1] if found is not None else lead[1].trimmed(":")
        match = _DEFINITION.match(line.plain)
        if match is not None and not is_na(line):
            yield Term(match["term"].strip("*` "), " ".join(match["meaning"].split()), line.line)
