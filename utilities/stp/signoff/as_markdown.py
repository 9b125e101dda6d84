"""A report as Markdown, for a pull request or a terminal."""

import re

from utilities.stp.signoff.document import Banner, Block, Bullets, Cell, Line, Paragraph, Picture, Report, Span, Table

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def as_markdown(report: Report) -> str:
    """The same words as the page; a picture is told by its words."""
    parts = [f"# {_escaped(report.title)}", _escaped(report.subtitle)]
    for number, section in enumerate(report.sections, 1):
        parts += [f"## {number}. {_escaped(section.title)}", f"_{_escaped(section.question)}_"]
        parts += (_block(block) for block in section.blocks)
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _line(block.line)
    if isinstance(block, Banner):
        return f"**{_escaped(block.text)}**"
    if isinstance(block, Bullets):
        marks = (f"{number}." if block.numbered else "-" for number in range(1, len(block.items) + 1))
        return "\n".join(f"{mark} {_cell(item)}" for mark, item in zip(marks, block.items, strict=True))
    if isinstance(block, Picture):
        return _escaped(block.words)
    return _table(block)


def _table(table: Table) -> str:
    rows = [" | ".join(_escaped(name) for name in table.head), " | ".join("---" for _ in table.head)]
    rows += (" | ".join(_cell(content) for content in row) for row in table.rows)
    return "\n".join(f"| {row} |" for row in rows)


def _cell(content: Cell) -> str:
    return "<br>".join(_line(line) for line in content)


def _line(line: Line) -> str:
    return "".join(_span(part) for part in line)


def _span(part: Span) -> str:
    shown = _escaped(part.text)
    if part.strong or part.chip:
        shown = f"**{shown}**"
    return f"[{shown}]({part.href.replace(')', '%29')})" if part.href else shown


def _escaped(text: str) -> str:
    """Nothing in it can start or end any markup; line ends become blanks, blanks at either end stay."""
    inner = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return f"{' ' if text[:1].isspace() else ''}{inner}{' ' if inner and text[-1:].isspace() else ''}"
