"""Rendered inline text: what a reader sees, with emphasis, links and the source line of every piece."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from utilities.stp.once import once

DASHES = "-\N{EN DASH}\N{EM DASH}"
"""Authors use them interchangeably."""


class Span(NamedTuple):
    """A piece of text on one source line (1-based); a line break is a span whose text is a newline.

    A tuple, because a plan has thousands of them.
    """

    text: str
    line: int
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    href: str | None = None


@dataclass(frozen=True)
class Text:
    """A sequence of spans.  Immutable; falsy when it shows nothing but blanks.

    Not slotted: readers and rules ask for the same views again and again, so each is made once.
    """

    spans: tuple[Span, ...] = ()

    @once
    def plain(self) -> str:
        """As shown, with line breaks."""
        spans = self.spans
        return spans[0].text if len(spans) == 1 else "".join([span.text for span in spans])

    @once
    def flat(self) -> str:
        """As shown, on one line, single blanks."""
        return " ".join(self.plain.split())

    @property
    def line(self) -> int:
        """The source line where it starts, 0 when there is nothing."""
        return next((span.line for span in self.spans if span.text.strip()), self.spans[0].line if self.spans else 0)

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """(shown text, address) of every link."""
        return tuple((span.text, span.href) for span in self.spans if span.href is not None)

    def __bool__(self) -> bool:
        return bool(self.plain.strip())

    def line_at(self, offset: int) -> int:
        """The source line of the character at `offset` of `plain`."""
        for span in self.spans:
            if offset < len(span.text):
                return span.line
            offset -= len(span.text)
        return self.spans[-1].line if self.spans else 0

    def after(self, offset: int) -> "Text":
        """Everything from `offset` of `plain` on."""
        if offset <= 0:
            return self
        spans = self.spans
        for number, span in enumerate(spans):
            length = len(span.text)
            if offset < length:
                rest = spans[number:]
                return Text((Span(span.text[offset:], *span[1:]), *rest[1:]) if offset else rest)
            offset -= length
        return Text()

    def before(self, offset: int) -> "Text":
        """Everything up to `offset` of `plain`."""
        spans = self.spans
        for number, span in enumerate(spans):
            length = len(span.text)
            if offset < length:
                return Text((*spans[:number], Span(span.text[:offset], *span[1:])) if offset > 0 else spans[:number])
            offset -= length
        return self

    def trimmed(self, characters: str = "") -> "Text":
        """Without leading and trailing blanks and `characters`."""
        blanks = " \t\n" + characters
        if len(self.spans) == 1:
            (span,) = self.spans
            kept = span.text.strip(blanks)
            return self if kept == span.text else Text((Span(kept, *span[1:]),)) if kept else Text()
        shown = self.plain
        start, end = len(shown) - len(shown.lstrip(blanks)), len(shown.rstrip(blanks))
        if start == 0 and end == len(shown):
            return self
        return (self.before(end) if end < len(shown) else self).after(start)

    def lines(self) -> tuple["Text", ...]:
        """Split at line breaks; empty lines are left out."""
        rows: list[list[Span]] = [[]]
        for span in self.spans:
            if span.text == "\n":
                rows.append([])
            else:
                rows[-1].append(span)
        return tuple(text for text in (Text(tuple(row)) for row in rows) if text)

    @once
    def lead(self) -> tuple["Text", "Text"] | None:
        """(emphasised beginning, rest), or None when the text does not begin bold or italic."""
        start, end = self._led
        return (Text(self.spans[start:end]), Text(self.spans[end:])) if end else None

    @once
    def field(self) -> tuple[str, "Text"] | None:
        """(label without colon, value) of `**Label:** value`, `*Label*: value`; None when it is no such field."""
        start, end = self._led
        if not end:
            return None
        name = " ".join("".join([span.text for span in self.spans[start:end]]).split())
        if name.endswith(":"):
            return name[:-1].strip(), Text(self.spans[end:]).trimmed()
        rest = Text(self.spans[end:])
        if rest.plain.lstrip().startswith(":"):
            return name, rest.after(rest.plain.index(":") + 1).trimmed()
        return None

    @once
    def _led(self) -> tuple[int, int]:
        """From where to where the first spans that show anything are emphasised alike; (0, 0) when they are not."""
        spans = self.spans
        start = 0
        while start < len(spans) and not spans[start].text.strip():
            start += 1
        if start == len(spans) or not (spans[start].strong or spans[start].emphasis):
            return 0, 0
        look = spans[start][2:4]
        end = start + 1
        while end < len(spans) and spans[end][2:4] == look:
            end += 1
        return start, end


def joined(texts: Iterable[Text]) -> Text:
    """The texts one below the other."""
    shown = [text for text in texts if text.spans]
    if len(shown) == 1:
        return shown[0]
    spans: list[Span] = []
    for text in shown:
        if spans:
            spans.append(Span("\n", spans[-1].line))
        spans.extend(text.spans)
    return Text(tuple(spans))


def bare(text: str, line: int) -> Text:
    """Text without any markup."""
    return Text((Span(text, line),)) if text else Text()
