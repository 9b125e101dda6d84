"""The picture of a drain: how many were in flight over product time, the limit, and a lane for each VM below it.

What is over the limit is red where the sources prove it, and pale red where they do not rule it out.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from utilities.evidence import areas, canvas
from utilities.evidence.areas import Area, Scale, Step
from utilities.evidence.canvas import MARGIN, Axis, Part
from utilities.history.in_flight import Edge, Flight, InFlight, Limits, Outcome, Overshoot
from utilities.history.in_flight.overshoots import possible, subjects
from utilities.history.intervals import sweep

_SURE, _MAYBE = "#0969da", "#b6d6fb"
_OVER, _MAYBE_OVER = "#cf222e", "#ffc9cf"
_LIMIT = "#24292f"
_OUTCOMES = {
    Outcome.LEFT: "#1a7f37",
    Outcome.STAYED: "#9a6700",
    Outcome.DELETED: "#57606a",
    Outcome.OPEN: "#8250df",
}
_MANY = 60  # lanes with names; of more, only those that went wrong have one
_ROW, _BAR = 16.0, 11.0  # pixels
_THIN_ROW, _THIN_BAR = 4.0, 3.0
_ROOM = 30  # percent that a name needs beside its bar
_OPEN_END = 0.05  # share of the time that what is not over lasts beyond it
_LONGEST = 26  # characters of a name


def picture(title: str, flights: InFlight, limit: int | Limits) -> str:
    """SVG, in product seconds since the first start."""
    root = canvas.blank(title)
    limits, times = Limits.of(limit), _Times(flights.flights)
    if not flights.flights:
        canvas.text(root, f"{MARGIN}%", canvas.TOP + canvas.LINE, "nothing was in flight")
        return canvas.finished(root, canvas.TOP + canvas.LINE)
    proven = flights.above(limits)
    maybe = possible(flights.flights, limits)
    axis, lines = Axis(times.first, times.last), canvas.grid(root)
    y = canvas.legend(root, canvas.TOP, _legend(flights, limits, proven, maybe))
    y = _count(root, axis, y, flights, limits, times, proven, maybe)
    y = _lanes(root, axis, y + 8, flights, times, proven)
    return canvas.finished(root, canvas.label(root, lines, axis, y))


class _Times:
    """Product seconds of coordinates, which may be orders of writes; never backwards."""

    def __init__(self, flights: Sequence[Flight]) -> None:
        known: dict[float, float] = {}
        for edge in (edge for flight in flights for edge in (flight.began, flight.ended)):
            for at in (edge.earliest, edge.latest):
                if not math.isinf(at):
                    known[at] = at if edge.product_time is None else edge.product_time
        self._coordinates = sorted(known)
        self._seconds: list[float] = []
        for coordinate in self._coordinates:
            before = self._seconds[-1] if self._seconds else known[coordinate]
            self._seconds.append(max(before, known[coordinate]))
        self._stamped = any(edge.product_time is not None for f in flights for edge in (f.began, f.ended))
        self.first = self._seconds[0] if self._seconds else 0.0
        self.last = self._seconds[-1] if self._seconds else 1.0
        if any(not flight.over for flight in flights):
            self.last += _OPEN_END * max(self.last - self.first, 1.0)

    def of(self, coordinate: float) -> float:
        """Seconds, within the picture."""
        if not self._stamped:
            return min(max(coordinate, self.first), self.last)
        if math.isinf(coordinate) and coordinate > 0:
            return self.last
        position = bisect_right(self._coordinates, coordinate)
        return self._seconds[position - 1] if position else self.first


def _legend(
    flights: InFlight, limits: Limits, proven: Sequence[Overshoot], maybe: Sequence[Overshoot]
) -> Iterator[Part]:
    yield Part(f"at most {flights.peak.count} in flight, {limits}")
    yield Part("in flight", _SURE)
    if not flights.exact:
        yield Part("perhaps in flight", _MAYBE)
    if proven:
        yield Part("over the limit", _OVER)
    if len(maybe) > len(proven):
        yield Part("perhaps over the limit", _MAYBE_OVER)
    for outcome, colour in _OUTCOMES.items():
        number = sum(flight.outcome is outcome for flight in flights)
        if number:
            yield Part(f"{outcome} {number}", colour)


def _count(
    root: ElementTree.Element,
    axis: Axis,
    y: float,
    flights: InFlight,
    limits: Limits,
    times: _Times,
    proven: Sequence[Overshoot],
    maybe: Sequence[Overshoot],
) -> float:
    sure = _steps(flights.flights, lambda flight: flight.sure, limits, times)
    perhaps = _steps(flights.flights, lambda flight: flight.possible, limits, times)
    drawn = [
        Area(_MAYBE, tuple(step for step, _ in perhaps)),
        Area(_MAYBE_OVER, _over(perhaps, limits, maybe)),
        Area(_SURE, tuple(step for step, _ in sure)),
        Area(_OVER, _over(sure, limits, proven)),
    ]
    most = max([flights.possible_peak.count, *(allowed for _, allowed in limits.steps)])
    scale = areas.draw(root, axis, y, drawn if not flights.exact else drawn[2:], most)
    _line(root, axis, scale, limits, times)
    return scale.bottom


def _steps(
    flights: Sequence[Flight], span: Callable[[Flight], tuple[float, float]], limits: Limits, times: _Times
) -> list[tuple[Step, float]]:
    """How many were in flight, with the coordinate of each change."""
    known = [(at, subjects(active)) for at, active in sweep(flights, span, limits.changes)]
    known.append((math.inf, 0))
    return [(Step(times.of(at), times.of(until), number), at) for (at, number), (until, _) in pairwise(known)]


def _over(steps: Sequence[tuple[Step, float]], limits: Limits, overshoots: Sequence[Overshoot]) -> tuple[Step, ...]:
    """The part of the steps above the limit, where that is a fault."""
    found: list[Step] = []
    starts = [overshoot.start for overshoot in overshoots]
    for step, at in steps:
        position = bisect_right(starts, at) - 1
        if position >= 0 and at < overshoots[position].end:
            found.append(Step(step.start, step.end, step.most, limits.at(at)))
    return tuple(found)


def _line(root: ElementTree.Element, axis: Axis, scale: Scale, limits: Limits, times: _Times) -> None:
    """The limit as a dashed line, named wherever it changes."""
    group = ElementTree.SubElement(root, "g", {"stroke": _LIMIT, "stroke-width": "1.5", "stroke-dasharray": "5 3"})
    starts = [axis.first, *(times.of(at) for at in limits.changes)]
    before: float | None = None
    for (start, end), (_, allowed) in zip(pairwise([*starts, axis.last]), limits.steps, strict=True):
        left, right, y = f"{axis.place(start):.3f}%", f"{axis.place(end):.3f}%", f"{scale.place(allowed):.1f}"
        ElementTree.SubElement(group, "line", {"x1": left, "x2": right, "y1": y, "y2": y})
        if before is not None:
            ElementTree.SubElement(group, "line", {"x1": left, "x2": left, "y1": f"{before:.1f}", "y2": y})
        near_end = axis.place(start) > 85
        named = canvas.text(
            root, left, scale.place(allowed) - 4, f"limit {allowed}", colour=_LIMIT, size="11", weight="600",
            anchor="end" if near_end else "start", aside=-4 if near_end else 18,
        )  # fmt: skip
        areas.halo(named)
        before = scale.place(allowed)


def _lanes(
    root: ElementTree.Element, axis: Axis, y: float, flights: InFlight, times: _Times, proven: Sequence[Overshoot]
) -> float:
    """A row for each VM in the order of starts, its attempts side by side."""
    rows: dict[str, list[Flight]] = {}
    for flight in flights:
        rows.setdefault(flight.subject, []).append(flight)
    ends = [overshoot.end for overshoot in proven]
    marks = {id(each): tuple(_overlaps(each, proven[bisect_right(ends, each.sure[0]) :])) for each in flights}
    witnesses = {flight.subject for flight in flights if marks[id(flight)]}
    many = len(rows) > _MANY
    for subject, attempts in rows.items():
        wrong = subject in witnesses or any(flight.outcome is not Outcome.LEFT for flight in attempts)
        named = not many or (wrong and len(witnesses) <= _MANY)
        height, thick = (_ROW, _BAR) if named else (_THIN_ROW, _THIN_BAR)
        for flight in attempts:
            _bar(root, axis, y, thick, flight, times)
            for start, end in marks[id(flight)]:
                _mark(root, axis, y, thick, times.of(start), times.of(end))
        if named:
            _name(root, axis, y + _BAR - 2, attempts, times)
        y += height
    return y + 4


def _overlaps(flight: Flight, overshoots: Sequence[Overshoot]) -> Iterator[tuple[float, float]]:
    """When it surely was in flight while too many were. overshoots: in order, none over before it began."""
    for overshoot in overshoots:
        start, end = max(flight.sure[0], overshoot.start), min(flight.sure[1], overshoot.end)
        if start >= end:
            return
        yield start, end


def _bar(root: ElementTree.Element, axis: Axis, y: float, height: float, flight: Flight, times: _Times) -> None:
    """Pale where it is only possible."""
    colour = _OUTCOMES[flight.outcome]
    detail = (
        f"{flight.label}: {flight.source or '?'} to {flight.target or '?'}, {flight.outcome}, "
        f"{_text(flight.began, times)} until {_text(flight.ended, times)}"
    )
    for (start, end), opacity in ((flight.possible, "0.35"), (flight.sure, "1")):
        if opacity != "1" and flight.exact:
            continue
        if start < end:
            drawn = _rect(root, axis, y, height, times.of(start), times.of(end), colour)
            drawn.set("fill-opacity", opacity)
            ElementTree.SubElement(drawn, "title").text = detail


def _mark(root: ElementTree.Element, axis: Axis, y: float, height: float, start: float, end: float) -> None:
    drawn = _rect(root, axis, y, height, start, end, _OVER)
    ElementTree.SubElement(drawn, "title").text = f"over the limit for {end - start:.1f} s"


def _rect(
    root: ElementTree.Element, axis: Axis, y: float, height: float, start: float, end: float, colour: str
) -> ElementTree.Element:
    left, width = axis.seen(start, end)
    shape = {"x": f"{left:.2f}%", "y": f"{y:g}", "width": f"{width:.2f}%", "height": f"{height:g}", "fill": colour}
    return ElementTree.SubElement(root, "rect", {**shape, "rx": "1.5"})


def _name(root: ElementTree.Element, axis: Axis, y: float, attempts: Sequence[Flight], times: _Times) -> None:
    """Beside the bar where there is room, else on it."""
    last = attempts[-1]
    name = last.label if len(last.label) <= _LONGEST else f"…{last.label[1 - _LONGEST :]}"
    tries = f", attempt {len(attempts)}" if len(attempts) > 1 else ""
    said = name + tries + ("" if last.outcome is Outcome.LEFT else f": {last.outcome}")
    left = axis.place(times.of(attempts[0].possible[0]))
    right = axis.place(times.of(last.possible[1]))
    if 100 - right >= _ROOM:
        canvas.text(root, f"{right:.2f}%", y, said, size="11", colour="#24292f", aside=5)
    elif left >= _ROOM:
        canvas.text(root, f"{left:.2f}%", y, said, size="11", colour="#24292f", anchor="end", aside=-5)
    else:
        canvas.text(root, f"{left:.2f}%", y, said, size="11", colour="#ffffff", weight="600", aside=5)


def _text(edge: Edge, times: _Times) -> str:
    if math.isinf(edge.latest):
        return "the end of the recording"
    return f"{times.of(edge.latest) - times.first:+.1f} s"
