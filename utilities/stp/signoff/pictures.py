"""The pictures of a sign-off as SVG, made to be read at the width of a phone; colours come from the page's style."""

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence

from utilities.stp.signoff.outcome import Outcome
from utilities.stp.signoff.proofs import Kind, Proof
from utilities.stp.signoff.standings import Standing

_WIDTH = 360
_BAR_LEFT, _BAR_RIGHT, _BAR_ROW, _BAR_HEIGHT = 34, 68, 34, 24
_LEGEND_COLUMNS, _LEGEND_ROW = 3, 20
_DIGIT = 9.0  # room that a number needs inside its segment

_LABEL, _STEP, _ROW, _TAIL = 84, 18, 18, 44
_GLYPHS = {Outcome.PASSED: "\N{CHECK MARK}", Outcome.FAILED: "\N{BALLOT X}", Outcome.BROKEN: "!"}


def by_priority(standings: Sequence[Standing]) -> str:
    """One bar a priority, its segments as wide as the share of each outcome; a legend below."""
    rows = [(name, [each for each in standings if each.priority == name]) for name in ("P0", "P1", "P2")]
    rows = [(name, mine) for name, mine in rows if mine]
    present = [outcome for outcome in Outcome if any(each.outcome is outcome for each in standings)]
    legend_rows = -(-len(present) // _LEGEND_COLUMNS)
    top = len(rows) * _BAR_ROW + 6
    root = _svg(_WIDTH, top + legend_rows * _LEGEND_ROW + 4, "Scenarios by priority and outcome")
    for number, (name, mine) in enumerate(rows):
        _bar(root, number * _BAR_ROW + 4, name, mine)
    for number, outcome in enumerate(present):
        x = (number % _LEGEND_COLUMNS) * (_WIDTH / _LEGEND_COLUMNS) + 4
        y = top + (number // _LEGEND_COLUMNS) * _LEGEND_ROW + 4
        _rect(root, x, y, 12, 12, outcome)
        _text(root, x + 18, y + 10, outcome, size=12)
    return _written(root)


def _bar(root: ElementTree.Element, y: float, name: str, mine: Sequence[Standing]) -> None:
    counts = Counter(each.outcome for each in mine)
    room = _WIDTH - _BAR_LEFT - _BAR_RIGHT
    x = float(_BAR_LEFT)
    _text(root, 2, y + 17, name, size=14, weight="700")
    for outcome in Outcome:
        if not counts[outcome]:
            continue
        width = room * counts[outcome] / len(mine)
        _rect(root, x, y, width, _BAR_HEIGHT, outcome, f"{name} {outcome}: {counts[outcome]}")
        if width > _DIGIT * (len(str(counts[outcome])) + 0.6):
            _text(root, x + width / 2, y + 17, str(counts[outcome]), anchor="middle", size=13, name="on")
        x += width
    _text(root, _WIDTH - 2, y + 17, f"{counts[Outcome.PASSED]} of {len(mine)}", anchor="end", size=13)


def matrix(standings: Sequence[Standing], proofs: Sequence[Proof]) -> str:
    """Scenarios as rows, acceptance criteria (goals, if there are none) as columns; a mark where one proves the other.

    The first column shows the scenario's own outcome, the last the number of its tests and parameter sets.
    """
    criteria = [proof for proof in proofs if proof.kind is Kind.CRITERION] or list(proofs)
    head = 12 + 7 * max((len(proof.label) for proof in criteria), default=4)
    width = _LABEL + _STEP * (len(criteria) + 1) + _TAIL
    root = _svg(width, head + _ROW * len(standings) + 6, "Scenarios and the acceptance criteria they prove")
    for column, proof in enumerate(criteria):
        x = _LABEL + _STEP * (column + 1.5) + 4
        _text(root, x, head - 6, proof.label, size=11, turned=True, hover=f"{proof.label}: {proof.text}")
        _line(root, x - 4, head, head + _ROW * len(standings))
    _text(root, width - 2, head - 6, "tests", anchor="end", size=11)
    for row, standing in enumerate(standings):
        y = head + _ROW * row
        if row and standing.priority != standings[row - 1].priority:
            _rule(root, y, width)
        _matrix_row(root, y, width, standing, criteria)
    return _written(root)


def _matrix_row(
    root: ElementTree.Element, y: float, width: float, standing: Standing, criteria: Sequence[Proof]
) -> None:
    hover = f"{standing.key}: {standing.outcome}: {standing.scenario.text}"
    _text(root, 0, y + 13, f"{standing.priority} {standing.key}", size=11, hover=hover)
    _mark(root, _LABEL, y, standing, hover)
    for column, proof in enumerate(criteria):
        if standing.key in proof.scenarios:
            _mark(root, _LABEL + _STEP * (column + 1), y, standing, f"{proof.label} by {standing.key}")
    _text(root, width - 2, y + 13, str(len(standing.tests) or "\N{EN DASH}"), anchor="end", size=11)


def _mark(root: ElementTree.Element, x: float, y: float, standing: Standing, hover: str) -> None:
    _rect(root, x + 1, y + 1, _STEP - 2, _ROW - 2, standing.outcome, hover)
    glyph = _GLYPHS.get(standing.outcome, standing.outcome[0].upper())
    _text(root, x + _STEP / 2, y + 13, glyph, anchor="middle", size=11, name="on")


def _svg(width: float, height: float, label: str) -> ElementTree.Element:
    return ElementTree.Element(
        "svg",
        {
            "viewBox": f"0 0 {width:g} {height:g}",
            "style": f"--width:{width:g}px",
            "role": "img",
            "aria-label": label,
        },
    )


def _rect(
    root: ElementTree.Element, x: float, y: float, width: float, height: float, outcome: Outcome, hover: str = ""
) -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}", "rx": "2"}
    rect = ElementTree.SubElement(root, "rect", {**attributes, "class": name_of(outcome)})
    if hover:
        ElementTree.SubElement(rect, "title").text = hover


def _line(root: ElementTree.Element, x: float, top: float, bottom: float) -> None:
    ElementTree.SubElement(
        root, "line", {"x1": f"{x:.1f}", "x2": f"{x:.1f}", "y1": f"{top:.1f}", "y2": f"{bottom:.1f}", "class": "grid"}
    )


def _rule(root: ElementTree.Element, y: float, width: float) -> None:
    ElementTree.SubElement(
        root, "line", {"x1": "0", "x2": f"{width:g}", "y1": f"{y:.1f}", "y2": f"{y:.1f}", "class": "rule"}
    )


def _text(
    root: ElementTree.Element,
    x: float,
    y: float,
    content: str,
    *,
    size: int,
    anchor: str = "start",
    weight: str = "400",
    name: str = "ink",
    turned: bool = False,
    hover: str = "",
) -> None:
    attributes = {"text-anchor": anchor, "font-size": str(size), "font-weight": weight, "class": name}
    if turned:
        attributes["transform"] = f"translate({x:.1f} {y:.1f}) rotate(-90)"
    else:
        attributes |= {"x": f"{x:.1f}", "y": f"{y:.1f}"}
    element = ElementTree.SubElement(root, "text", attributes)
    element.text = content
    if hover:
        ElementTree.SubElement(element, "title").text = hover


def name_of(outcome: Outcome) -> str:
    """The class of the page's style for an outcome."""
    return f"o-{outcome.replace(' ', '-')}"


def _written(root: ElementTree.Element) -> str:
    return ElementTree.tostring(root, encoding="unicode")
