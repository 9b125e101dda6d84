"""A number over time as a filled step line, with its scale at the left."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass

from utilities.evidence.canvas import MARGIN, Axis, text

_HEIGHT = 120  # pixels
_COLUMNS = 1200  # more steps than that are put together: a picture has no more columns
_HAIR = 0.15  # percent: a height of a moment is still seen
_MARKS = 5  # of the scale, at most


@dataclass(frozen=True, slots=True)
class Step:
    """`least` to `most` from `start` to `end` (seconds on the chart's axis)."""

    start: float
    end: float
    most: float
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class Area:
    """Steps of one colour."""

    colour: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """From 0 at `bottom` to `most` at `top` (pixels)."""

    top: float
    bottom: float
    most: float

    def place(self, number: float) -> float:
        """Pixels from the top."""
        return self.bottom - number / self.most * (self.bottom - self.top)


def draw(root: ElementTree.Element, axis: Axis, y: float, areas: Sequence[Area], most: float) -> Scale:
    """Areas below `y`, each over those before it, up to a number; returns the scale, to draw more on it."""
    scale = Scale(y + 10, y + 10 + _HEIGHT, max(most, 1.0) * 1.08)
    marks = max(1, -(-int(max(most, 1)) // _MARKS))
    for mark in range(0, int(max(most, 1)) + 1, marks):
        at = f"{scale.place(mark):.1f}"
        line = {"x1": f"{MARGIN}%", "x2": f"{100 - MARGIN}%", "y1": at, "y2": at, "stroke": "#eeeeee"}
        ElementTree.SubElement(root, "line", line)
    for area in (each for each in areas if each.steps):
        group = ElementTree.SubElement(root, "g", {"fill": area.colour, "shape-rendering": "crispEdges"})
        for step in _merged(area.steps, axis):
            left, width = axis.seen(step.start, step.end, _HAIR)
            top, bottom = scale.place(step.most), scale.place(step.least)
            shape = {"x": f"{left:.3f}%", "y": f"{top:.1f}", "width": f"{width:.3f}%"}
            ElementTree.SubElement(group, "rect", {**shape, "height": f"{bottom - top:.1f}"})
    for mark in range(0, int(max(most, 1)) + 1, marks):
        number = text(root, f"{MARGIN}%", scale.place(mark) - 2, f"{mark}", colour="#24292f", size="10", aside=2)
        halo(number)
    return scale


def halo(written: ElementTree.Element) -> None:
    """Keep text readable on whatever it stands."""
    written.set("stroke", "#ffffff")
    written.set("stroke-width", "2.5")
    written.set("paint-order", "stroke")


def _merged(steps: Sequence[Step], axis: Axis) -> Sequence[Step]:
    """The same steps, or, of very many, the highest in each column."""
    if len(steps) <= _COLUMNS:
        return [step for step in steps if step.most > step.least]
    width = axis.span / _COLUMNS
    columns: dict[int, Step] = {}
    for step in steps:
        for column in range(int((step.start - axis.first) / width), int((step.end - axis.first) / width) + 1):
            known = columns.get(column)
            if step.most > step.least and (known is None or known.most < step.most):
                start = axis.first + column * width
                columns[column] = Step(start, min(start + width, axis.last), step.most, step.least)
    return [columns[column] for column in sorted(columns)]
