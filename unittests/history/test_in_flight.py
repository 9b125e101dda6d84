"""The judge against a model that looks at every moment; what is uncertain is never claimed and never overlooked."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight import Edge, InFlight, Level, Limits, Outcome, Proof
from utilities.history.in_flight.overshoots import possible, proven

from .flying import MOMENTS, flight, limit_functions, too_many, truths

FUZZ = st.sampled_from((0, 0, 0.25, 0.5, 1, 3))


def covers(overshoots, at):
    return any(each.start <= at < each.end for each in overshoots)


def exact(found):
    return InFlight.of(flight(*each) for each in found)


@st.composite
def blurred(draw):
    """What was, and what a source of some resolution tells of it."""
    found = draw(truths(6))
    told = [
        replace(
            flight(subject, start, end),
            began=Edge(start - draw(FUZZ), start + draw(FUZZ), Proof.RECORD),
            ended=Edge(end - draw(FUZZ), end + draw(FUZZ), Proof.RECORD),
        )
        for subject, start, end in found
    ]
    return found, InFlight.of(told)


@given(truths(), limit_functions())
def test_exact_sources_prove_exactly_what_was(found, limits):
    flights = exact(found)
    over = flights.above(limits)

    assert {at for at in MOMENTS if covers(over, at)} == {at for at in MOMENTS if too_many(found, limits, at)}
    assert over == tuple(replace(each, proven=True) for each in possible(flights.flights, limits))


@given(truths(), limit_functions())
def test_witnesses_were_in_flight_when_most_were(found, limits):
    for over in exact(found).above(limits):
        common = [at for at in MOMENTS if all(f.sure[0] <= at < f.sure[1] for f in over.flights)]
        assert any(over.start <= at < over.end for at in common)
        counts = [sum(start <= at < end for _, start, end in found) for at in MOMENTS if over.start <= at < over.end]
        assert over.count == max(counts) == len(over.flights) > over.limit


@given(blurred(), limit_functions())
@settings(max_examples=300)
def test_nothing_is_proven_that_was_not_and_nothing_overlooked_that_was(told, limits):
    found, flights = told
    surely, maybe = proven(flights.flights, limits), possible(flights.flights, limits)

    for at in MOMENTS:
        if covers(surely, at):
            assert too_many(found, limits, at)
        if too_many(found, limits, at):
            assert covers(maybe, at)


@given(blurred())
def test_the_true_peak_lies_between_the_sure_and_the_possible_one(told):
    found, flights = told
    truth = max(sum(start <= at < end for _, start, end in found) for at in MOMENTS)

    assert flights.peak.count <= truth <= flights.possible_peak.count


@given(blurred(), st.integers(1, 5))
def test_reached_is_true_false_or_not_known(told, limit):
    found, flights = told
    truth = max(sum(start <= at < end for _, start, end in found) for at in MOMENTS) >= limit
    try:
        assert flights.reached(limit) is truth
    except NotEnoughEvidence:
        assert not flights.exact


@given(blurred(), limit_functions(), st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(told, limits, random):
    flights = told[1]
    shuffled = InFlight.of(random.sample(flights.flights, len(flights)))

    assert shuffled == flights
    assert str(shuffled.judge(limits)) == str(flights.judge(limits))


@given(truths(), st.integers(0, 4))
def test_the_verdict_says_what_the_overshoots_say(found, limit):
    verdict = exact(found).judge(limit)

    assert verdict.exceeded is any(too_many(found, Limits.of(limit), at) for at in MOMENTS)
    assert verdict.level is (Level.EXCEEDED if verdict.exceeded else Level.WITHIN)


def test_an_end_and_a_start_at_once_are_no_overlap():
    flights = InFlight.of([flight("a", 0, 10), flight("b", 10, 20)])

    assert flights.peak.count == 1
    assert flights.judge(1).level is Level.WITHIN


def test_who_flies_when_the_limit_falls_may_finish_but_nobody_may_join():
    limits = Limits.of(3).then(10, 1)
    finishing = [flight("a", 0, 20), flight("b", 1, 21), flight("c", 2, 12)]

    assert InFlight.of(finishing).judge(limits).level is Level.WITHIN
    joined = InFlight.of([*finishing, flight("d", 15, 30)]).judge(limits)
    assert [(over.start, over.end, over.limit, over.count) for over in joined.overshoots] == [(15, 21, 1, 3)]


def test_a_limit_that_rises_allows_from_then_on():
    limits = Limits.of(1).then(10, 3)
    found = InFlight.of([flight("a", 0, 20), flight("b", 5, 20), flight("c", 12, 20)])

    assert [(over.start, over.end) for over in found.above(limits)] == [(5, 10)]


def test_limits_change_one_after_another():
    limits = Limits.of(3).then(10, 1)
    assert (limits.at(-math.inf), limits.at(9), limits.at(10), limits.within(0, 10)) == (3, 3, 1, (3, 1))
    assert str(limits) == "limit 3, then 1"
    with pytest.raises(ValueError, match="10 is not later"):
        limits.then(10, 2)


def test_two_attempts_of_one_that_may_touch_are_not_two_in_flight():
    first = replace(flight("a", 0, 10), ended=Edge(9, 12, Proof.RECORD))
    second = replace(flight("a", 11, 20), began=Edge(10, 11, Proof.RECORD))

    assert InFlight.of([first, second]).possible_peak.count == 1
    assert InFlight.of([first, second]).judge(1).level is Level.WITHIN


def test_doubts_forbid_never_but_not_a_proof():
    doubtful = InFlight.of([flight("a", 0, 10), flight("b", 5, 20)], ["migrations unobserved"])

    assert doubtful.judge(1).exceeded
    assert doubtful.reached(2)
    with pytest.raises(NotEnoughEvidence, match="a flight may be missing: migrations unobserved"):
        doubtful.judge(2)
    with pytest.raises(NotEnoughEvidence, match="a flight may be missing"):
        doubtful.reached(3)
    assert not doubtful.exact


def test_sides_and_subjects():
    flights = InFlight.of([flight("a", 0, 10), flight("b", 0, 10, "two", "one"), flight("b", 20, 30)])

    assert [f.subject for f in flights.out_of("one")] == ["a", "b"]
    assert [f.subject for f in flights.into("one")] == ["b"]
    assert len(flights.of_subject("b")) == 2


def test_duration_is_from_the_first_start_to_the_last_end():
    assert InFlight.of([flight("a", 3, 10), flight("b", 5, 42.5)]).duration == 39.5
    assert InFlight.of([]).duration == 0
    with pytest.raises(NotEnoughEvidence, match=r"not every flight(.|\n)*in flight at the end of the recording"):
        _ = InFlight.of([flight("a", 3)]).duration


def test_the_message_names_peak_limit_and_witnesses_with_their_sources():
    found = [flight("a", 100, 110), flight("b", 104, 120), flight("c", 107), flight("d", 112, 118)]
    text = str(InFlight.of(found).judge(2))

    assert text.splitlines() == [
        "limit 2: exceeded, proven; times are exact",
        "peak: 3 in flight at +7.0 s: vm a, vm b, vm c",
        "from +7.0 s for 3.0 s 3 in flight where 2 may be:",
        "  vm a  +0.0 s (accepted POST) until +10.0 s (state of the server)  left, one to two",
        "  vm b  +4.0 s (accepted POST) until +20.0 s (state of the server)  left, one to two",
        "  vm c  +7.0 s (accepted POST), in flight at the end of the recording, one to two",
        "from +12.0 s for 6.0 s 3 in flight where 2 may be:",
        "  vm b  +4.0 s (accepted POST) until +20.0 s (state of the server)  left, one to two",
        "  vm c  +7.0 s (accepted POST), in flight at the end of the recording, one to two",
        "  vm d  +12.0 s (accepted POST) until +18.0 s (state of the server)  left, one to two",
        "4 flights, in product seconds since the first start:",
        "  vm a  +0.0 s (accepted POST) until +10.0 s (state of the server)  left, one to two",
        "  vm b  +4.0 s (accepted POST) until +20.0 s (state of the server)  left, one to two",
        "  vm c  +7.0 s (accepted POST), in flight at the end of the recording, one to two",
        "  vm d  +12.0 s (accepted POST) until +18.0 s (state of the server)  left, one to two",
    ]


def test_the_message_says_when_it_is_not_sure():
    one = replace(flight("a", 0, 10), ended=Edge(9, 11, Proof.RECORD))
    text = str(InFlight.of([one, flight("b", 10, 20)]).judge(1))

    assert text.startswith("limit 1: not proven to be exceeded, and not ruled out; times are of the resolution")
    assert "from +10.0 s for 1.0 s perhaps 2 in flight where 1 may be:" in text
    assert "until +9.0…+11.0 s (migration record)" in text


def test_long_stories_leave_out_their_middle():
    found = InFlight.of(flight(f"{number:03}", number, 1000) for number in range(300))
    lines = str(found.judge(1)).splitlines()

    assert "  … 280 more …" in lines
    assert "  … 240 left out …" in lines
    assert len(lines) < 100
    assert InFlight.of([]).story() == "no flight was seen"


def test_an_open_flight_has_an_outcome_of_its_own():
    open_ended = flight("a", 0)
    assert (open_ended.over, open_ended.outcome, open_ended.proven_by) == (
        False,
        Outcome.OPEN,
        (Proof.POST, Proof.OPEN),
    )
    assert InFlight.of([open_ended]).unfinished == (open_ended,)
