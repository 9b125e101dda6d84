"""A file to a Plan.  Whatever the text holds, a Plan comes out; only a file that is no text raises StpError."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from utilities.stp.blocks import Block, Item, ItemList, Paragraph, Table
from utilities.stp.markdown import read_markdown
from utilities.stp.plan import Plan, Section
from utilities.stp.readers.approval import read_approval
from utilities.stp.readers.checklist import read_checklist
from utilities.stp.readers.entries import read_limitations
from utilities.stp.readers.entry import read_entry
from utilities.stp.readers.fields import read_environment, read_tools
from utilities.stp.readers.metadata import read_metadata
from utilities.stp.readers.outline import sections_of
from utilities.stp.readers.review import read_review
from utilities.stp.readers.risks import read_risks
from utilities.stp.readers.scenarios import EXCLUSION_LABEL, read_requirements
from utilities.stp.readers.scope import read_scope
from utilities.stp.readers.strategy import read_strategy
from utilities.stp.signing import SIGN_OFF_LABEL, SignOff, read_sign_off
from utilities.stp.source import Source, read_source, source_of
from utilities.stp.text import DASHES, Text, joined
from utilities.stp.vocabulary import DESIGN_CHECKS, REVIEW_CHECKS, Part

_TEMPLATE_FOLDER = "stp-template"
_OLD_TABLES = {
    Part.METADATA: "field",
    Part.CHECKLIST: "check",
    Part.DESIGN: "check",
    Part.LIMITATIONS: "limitation",
    Part.SCOPE: "out-of-scope",
    Part.STRATEGY: "item",
    Part.ENVIRONMENT: "environment component",
    Part.TOOLS: "category",
    Part.RISKS: "risk category",
    Part.SCENARIOS: "requirement id",
}


def load_plan(path: Path) -> Plan:
    """The plan in a file.  Raises StpError when the file cannot be read as text."""
    return plan_of(read_source(path))


def find_plans(path: Path) -> Iterator[Path]:
    """The plan files below a folder in order, README and the template's folder left out; a file is taken as it is."""
    if not path.is_dir():
        yield path
        return
    for file in sorted(path.rglob("*.md")):
        if file.name.lower() != "readme.md" and _TEMPLATE_FOLDER not in file.parts:
            yield file


def plan_from(text: str, path: Path) -> Plan:
    """The plan in a text at hand; `path` only names it."""
    return plan_of(source_of(text, path))


def plan_of(source: Source) -> Plan:
    """The plan in a source."""
    document = read_markdown(source.visible)
    sections = sections_of(document.blocks)
    review_items = read_checklist(_blocks(sections, Part.CHECKLIST), REVIEW_CHECKS)
    metadata, scope, approval = (_first(sections, part) for part in (Part.METADATA, Part.SCOPE, Part.APPROVAL))
    limitations = _first(sections, Part.LIMITATIONS)
    title = _first(sections, Part.PLAN)
    return Plan(
        source=source,
        title=_title(title) if title else "",
        sections=sections,
        metadata=read_metadata(metadata) if metadata else None,
        overview=joined(block.text for block in _blocks(sections, Part.OVERVIEW) if isinstance(block, Paragraph)),
        review_items=review_items,
        review=read_review(review_items),
        limitations=read_limitations(limitations.line, limitations.blocks) if limitations else None,
        design_items=read_checklist(_blocks(sections, Part.DESIGN), DESIGN_CHECKS),
        scope=read_scope(scope) if scope else None,
        strategy=read_strategy(_blocks(sections, Part.STRATEGY)),
        environment=tuple(read_environment(_blocks(sections, Part.ENVIRONMENT))),
        tools=tuple(read_tools(_blocks(sections, Part.TOOLS))),
        entry=read_entry(_blocks(sections, Part.ENTRY)),
        risks=read_risks(_blocks(sections, Part.RISKS)),
        requirements=read_requirements(_blocks(sections, Part.SCENARIOS)),
        approval=read_approval(approval) if approval else None,
        sign_offs=tuple(each for section in sections for each in _sign_offs(section.blocks)),
        images=document.images,
        glued_boxes=document.glued_boxes,
        legacy_line=next(_old_tables(sections), None),
    )


def _first(sections: Sequence[Section], part: Part) -> Section | None:
    return next((section for section in sections if section.part is part), None)


def _blocks(sections: Sequence[Section], part: Part) -> list[Block]:
    return [block for section in sections if section.part is part for block in section.blocks]


def _title(section: Section) -> str:
    """`Memory hotplug` of `**Memory hotplug - Quality Engineering Plan**`."""
    end = section.title.lower().rfind(Part.PLAN.title.lower())
    return (section.title[:end] if end > 0 else section.title).strip(f" {DASHES}*[]")


def _old_tables(sections: Sequence[Section]) -> Iterator[int]:
    for section in sections:
        word = _OLD_TABLES.get(section.part) if section.part else None
        for block in section.blocks:
            if word and isinstance(block, Table) and block.column(word) == 0:
                yield block.line


def _sign_offs(blocks: Sequence[Block]) -> Iterator[SignOff]:
    """Every signature of a section, in reading order: labelled lines anywhere, agreement cells."""
    for block in blocks:
        if isinstance(block, ItemList):
            for item in block.items:
                for each in (item, *item.below()):
                    yield from _sign_off(each)
        elif isinstance(block, Paragraph):
            yield from _sign_off(Item(block.line, block.text))
        elif isinstance(block, Table):
            column = block.column("agreement")
            if column is not None:
                for row in block.rows:
                    cell = row.cell(column)
                    if cell:
                        yield read_sign_off("Agreement", cell, row.line)


def _sign_off(item: Item) -> Iterator[SignOff]:
    found = item.text.field
    if found is None:
        return
    label, value = found
    if SIGN_OFF_LABEL.search(label):
        yield read_sign_off(label, joined([value, *(child.content for child in item.items)]), item.line)
    elif EXCLUSION_LABEL.fullmatch(label):
        yield from _inside(label, value, item.line)


def _inside(label: str, value: Text, line: int) -> Iterator[SignOff]:
    """An exclusion carries its signature behind the issue; only an open one is of interest here."""
    signature = read_sign_off(label, value, line)
    if signature.open:
        yield signature
