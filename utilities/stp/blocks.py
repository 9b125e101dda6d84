"""The block structure of a plan, free of Markdown: headings, labels, paragraphs, lists, tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from utilities.stp.text import Text, joined


class Box(Enum):
    """The checkbox of a list item."""

    ABSENT = "absent"
    OPEN = "[ ]"
    MARKED = "[x]"
    MALFORMED = "[]"


@dataclass(frozen=True, slots=True)
class Item:
    """A list item, or a labelled line inside one; `text` is without box and without nested items."""

    line: int
    text: Text
    items: tuple["Item", ...] = ()
    box: Box = Box.ABSENT

    @property
    def content(self) -> Text:
        """Own text and that of everything nested."""
        if not self.items:
            return self.text
        return joined([self.text, *(item.content for item in self.items)])

    def below(self) -> Iterator["Item"]:
        """Every nested item, depth first, in reading order."""
        for item in self.items:
            yield item
            yield from item.below()


@dataclass(frozen=True, slots=True)
class Heading:
    line: int
    level: int
    text: Text


@dataclass(frozen=True, slots=True)
class Label:
    """A bold line that stands for a heading, such as `**Testing Goals**`; `name` is the template's spelling."""

    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: int
    text: Text


@dataclass(frozen=True, slots=True)
class ItemList:
    line: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    cells: tuple[Text, ...]

    def cell(self, column: int | None) -> Text:
        """The cell of a column; nothing when the table has no such column or the row ends earlier."""
        return self.cells[column] if column is not None and column < len(self.cells) else Text()


@dataclass(frozen=True, slots=True)
class Table:
    line: int
    header: tuple[Text, ...]
    rows: tuple[Row, ...]

    def column(self, *words: str) -> int | None:
        """The first column whose title holds one of `words`, compared in lower case; earlier words win."""
        titles = [cell.flat.lower() for cell in self.header]
        for word in words:
            for number, title in enumerate(titles):
                if word in title:
                    return number
        return None


@dataclass(frozen=True, slots=True)
class Fence:
    """A code block from `line` to `last_line`; `language` is what stands behind the opening fence."""

    line: int
    last_line: int
    language: str


@dataclass(frozen=True, slots=True)
class Quote:
    line: int
    text: Text


@dataclass(frozen=True, slots=True)
class Image:
    line: int
    alternative: str


Block = Heading | Label | Paragraph | ItemList | Table | Fence | Quote
