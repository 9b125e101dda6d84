"""What all pictures over time are drawn with: a white ground, an axis of seconds, text.

Places along the axis are percentages, so that a picture can be made as wide or as narrow as its surroundings while
its text keeps its size; `WIDTH` is its width where nobody says another one.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

WIDTH = 960
NARROW = 330  # text is wrapped at this many pixels, so that it fits a telephone
LINE = 18  # height of a line of text
TOP = 28
MARGIN = 1.0  # percent left free at both ends
LEAST = 0.4  # percent: what holds for a moment is still visible
_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200)  # seconds between ticks
_TICKS = 6  # at most: their labels must not touch on a telephone
_CHARACTER = 6.6  # mean width of a character at 12 px
_BOLD = 8.0  # the same of bold text
_SWATCH = 13  # with the room after it
_BETWEEN = 12


@dataclass(frozen=True, slots=True)
class Axis:
    """Seconds from the left to the right end."""

    first: float
    last: float

    @property
    def span(self) -> float:
        """Seconds, at least one."""
        return max(self.last - self.first, 1.0)

    def share(self, seconds: float) -> float:
        """Percent of the picture's width."""
        return seconds / self.span * (100 - 2 * MARGIN)

    def place(self, at: float) -> float:
        """Percent from the left."""
        return MARGIN + self.share(at - self.first)

    def seen(self, start: float, end: float, least: float = LEAST) -> tuple[float, float]:
        """Percent from the left, and of width, of what held in between: at least so wide, and within the picture."""
        width = max(self.share(end - start), least)
        return min(self.place(start), 100 - MARGIN - width), width

    def ticks(self) -> list[float]:
        """Where the grid is, the first one at the left end."""
        step = next((step for step in _STEPS if self.span / step <= _TICKS), _STEPS[-1])
        return [self.first + step * number for number in range(int(self.span // step) + 1)][: 4 * _TICKS]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a legend. colour: of its swatch; "" for a bold name."""

    text: str
    colour: str = ""

    @property
    def width(self) -> float:
        """Pixels, with the room after it."""
        drawn = len(self.text) * _CHARACTER + _SWATCH if self.colour else len(self.text) * _BOLD
        return drawn + _BETWEEN


def blank(title: str) -> ElementTree.Element:
    """A picture with nothing but its title; `finished` makes it as high as it became."""
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": str(WIDTH),
            "font-family": "system-ui, sans-serif",
            "font-size": "12",
            "role": "img",
            "aria-label": title,
        },
    )
    ElementTree.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
    text(root, f"{MARGIN}%", 18, title, size="13", weight="600")
    return root


def finished(root: ElementTree.Element, bottom: float) -> str:
    """The picture as SVG, up to `bottom` pixels from the top."""
    root.set("height", f"{bottom + 8:g}")
    return ElementTree.tostring(root, encoding="unicode")


def grid(root: ElementTree.Element) -> ElementTree.Element:
    """Where `label` puts its lines: behind all that is drawn after this call."""
    return ElementTree.SubElement(root, "g", {"stroke": "#dddddd"})


def label(root: ElementTree.Element, lines: ElementTree.Element, axis: Axis, bottom: float) -> float:
    """Lines of the grid down to `bottom`, their times below them; returns where those end."""
    for tick in axis.ticks():
        place = axis.place(tick)
        at = f"{place:.2f}%"
        ElementTree.SubElement(lines, "line", {"x1": at, "x2": at, "y1": str(TOP), "y2": f"{bottom:g}"})
        anchor = "start" if place < 3 else "end" if place > 97 else "middle"
        text(root, at, bottom + 13, f"{tick - axis.first:g} s", anchor=anchor, colour="#666666", size="11")
    return bottom + LINE


def legend(root: ElementTree.Element, y: float, parts: Iterable[Part]) -> float:
    """Pieces side by side, wrapped; returns where they end."""
    for row in _rows(parts):
        for x, part in row:
            _word(root, x, y + 13, part)
        y += LINE
    return y


def text(
    parent: ElementTree.Element,
    x: str,
    y: float,
    content: str,
    *,
    anchor: str = "start",
    colour: str = "#111111",
    size: str = "12",
    weight: str = "400",
    aside: float = 0.0,
) -> ElementTree.Element:
    """A line of text. aside: pixels to the right of `x`, or to the left."""
    attributes = {
        "x": x, "y": f"{y:g}", "fill": colour, "text-anchor": anchor, "font-size": size, "font-weight": weight,
    }  # fmt: skip
    if aside:
        attributes["dx"] = f"{aside:g}"
    written = ElementTree.SubElement(parent, "text", attributes)
    written.text = content
    return written


def _rows(parts: Iterable[Part]) -> Iterator[list[tuple[float, Part]]]:
    row: list[tuple[float, Part]] = []
    x = 0.0
    for part in parts:
        if row and x + part.width > NARROW:
            yield row
            row, x = [], 0.0
        row.append((x, part))
        x += part.width
    yield row


def _word(root: ElementTree.Element, x: float, y: float, part: Part) -> None:
    group = ElementTree.SubElement(root, "svg", {"x": f"{MARGIN}%", "overflow": "visible"})
    if part.colour:
        shape = {"x": f"{x:.0f}", "y": f"{y - 9:g}", "width": "10", "height": "10", "fill": part.colour}
        ElementTree.SubElement(group, "rect", shape)
        text(group, f"{x + _SWATCH:.0f}", y, part.text, colour="#333333")
    else:
        text(group, f"{x:.0f}", y, part.text, weight="600", colour="#333333")
