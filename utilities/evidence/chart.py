"""A small chart of lanes over time, as SVG: bars on a common axis of seconds, each lane with its own legend.

Places along the axis are percentages, so that the picture can be made as wide or as narrow as its surroundings while
its text keeps its size; `WIDTH` is its width where nobody says another one.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WIDTH = 960
_NARROW = 330  # a legend is wrapped at this many pixels, so that it fits a telephone
_LINE = 18  # height of a line of text
_BAR = 14
_GAP = 10  # between lanes
_TOP = 28
_MARGIN = 1.0  # percent left free at both ends
_LEAST = 0.4  # percent: what holds for a moment is still visible
_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200)  # seconds between ticks
_TICKS = 6  # at most: their labels must not touch on a telephone
_CHARACTER = 6.6  # mean width of a character at 12 px
_BOLD = 8.0  # the same of a lane's name
_SWATCH = 13  # with the room after it
_BETWEEN = 12


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that held from `start` until `end` (seconds on the chart's axis). timed: the legend says how long."""

    start: float
    end: float
    label: str
    colour: str
    detail: str = ""  # shown on hover instead of the label
    timed: bool = True


@dataclass(frozen=True, slots=True)
class Lane:
    """One named row of bars."""

    name: str
    bars: tuple[Bar, ...]


def chart(title: str, lanes: Sequence[Lane]) -> str:
    """The picture; one without bars says so."""
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
    _text(root, f"{_MARGIN}%", 18, title, size="13", weight="600")
    spans = [edge for lane in lanes for bar in lane.bars for edge in (bar.start, bar.end)]
    if spans:
        bottom = _draw(root, _Axis(min(spans), max(spans)), lanes)
    else:
        bottom = _TOP + _LINE
        _text(root, f"{_MARGIN}%", bottom, "nothing was recorded")
    root.set("height", str(bottom + 8))
    return ElementTree.tostring(root, encoding="unicode")


@dataclass(frozen=True, slots=True)
class _Axis:
    first: float
    last: float

    @property
    def span(self) -> float:
        return max(self.last - self.first, 1.0)

    def share(self, seconds: float) -> float:
        """Percent of the picture's width."""
        return seconds / self.span * (100 - 2 * _MARGIN)

    def place(self, at: float) -> float:
        """Percent from the left."""
        return _MARGIN + self.share(at - self.first)

    def ticks(self) -> list[float]:
        step = next((step for step in _STEPS if self.span / step <= _TICKS), _STEPS[-1])
        return [self.first + step * number for number in range(int(self.span // step) + 1)][: 4 * _TICKS]


def _draw(root: ElementTree.Element, axis: _Axis, lanes: Sequence[Lane]) -> int:
    """Grid, lanes and axis; returns where they end."""
    grid = ElementTree.SubElement(root, "g", {"stroke": "#dddddd"})
    y = _TOP
    for lane in lanes:
        for row in _legend(lane):
            for x, part in row:
                _word(root, x, y + 13, part)
            y += _LINE
        _bars(root, axis, y, lane)
        y += _BAR + _GAP
    for tick in axis.ticks():
        place = axis.place(tick)
        at = f"{place:.2f}%"
        ElementTree.SubElement(grid, "line", {"x1": at, "x2": at, "y1": str(_TOP), "y2": str(y)})
        anchor = "start" if place < 3 else "end" if place > 97 else "middle"
        _text(root, at, y + 13, f"{tick - axis.first:g} s", anchor=anchor, colour="#666666", size="11")
    return y + _LINE


def _bars(root: ElementTree.Element, axis: _Axis, y: int, lane: Lane) -> None:
    for bar in lane.bars:
        width = max(axis.share(bar.end - bar.start), _LEAST)
        left = min(axis.place(bar.start), 100 - _MARGIN - width)
        shape = {"x": f"{left:.2f}%", "y": str(y), "width": f"{width:.2f}%", "height": str(_BAR), "fill": bar.colour}
        drawn = ElementTree.SubElement(root, "rect", {**shape, "rx": "2"})
        ElementTree.SubElement(drawn, "title").text = f"{bar.detail or bar.label}, {bar.end - bar.start:.1f} s"


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a legend. colour: of its swatch; "" for the lane's name."""

    text: str
    colour: str = ""

    @property
    def width(self) -> float:
        drawn = len(self.text) * _CHARACTER + _SWATCH if self.colour else len(self.text) * _BOLD
        return drawn + _BETWEEN


def _legend(lane: Lane) -> Iterator[list[tuple[float, _Part]]]:
    """Rows of pieces with their places in pixels: the lane's name, then each label once with how long it held."""
    row: list[tuple[float, _Part]] = []
    x = 0.0
    for part in [_Part(lane.name), *_explained(lane.bars)]:
        if row and x + part.width > _NARROW:
            yield row
            row, x = [], 0.0
        row.append((x, part))
        x += part.width
    yield row


def _explained(bars: Sequence[Bar]) -> Iterator[_Part]:
    for label, colour in dict.fromkeys((bar.label, bar.colour) for bar in bars):
        mine = [bar for bar in bars if (bar.label, bar.colour) == (label, colour)]
        held = sum(bar.end - bar.start for bar in mine if bar.timed)
        yield _Part(f"{label} {held:.1f} s" if held else label, colour)


def _word(root: ElementTree.Element, x: float, y: int, part: _Part) -> None:
    group = ElementTree.SubElement(root, "svg", {"x": f"{_MARGIN}%", "overflow": "visible"})
    if part.colour:
        shape = {"x": f"{x:.0f}", "y": str(y - 9), "width": "10", "height": "10", "fill": part.colour}
        ElementTree.SubElement(group, "rect", shape)
        _text(group, f"{x + _SWATCH:.0f}", y, part.text, colour="#333333")
    else:
        _text(group, f"{x:.0f}", y, part.text, weight="600", colour="#333333")


def _text(
    parent: ElementTree.Element,
    x: str,
    y: int,
    content: str,
    *,
    anchor: str = "start",
    colour: str = "#111111",
    size: str = "12",
    weight: str = "400",
) -> None:
    attributes = {"x": x, "y": str(y), "fill": colour, "text-anchor": anchor, "font-size": size, "font-weight": weight}
    ElementTree.SubElement(parent, "text", attributes).text = content
