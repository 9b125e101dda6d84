"""The sweep against a model that looks at every moment."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.history import Interval, above, counts, peak

COORDINATES = st.one_of(st.integers(0, 12), st.just(-math.inf))
ENDS = st.one_of(st.integers(0, 12), st.just(math.inf))


@st.composite
def intervals(draw):
    pairs = draw(st.lists(st.tuples(COORDINATES, ENDS).filter(lambda pair: pair[0] <= pair[1]), max_size=12))
    return [Interval(f"s{number:02}", *pair) for number, pair in enumerate(pairs)]


def in_flight(found, at):
    return tuple(sorted(interval.subject for interval in found if interval.start <= at < interval.end))


MOMENTS = (-math.inf, *(half / 2 for half in range(27)))


@given(intervals())
def test_peak_is_the_most_at_any_moment(found):
    assert peak(found).count == max(len(in_flight(found, at)) for at in MOMENTS)


@given(intervals())
def test_the_witness_is_true_and_the_first(found):
    witness = peak(found)

    if witness.subjects:
        assert witness.subjects == in_flight(found, witness.at)
        assert all(len(in_flight(found, at)) < witness.count for at in MOMENTS if at < witness.at)


@given(intervals())
def test_counts_are_right_at_and_between_edges(found):
    steps = [(-math.inf, 0), *counts(found), (math.inf, 0)]

    for (at, number), (following, _) in pairwise(steps):
        for moment in MOMENTS:
            if at <= moment < following:
                assert number == len(in_flight(found, moment))


@given(intervals(), st.integers(0, 4))
def test_above_covers_exactly_the_moments_over_the_limit(found, limit):
    over = above(found, limit)

    for moment in MOMENTS:
        assert any(interval.covers(moment) for interval in over) == (len(in_flight(found, moment)) > limit)


@given(intervals(), st.randoms(use_true_random=False))
def test_order_does_not_matter(found, random):
    shuffled = random.sample(found, len(found))

    assert peak(shuffled) == peak(found)
    assert above(shuffled, 1) == above(found, 1)


def test_equal_end_and_start_are_no_overlap():
    assert peak([Interval("a", 10, 20), Interval("b", 20, 30)]).count == 1


def test_an_interval_of_no_length_is_never_in_flight():
    assert peak([Interval("a", 10, 10)]).count == 0


def test_above_reports_the_highest_count():
    found = [Interval("a", 0, 10), Interval("b", 2, 8), Interval("c", 4, 6)]

    assert above(found, 1) == (Interval("3", 2, 8),)


def test_an_interval_cannot_end_before_it_starts():
    with pytest.raises(ValueError, match="a: interval ends at 1, before it starts at 2"):
        Interval("a", 2, 1)
