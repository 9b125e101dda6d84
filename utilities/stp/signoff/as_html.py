"""A report as one self-contained HTML page."""

import re
from html import escape
from importlib import resources

from utilities.stp.signoff.document import Banner, Block, Bullets, Cell, Line, Paragraph, Picture, Report, Span, Table

_BREAKS = re.compile(r"([_/])")
"""Behind these a long name may go on in the next line."""
_STYLE = resources.files("utilities.stp.signoff").joinpath("page.css").read_text(encoding="utf-8")


def as_html(report: Report) -> str:
    """The page; it loads nothing, and its links are as the report gives them."""
    contents = "".join(
        f'<li><a href="#s{number}">{escape(section.title)}</a></li>'
        for number, section in enumerate(report.sections, 1)
    )
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(report.subtitle)}: {escape(report.title)}</title><style>{_STYLE}</style></head><body>",
        f'<header><p class="over">{escape(report.subtitle)}</p><h1>{escape(report.title)}</h1></header>',
    ]
    for number, section in enumerate(report.sections, 1):
        parts.append(f'<section id="s{number}"><h2><span class="number">{number}</span> {escape(section.title)}</h2>')
        parts.append(f'<p class="question">{escape(section.question)}</p>')
        parts += (_block(block) for block in section.blocks)
        parts.append("</section>")
        if number == 1:
            parts.append(f"<nav><ol>{contents}</ol></nav>")
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{_line(block.line)}</p>"
    if isinstance(block, Banner):
        return f'<p class="banner {block.tone}">{escape(block.text)}</p>'
    if isinstance(block, Bullets):
        kind = "ol" if block.numbered else "ul"
        return f"<{kind}>{''.join(f'<li>{_cell(item)}</li>' for item in block.items)}</{kind}>"
    if isinstance(block, Picture):
        return f'<figure>{block.svg}<figcaption class="soft">{escape(block.words)}</figcaption></figure>'
    return _table(block)


def _table(table: Table) -> str:
    """Every cell carries its column's name, for screens that are too narrow for columns."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td data-label="{escape(name)}">{_cell(content)}</td>'
            for name, content in zip(table.head, row, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    return f'<table class="{escape(table.kind)}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _cell(content: Cell) -> str:
    lines = [f"<div>{_line(line)}</div>" for line in content]
    return f'<div class="cell">{"".join(lines)}</div>'


def _line(line: Line) -> str:
    return "".join(_span(part) for part in line)


def _span(part: Span) -> str:
    shown = _BREAKS.sub(r"\1<wbr>", escape(part.text))
    if part.code:
        shown = f"<code>{shown}</code>"
    if part.strong:
        shown = f"<strong>{shown}</strong>"
    if part.href:
        shown = f'<a href="{escape(part.href)}">{shown}</a>'
    names = " ".join(name for name in ("chip" if part.chip else "", part.tone.value) if name)
    return f'<span class="{names}">{shown}</span>' if names else shown
