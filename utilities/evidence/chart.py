"""A small chart of lanes over time, as SVG: bars on a common axis of seconds, each lane with its own legend."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from utilities.evidence.canvas import LINE, MARGIN, TOP, Axis, Part, blank, finished, grid, label, legend, text

_BAR = 14
_GAP = 10  # between lanes


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
    root = blank(title)
    spans = [edge for lane in lanes for bar in lane.bars for edge in (bar.start, bar.end)]
    if not spans:
        text(root, f"{MARGIN}%", TOP + LINE, "nothing was recorded")
        return finished(root, TOP + LINE)
    axis, lines, y = Axis(min(spans), max(spans)), grid(root), float(TOP)
    for lane in lanes:
        y = draw(root, axis, y, lane)
    return finished(root, label(root, lines, axis, y))


def draw(root: ElementTree.Element, axis: Axis, y: float, lane: Lane) -> float:
    """A lane below `y`: its name and what its colours mean, then its bars; returns where the next one may begin."""
    y = legend(root, y, [Part(lane.name), *_explained(lane.bars)])
    for bar in sorted(lane.bars, key=lambda bar: bar.start - bar.end):  # the shortest is on top
        left, width = axis.seen(bar.start, bar.end)
        shape = {"x": f"{left:.2f}%", "y": f"{y:g}", "width": f"{width:.2f}%", "height": str(_BAR), "fill": bar.colour}
        drawn = ElementTree.SubElement(root, "rect", {**shape, "rx": "2"})
        ElementTree.SubElement(drawn, "title").text = f"{bar.detail or bar.label}, {bar.end - bar.start:.1f} s"
    return y + _BAR + _GAP


def _explained(bars: Sequence[Bar]) -> Iterator[Part]:
    for name, colour in dict.fromkeys((bar.label, bar.colour) for bar in bars):
        mine = [bar for bar in bars if (bar.label, bar.colour) == (name, colour)]
        held = sum(bar.end - bar.start for bar in mine if bar.timed)
        yield Part(f"{name} {held:.1f} s" if held else name, colour)
