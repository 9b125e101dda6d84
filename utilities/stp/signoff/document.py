"""A report as data, free of HTML and Markdown: sections of paragraphs, bullets, tables and pictures."""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How a piece of text wants to be read."""

    PLAIN = ""
    GOOD = "good"
    WAIT = "wait"
    BAD = "bad"
    SOFT = "soft"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text; href: where it leads ("" nowhere); chip: shown as a coloured label."""

    text: str
    tone: Tone = Tone.PLAIN
    href: str = ""
    strong: bool = False
    code: bool = False
    chip: bool = False


Line = tuple[Span, ...]
Cell = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line


@dataclass(frozen=True, slots=True)
class Banner:
    """The verdict: one line, loud."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bullets:
    """Items of one or more lines; numbered when their order means something."""

    items: tuple[Cell, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as long as `head`; kind: a hint for the layout ("facts": names and values, "counts": numbers)."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG element; `words` says the same for who cannot see it."""

    svg: str
    words: str


Block = Paragraph | Banner | Bullets | Table | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """`question` is what an approver wants to know here."""

    title: str
    question: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The whole page."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def span(text: object, tone: Tone = Tone.PLAIN, *, href: str = "", strong: bool = False) -> Span:
    """A piece of text from anything that can be shown."""
    return Span(str(text), tone, href, strong)


def line(*parts: Span | str) -> Line:
    """A line of spans and plain texts."""
    return tuple(span(part) if isinstance(part, str) else part for part in parts)


def cell(*parts: Span | str) -> Cell:
    """A cell of one line."""
    return (line(*parts),)


def digest(value: str) -> Span:
    """A SHA-256 as it is written everywhere."""
    return Span(f"sha256:{value}", Tone.SOFT, code=True)


def words(value: str, otherwise: str = "not recorded") -> Span:
    """A value, or the remark that there is none."""
    return span(value) if value else span(otherwise, Tone.WAIT)
