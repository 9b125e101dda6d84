"""Charts are well-formed SVG, whatever is drawn."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.evidence.chart import Bar, Lane, chart

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ElementTree.fromstring(svg)  # noqa: S314  our own


def bars_of(svg):
    return [rect for rect in parsed(svg).iter(f"{SVG}rect") if rect.get("rx")]


def percent(bar, name):
    assert bar.get(name).endswith("%")
    return float(bar.get(name)[:-1])


def words(svg):
    return [text.text for text in parsed(svg).iter(f"{SVG}text")]


def test_a_bar_is_as_wide_as_its_share_of_the_time():
    svg = chart("t", [Lane("a", (Bar(0, 10, "x", "#000"), Bar(10, 40, "y", "#000")))])
    longer, shorter = (percent(bar, "width") for bar in bars_of(svg))
    assert longer / shorter == pytest.approx(3, abs=0.01)


def test_what_held_for_a_moment_is_not_hidden_by_what_came_after():
    svg = chart("t", [Lane("a", (Bar(0, 10, "x", "#000"), Bar(10, 10.001, "y", "#111"), Bar(10.001, 40, "z", "#222")))])
    drawn = bars_of(svg)
    assert [bar.get("fill") for bar in drawn] == ["#222", "#000", "#111"]
    assert percent(drawn[-1], "width") >= 0.4


TIMES = st.floats(0, 1e6, allow_nan=False)


@given(st.lists(st.tuples(TIMES, TIMES).map(sorted), min_size=1, max_size=6))
def test_no_bar_leaves_the_picture(spans):
    svg = chart("t", [Lane("a", tuple(Bar(start, end, "x", "#000") for start, end in spans))])
    for bar in bars_of(svg):
        assert percent(bar, "x") >= 0
        assert percent(bar, "x") + percent(bar, "width") <= 100.01
        assert percent(bar, "width") > 0


def test_the_legend_says_each_label_once_with_how_long_it_held():
    lane = Lane(
        "a", (Bar(0, 2, "x", "#000"), Bar(2, 3, "y", "#111"), Bar(3, 4, "x", "#000"), Bar(4, 9, "z", "#2", timed=False))
    )
    assert words(chart("t", [lane]))[1:5] == ["a", "x 3.0 s", "y 1.0 s", "z"]


def test_a_legend_is_wrapped_so_that_it_fits_a_telephone():
    lane = Lane(
        "migration", tuple(Bar(number, number + 1, f"phase number {number}", f"#{number}") for number in range(9))
    )
    for group in parsed(chart("t", [lane])).iter(f"{SVG}svg"):
        for text in group.findall(f"{SVG}text"):
            assert float(text.get("x").rstrip("%")) + 6.6 * len(text.text) < 340


def test_names_are_escaped():
    svg = chart('<&"', [Lane("<script>", (Bar(0, 1, "<b>", "#000"),))])
    assert "<script>" not in svg
    assert "<script>" in words(svg)


def test_nothing_recorded_is_said():
    assert "nothing was recorded" in chart("t", [])


def test_hover_says_what_and_how_long():
    svg = chart("t", [Lane("a", (Bar(1, 3.5, "x", "#000", "in detail"),))])
    assert [title.text for title in parsed(svg).iter(f"{SVG}title")] == ["in detail, 2.5 s"]


def test_days_do_not_drown_in_ticks():
    svg = chart("t", [Lane("a", (Bar(0, 400_000, "x", "#000"),))])
    assert 3 < svg.count("<line") < 40
