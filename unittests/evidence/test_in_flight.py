"""The picture of a drain shows how many were in flight, the limit, what was over it, and who."""

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from hypothesis import given, settings

from utilities.evidence.in_flight import picture
from utilities.history.in_flight import Edge, InFlight, Limits, Outcome, Proof

from ..history.flying import flight, limit_functions, truths

SVG = "{http://www.w3.org/2000/svg}"
RED, PALE_RED, PALE = "#cf222e", "#ffc9cf", "#b6d6fb"


def drawn(svg):
    return ElementTree.fromstring(svg)  # noqa: S314  our own


def words(svg):
    return [text.text for text in drawn(svg).iter(f"{SVG}text")]


def colours(svg):
    return {each.get("fill") for each in drawn(svg).iter() if each.get("fill")}


def area(svg, colour):
    (found,) = [group for group in drawn(svg).iter(f"{SVG}g") if group.get("fill") == colour]
    return list(found)


def test_a_drain_within_its_limit():
    svg = picture("drain", InFlight.of([flight("a", 0, 10), flight("b", 5, 20)]), 2)

    assert {"drain", "at most 2 in flight, limit 2", "in flight", "left 2", "limit 2", "vm a", "vm b"} <= set(
        words(svg)
    )
    assert RED not in colours(svg)
    assert PALE not in colours(svg)


def test_what_is_over_the_limit_is_red_above_it_and_in_the_lanes():
    svg = picture("drain", InFlight.of([flight("a", 0, 10), flight("b", 5, 20)]), 1)

    (over,) = area(svg, RED)
    assert float(over.get("width")[:-1]) == pytest.approx(98 / 4, abs=0.01)
    marks = [rect for rect in drawn(svg).iter(f"{SVG}rect") if rect.get("fill") == RED and rect.get("rx")]
    assert [rect.find(f"{SVG}title").text for rect in marks] == ["over the limit for 5.0 s"] * 2


def test_what_is_not_ruled_out_is_pale():
    late = flight("a", 0, 10)
    late = InFlight.of([flight("b", 9.5, 20), replace(late, ended=Edge(9, 11, Proof.RECORD))])
    svg = picture("drain", late, 1)

    assert {PALE, PALE_RED} <= colours(svg)
    assert not [each for each in drawn(svg).iter() if each.get("fill") == RED and each.get("rx")]
    assert "perhaps over the limit" in words(svg)


def test_the_limit_is_named_where_it_changes():
    svg = picture("drain", InFlight.of([flight("a", 0, 30)]), Limits.of(3).then(10, 1).then(20, 2))
    assert [word for word in words(svg) if word.startswith("limit")] == ["limit 3", "limit 1", "limit 2"]


def test_outcomes_and_attempts_are_told():
    found = [flight("a", 0, 10, outcome=Outcome.STAYED), flight("a", 12, 20), flight("b", 5, outcome=Outcome.OPEN)]
    svg = picture("drain", InFlight.of(found), 2)

    assert {"vm a, attempt 2", "vm b: in flight", "stayed 1", "left 1", "in flight 1"} <= set(words(svg))


def test_of_many_only_those_that_went_wrong_have_a_name():
    found = [flight(f"{number:03}", number * 2, number * 2 + 3) for number in range(200)]
    svg = picture("drain", InFlight.of([*found, flight("extra", 100, 101), flight("failed", 300, 301, "one")]), 2)

    named = [word for word in words(svg) if word.startswith("vm ")]
    assert "vm extra" in named
    assert len(named) < 10
    assert float(drawn(svg).get("height")) < 1400


def test_times_are_product_time_whatever_is_counted_in():
    """Two in the same second, one write after the other, are no overlap in the picture either."""
    one = flight("a", 100, 200, began=Edge.exactly(100, Proof.WATCH, 10.0))
    two = flight("b", 201, 300, began=Edge.exactly(201, Proof.WATCH, 14.0))
    one, two = (
        replace(each, ended=Edge.exactly(each.ended.latest, Proof.WATCH, seconds))
        for each, seconds in ((one, 14.0), (two, 20.0))
    )
    svg = picture("drain", InFlight.of([one, two]), 1)

    assert RED not in colours(svg)
    assert "10 s" in words(svg)
    assert len({rect.get("height") for rect in area(svg, "#0969da")}) == 1


def test_nothing_in_flight_is_said():
    assert "nothing was in flight" in words(picture("drain", InFlight.of([]), 1))


def test_very_many_steps_are_put_together():
    found = [flight(f"{number}", number, number + 1.5) for number in range(3000)]
    svg = picture("drain", InFlight.of(found), 1)

    assert len(area(svg, "#0969da")) <= 1201
    assert len(area(svg, RED)) <= 1201
    assert area(svg, RED)


@given(truths(), limit_functions())
@settings(max_examples=30)
def test_nothing_leaves_the_picture(found, limits):
    svg = picture("drain", InFlight.of(flight(*each) for each in found), limits)
    height = float(drawn(svg).get("height"))
    for rect in list(drawn(svg).iter(f"{SVG}rect"))[1:]:
        x, width = rect.get("x"), rect.get("width")
        if x.endswith("%"):
            assert float(x[:-1]) >= 0
            assert float(x[:-1]) + float(width[:-1]) <= 100.01
        assert 0 <= float(rect.get("y")) < height
        assert math.isfinite(float(rect.get("height")))
