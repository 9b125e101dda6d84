"""The inline half of Markdown: what stands in a paragraph, a heading or a cell, as spans.

markdown-it reads it.  Nearly every paragraph of a plan holds no markup but emphasis set off by blanks, and the spans of
those are cut without it: the same result in a fraction of the time, held equal to markdown-it by a property test.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from utilities.stp.text import Span, Text

DEEPEST = 60
"""Nesting levels of lists, quotes and links; what lies deeper is not read.  Real plans use 8."""
_LONGEST = 20_000
"""Characters; a longer paragraph is taken literally, because markup that never closes costs its length squared."""
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_INVOLVED = re.compile(r"[`<\\_]|&[#A-Za-z]|!\[|\]\(")
"""Code, HTML, escapes, entities, images, links, and the emphasis that also works inside words."""
_EMPHASIS = re.compile(r"(?:\A|(?<=[ \n]))(\*{1,2})([^\s*](?:[^*]*[^\s*])?)\1(?=[ \n]|\Z)")
"""A run that can only open, and the next run, of the same length, that can only close: CommonMark pairs the two."""


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": DEEPEST})
    parser.inline.terminator_re = re.compile(r"[\n!&*<\[\\\]_`]")  # the characters that a rule in use begins with
    return parser


_PARSER = _parser()


def read_inline(content: str, line: int) -> Text:
    """The text of an inline run that starts on source line `line`."""
    if len(content) > _LONGEST:
        return Text(tuple(_literal(content, line)))
    if _INVOLVED.search(content) is None:
        pieces = _EMPHASIS.split(content)
        if not any("*" in plain for plain in pieces[::3]):
            return Text(tuple(_cut(pieces, line)))
    return Text(tuple(_merged(_spans(_tokens(content), line))))


def read_alternatives(content: str) -> tuple[str, ...]:
    """The alternative text of every image of an inline run."""
    if "![" not in content or len(content) > _LONGEST:
        return ()
    return tuple(token.content for token in _tokens(content) if token.type == "image")


def _tokens(content: str) -> list[Token]:
    return _PARSER.inline.parse(content, _PARSER, {}, [])


def _literal(content: str, line: int) -> Iterator[Span]:
    for number, row in enumerate(content.split("\n")):
        if number:
            yield Span("\n", line + number - 1)
        if row:
            yield Span(row, line + number)


def _cut(pieces: list[str], line: int) -> Iterator[Span]:
    """Spans of `plain, marker, emphasised, plain, marker, …`; blanks around line breaks are no text."""
    strong = emphasis = False
    for number, piece in enumerate(pieces):
        if number % 3 == 1:
            strong, emphasis = piece == "**", piece == "*"
            continue
        if "\n" not in piece:
            if piece:
                yield Span(piece, line, strong, emphasis)
        else:
            first, *rows = piece.split("\n")
            shown = first.rstrip(" ")
            if shown:
                yield Span(shown, line, strong, emphasis)
            for count, row in enumerate(rows, 1):
                yield Span("\n", line)
                line += 1
                shown = row.lstrip(" \t") if count == len(rows) else row.strip(" \t")
                if shown:
                    yield Span(shown, line, strong, emphasis)
        strong = emphasis = False


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Neighbours that look the same as one span, and no blanks around a break, however it was written."""
    merged: list[Span] = []
    for span in spans:
        before = merged[-1] if merged else None
        if span.text == "\n":
            if before is not None and before.text[-1] in " \t":
                merged[-1:] = [before._replace(text=shown)] if (shown := before.text.rstrip(" \t")) else []
            merged.append(span)
        elif before is not None and before.text != "\n" and span[1:] == before[1:]:
            merged[-1] = span._replace(text=before.text + span.text)
        elif before is None or before.text != "\n":
            merged.append(span)
        elif shown := span.text.lstrip(" \t"):
            merged.append(span._replace(text=shown))
    return merged


def _spans(tokens: Sequence[Token], line: int) -> Iterator[Span]:
    """One span a token that shows anything."""
    strong = emphasis = 0
    href: str | None = None
    for token in tokens:
        kind, shown = token.type, token.content
        if kind in ("softbreak", "hardbreak"):
            yield Span("\n", line)
            line += 1
        elif kind in ("strong_open", "strong_close"):
            strong += token.nesting
        elif kind in ("em_open", "em_close"):
            emphasis += token.nesting
        elif kind == "link_open":
            href = str(token.attrGet("href") or "")
        elif kind == "link_close":
            href = None
        elif kind == "html_inline":
            if _BREAK.fullmatch(shown):
                yield Span("\n", line)
        elif shown:
            yield Span(shown, line, strong > 0, emphasis > 0, kind == "code_inline", href)
