"""A plan shown back as the parser read it: Markdown in the template's manner, whatever its author's habits.

Reading it again gives the same plan, positions aside.  Comments are not shown, and a picture is shown as its
alternative text: neither is part of what a plan says.
"""

from collections.abc import Iterator, Sequence

from utilities.stp.blocks import Block, Box, Fence, Heading, Item, ItemList, Label, Paragraph, Quote, Table
from utilities.stp.inline_writing import write_cell, write_inline, write_lines
from utilities.stp.plan import Plan, Section
from utilities.stp.text import Span, Text

_BOXES = {Box.ABSENT: "", Box.OPEN: "[ ] ", Box.MARKED: "[x] ", Box.MALFORMED: "[] "}
_TOP = 1


def show(plan: Plan) -> str:
    """The whole plan as Markdown, ending in a line break."""
    lines = plan.source.lines
    blocks = [block for section in plan.sections for block in (_heading(section), *_shown(section.blocks, lines))]
    return "\n\n".join(blocks) + "\n"


def _heading(section: Section) -> str:
    number = f"{section.number}. " if section.number else ""
    text = Text((Span(f"{number}{section.title}", 1, strong=section.level > _TOP),))
    return f"{'#' * section.level} {write_inline(text)}"


def _shown(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[str]:
    """Neighbouring lists get different bullets, which keeps them apart."""
    bullet = "-"
    before: Block | None = None
    for block in blocks:
        bullet = "*" if isinstance(before, ItemList) and bullet == "-" else "-"
        yield _block(block, bullet, lines)
        before = block


def _block(block: Block, bullet: str, lines: Sequence[str]) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {write_inline(block.text)}"
    if isinstance(block, Label):
        return f"**{block.name}**"
    if isinstance(block, Paragraph):
        return write_lines(block.text)
    if isinstance(block, Quote):
        return f"> {write_lines(block.text, '> ')}"
    if isinstance(block, Fence):
        return "\n".join(lines[block.line - 1 : block.last_line])
    if isinstance(block, Table):
        return "\n".join(_table(block))
    return "\n".join(line for item in block.items for line in _item(item, bullet, 0))


def _item(item: Item, bullet: str, depth: int) -> Iterator[str]:
    indentation = "  " * depth
    text = write_lines(item.text, f"{indentation}  ")
    yield f"{indentation}{bullet} {_BOXES[item.box]}{text}".rstrip()
    for number, child in enumerate(item.items):
        if number == 0 and not child.text and child.box is Box.ABSENT:
            yield ""  # an empty bullet does not end the paragraph above it
        yield from _item(child, "-", depth + 1)


def _table(table: Table) -> Iterator[str]:
    yield _row(table.header)
    yield f"|{' --- |' * len(table.header)}"
    yield from (_row(row.cells) for row in table.rows)


def _row(cells: Sequence[Text]) -> str:
    return f"| {' | '.join(write_cell(cell) for cell in cells)} |"
