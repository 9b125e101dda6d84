"""A small chart of lanes over time, as SVG: bars with labels on a common axis of seconds."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 960
LEFT = 150  # room for lane names
RIGHT = 16
LANE = 26
BAR = 18
TOP = 34
_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200)  # seconds between ticks
_TICKS = 12  # at most
_CHARACTER = 6.4  # mean width of a character at 11 px


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that held from `start` until `end` (seconds on the chart's axis)."""

    start: float
    end: float
    label: str
    colour: str
    detail: str = ""  # shown on hover


@dataclass(frozen=True, slots=True)
class Lane:
    """One named row of bars."""

    name: str
    bars: tuple[Bar, ...]


def chart(title: str, lanes: Sequence[Lane]) -> str:
    """The picture. Bars too narrow for their label show it beside or on hover; an empty chart says so."""
    spans = [edge for lane in lanes for bar in lane.bars for edge in (bar.start, bar.end)]
    height = TOP + LANE * max(1, len(lanes)) + 34
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {height}",
            "width": str(WIDTH),
            "height": str(height),
            "font-family": "system-ui, sans-serif",
            "font-size": "11",
            "role": "img",
            "aria-label": title,
        },
    )
    ElementTree.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
    _text(root, 8, 18, title, size="13", weight="600")
    if not spans:
        _text(root, LEFT, TOP + 16, "nothing was recorded")
        return ElementTree.tostring(root, encoding="unicode")
    axis = _Axis(min(spans), max(spans))
    _grid(root, axis, len(lanes))
    for number, lane in enumerate(lanes):
        _lane(root, axis, TOP + LANE * number, lane)
    return ElementTree.tostring(root, encoding="unicode")


@dataclass(frozen=True, slots=True)
class _Axis:
    first: float
    last: float

    @property
    def span(self) -> float:
        return max(self.last - self.first, 1.0)

    def x(self, at: float) -> float:
        return LEFT + (at - self.first) / self.span * (WIDTH - LEFT - RIGHT)

    def ticks(self) -> list[float]:
        step = next((step for step in _STEPS if self.span / step <= _TICKS), _STEPS[-1])
        count = int(self.span // step)
        return [self.first + step * number for number in range(count + 1)]


def _grid(root: ElementTree.Element, axis: _Axis, lanes: int) -> None:
    bottom = TOP + LANE * lanes
    for tick in axis.ticks():
        x = f"{axis.x(tick):.1f}"
        ElementTree.SubElement(
            root, "line", {"x1": x, "x2": x, "y1": str(TOP - 4), "y2": str(bottom + 2), "stroke": "#dddddd"}
        )
        _text(root, axis.x(tick), bottom + 16, f"{tick - axis.first:g} s", anchor="middle", colour="#666666")


def _lane(root: ElementTree.Element, axis: _Axis, top: float, lane: Lane) -> None:
    _text(root, LEFT - 8, top + 13, lane.name, anchor="end", colour="#333333")
    for bar in lane.bars:
        left, right = axis.x(bar.start), axis.x(bar.end)
        width = max(right - left, 2.0)
        group = ElementTree.SubElement(root, "g")
        hover = bar.detail or bar.label
        ElementTree.SubElement(group, "title").text = f"{hover}, {bar.end - bar.start:.1f} s"
        ElementTree.SubElement(
            group,
            "rect",
            {
                "x": f"{left:.1f}", "y": f"{top:.1f}", "width": f"{width:.1f}", "height": str(BAR),
                "fill": bar.colour, "stroke": "#ffffff", "rx": "2",
            },
        )  # fmt: skip
        if len(bar.label) * _CHARACTER < width - 4:
            _text(group, left + 4, top + 13, bar.label, colour="#ffffff")


def _text(
    parent: ElementTree.Element,
    x: float,
    y: float,
    content: str,
    *,
    anchor: str = "start",
    colour: str = "#111111",
    size: str = "11",
    weight: str = "400",
) -> None:
    attributes = {
        "x": f"{x:.1f}",
        "y": f"{y:.1f}",
        "fill": colour,
        "text-anchor": anchor,
        "font-size": size,
        "font-weight": weight,
    }
    ElementTree.SubElement(parent, "text", attributes).text = content
