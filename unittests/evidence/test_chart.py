"""Charts are well-formed SVG, whatever is drawn."""

import xml.etree.ElementTree as ElementTree

from utilities.evidence.chart import Bar, Lane, chart

SVG = "{http://www.w3.org/2000/svg}"


def bars_of(svg):
    return [rect for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect") if rect.get("rx")]  # noqa: S314  our own


def test_a_bar_is_as_wide_as_its_share_of_the_time():
    svg = chart("t", [Lane("a", (Bar(0, 10, "x", "#000"), Bar(10, 40, "y", "#000")))])
    first, second = (float(bar.get("width")) for bar in bars_of(svg))
    assert abs(second / first - 3) < 0.01


def test_names_are_escaped():
    svg = chart('<&"', [Lane("<script>", (Bar(0, 1, "<b>", "#000"),))])
    assert "<script>" not in svg
    ElementTree.fromstring(svg)  # noqa: S314  our own


def test_nothing_recorded_is_said():
    assert "nothing was recorded" in chart("t", [])


def test_a_moment_without_length_is_still_visible():
    (bar,) = bars_of(chart("t", [Lane("a", (Bar(5, 5, "now", "#000"),))]))
    assert float(bar.get("width")) >= 2


def test_days_do_not_drown_in_ticks():
    svg = chart("t", [Lane("a", (Bar(0, 400_000, "x", "#000"),))])
    assert svg.count("<line") < 40
