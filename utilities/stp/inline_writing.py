"""Spans back to Markdown: what `read_inline` reads again as the same spans."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from utilities.stp.inline import read_inline
from utilities.stp.text import Span, Text

_MARKUP = re.compile(r"[\\`*_\[\]<>&!|~]")
_BLOCK_START = re.compile(
    r"(?:[-+*](?=\s|$)|#{1,6}(?=\s|$)|>|\||`{3}|~{3}|(?=[-*_][-*_\s]+$))|(?P<number>\d{1,9})(?=[.)](?:\s|$))"
)
_NO_BREAK = re.compile(r"[\s()<>\\]")


def write_inline(text: Text) -> str:
    """The text as Markdown, with as few escapes as it takes to be read back; a line break stays one."""
    spans = text.spans
    plain = _written(spans, lambda shown: shown)
    if _same(plain, spans):
        return plain
    return _written(spans, lambda shown: _MARKUP.sub(r"\\\g<0>", shown))


def write_lines(text: Text, indentation: str = "") -> str:
    """The text as the lines of a paragraph, none of which begins a block; all but the first are indented."""
    return f"\n{indentation}".join(_harmless(line) for line in write_inline(text).split("\n"))


def write_cell(text: Text) -> str:
    """The text as a cell of a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", write_inline(text)).replace("\n", "<br>")


def _harmless(line: str) -> str:
    """The line, escaped where it would begin a list, heading, quote, table, fence or rule."""
    match = _BLOCK_START.match(line)
    if match is None:
        return line
    number = match["number"] or ""
    return f"{number}\\{line[len(number) :]}"


def _same(written: str, spans: Sequence[Span]) -> bool:
    read = read_inline(written, 1).spans
    return [span[:1] + span[2:] for span in read] == [span[:1] + span[2:] for span in spans]


@dataclass(frozen=True, slots=True)
class _Wrapping:
    """A kind of markup that surrounds a run of spans: what sets the run apart, how it is written, what is left."""

    of: Callable[[Span], object]
    around: Callable[[str, Span], str]
    without: Callable[[Span], Span]


_WRAPPINGS = (
    _Wrapping(lambda span: span.strong, lambda inner, _: f"**{inner}**", lambda span: span._replace(strong=False)),
    _Wrapping(lambda span: span.emphasis, lambda inner, _: f"*{inner}*", lambda span: span._replace(emphasis=False)),
    _Wrapping(
        lambda span: None if span.href is None else (span.href,),
        lambda inner, span: f"[{inner}]({_address(span.href or '')})",
        lambda span: span._replace(href=None),
    ),
)


def _written(spans: Sequence[Span], escape: Callable[[str], str]) -> str:
    """The longest run of one markup goes outermost, so that runs are nested and never cross."""
    done = ""
    start = 0
    while start < len(spans):
        first = spans[start]
        runs = [(_run(spans, start, each), each) for each in _WRAPPINGS if each.of(first)]
        if not runs:
            done += _code(first.text) if first.code else escape(first.text)
            start += 1
            continue
        end, wrapping = max(runs, key=lambda pair: pair[0])
        inner = _written([wrapping.without(span) for span in spans[start:end]], escape)
        done += wrapping.around(inner, first)
        start = end
    return done


def _run(spans: Sequence[Span], start: int, wrapping: _Wrapping) -> int:
    """Where the run of one markup that begins at `start` ends."""
    kind = wrapping.of(spans[start])
    return next((end for end in range(start + 1, len(spans)) if wrapping.of(spans[end]) != kind), len(spans))


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    padded = f" {text} " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else text
    return f"{fence}{padded}{fence}"


def _address(href: str) -> str:
    return f"<{href}>" if _NO_BREAK.search(href) else href
