"""The table of a run: each host with its weight, what every step gave it, its score and place, and why."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from utilities.cortex.kinds import STEERING
from utilities.cortex.run import Run, StepResult
from utilities.evidence import canvas
from utilities.evidence.canvas import LINE, MARGIN

_ROW = 40.0  # pixels: a line of numbers, a line of words, and the space around them
_BOOST, _FIRST, _GREY = "#dafbe1", "#1a7f37", "#57606a"
_NAME = 26.0  # percent that the name of a host takes
_WORDS = {STEERING: "steering"}


def table(run: Run) -> str:
    """SVG. Hosts come in the order of the run, those that were lost last; rows of boosted hosts are green."""
    root = canvas.blank(run.title)
    columns = ["weight", *map(_heading, run.steps), "score", "place"]
    width = (100 - MARGIN - _NAME) / len(columns)
    y = float(canvas.TOP)
    for line in _facts(run):
        canvas.text(root, f"{MARGIN}%", y + 12, line, size="11", colour=_GREY)
        y += LINE - 2
    y += 4
    canvas.text(root, f"{MARGIN}%", y + 12, "host", weight="600", colour=_GREY)
    for number, heading in enumerate(columns):
        _cell(root, number, width, y + 12, heading, colour=_GREY, weight="600")
    y += LINE
    lost = [host for host in run.request.hosts if host not in run.order]
    for host in (*run.order, *lost):
        y = _row(root, run, host, width, y)
    return canvas.finished(root, y)


def _facts(run: Run) -> list[str]:
    counted = ", ".join(f"{result} +{value:g}" for result, value in run.counted_at_all.items()) or "nothing"
    told = [f"asked by {run.door} for {run.request.check or 'a build'}, pipeline {run.request.pipeline}"]
    told += [f"the VM: {run.request.size}", f"counted: {counted}"]
    return [*told, f"no result: {run.trouble}"[:110]] if run.trouble else told


def _row(root: ElementTree.Element, run: Run, host: str, width: float, y: float) -> float:
    boosted = run.short(host) in (run.boosted or ())
    if boosted:
        shape = {"x": "0", "y": f"{y:g}", "width": "100%", "height": f"{_ROW:g}", "fill": _BOOST}
        ElementTree.SubElement(root, "rect", shape)
    rule = {"x1": "0", "x2": "100%", "y1": f"{y:g}", "y2": f"{y:g}", "stroke": "#d0d7de"}
    ElementTree.SubElement(root, "line", rule)
    place = run.order.index(host) + 1 if host in run.order else None
    weight = "600" if place == 1 else "400"
    canvas.text(root, f"{MARGIN}%", y + 15, run.short(host), weight=weight)
    given = [f"{step.activations[host]:.4g}" if host in step.activations else "-" for step in run.steps]
    shown = [f"{run.request.weights.get(host, 0.0):g}", *given, f"{run.score(host):.4f}", str(place or "lost")]
    for number, content in enumerate(shown):
        colour = _FIRST if place == 1 and number == len(shown) - 1 else "#111111"
        _cell(root, number, width, y + 15, content, colour=colour, weight=weight)
    canvas.text(root, f"{MARGIN}%", y + 32, run.request.notes.get(host, ""), size="11", colour=_GREY)
    return y + _ROW


def _cell(
    root: ElementTree.Element, number: int, width: float, y: float, content: str, *, colour: str, weight: str
) -> None:
    right = _NAME + width * (number + 1)
    canvas.text(root, f"{right:.2f}%", y, content, anchor="end", colour=colour, weight=weight)


def _heading(step: StepResult) -> str:
    name = _WORDS.get(step.name, step.name.removeprefix("kvm_").removeprefix("filter_").replace("_", " "))
    return name if step.multiplier == 1 else f"{name} times {step.multiplier:g}"
