"""Nova's sources joined: exact with a journal; without one nothing is proven that was not, nothing overlooked."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight import Level, Limits, Outcome, Proof
from utilities.history.in_flight.overshoots import possible, proven
from utilities.history.nova import STRICT, Blind, Request, ServerState, Tolerance, in_flight

from .clouding import END, Attempt, histories, journal, journalled, quarters, record, recorded, sample, samplings
from .flying import MOMENTS, limit_functions, too_many


def truth(attempts):
    return [(attempt.server, attempt.posted, attempt.rested) for attempt in attempts]


def covers(overshoots, at):
    return any(each.start <= at < each.end for each in overshoots)


def sound(flights, attempts, limits):
    """Proven moments were so, and moments that were so are not ruled out."""
    surely, maybe = proven(flights.flights, limits), possible(flights.flights, limits)
    for at in MOMENTS:
        if covers(surely, at):
            assert too_many(truth(attempts), limits, at), (at, str(flights.judge(limits)))
        if too_many(truth(attempts), limits, at):
            assert covers(maybe, at), (at, flights.story())


@given(histories(lead=2, lag=3))
def test_a_journal_is_exact(attempts):
    flights = in_flight(journalled(attempts))

    assert sorted((f.subject, *f.sure) for f in flights) == sorted(truth(attempts))
    assert flights.exact
    assert {f.proven_by for f in flights} == {(Proof.POST, Proof.STATE)}
    assert [f.outcome is Outcome.STAYED for f in flights] == [
        attempt.stayed for attempt in sorted(attempts, key=lambda a: (a.posted, a.server))
    ]


@given(histories(), limit_functions())
@settings(max_examples=200)
def test_whole_seconds_prove_nothing_that_was_not(attempts, limits):
    sound(in_flight(recorded(attempts), STRICT), attempts, limits)


@given(histories(most=4), st.integers(1, 3))
def test_an_overlap_of_a_second_shows_in_whole_seconds(attempts, limit):
    """Two stamps a second apart are different ones, so what overlaps that long is proven by records alone."""
    spans = truth(attempts)
    long = [at for at in MOMENTS if sum(start <= at and at + 1 <= end for _, start, end in spans) > limit]

    assert bool(in_flight(recorded(attempts), STRICT).above(limit)) or not long


@st.composite
def clouds(draw):
    tolerance = Tolerance(skew=draw(quarters(0, 1)), lead=draw(quarters(0, 3)), lag=draw(quarters(0, 4)))
    attempts = draw(histories(lead=tolerance.lead, lag=tolerance.lag, most=4))
    samples = draw(samplings(attempts, tolerance.skew))
    reads = sorted({*draw(st.sets(quarters(0, 55), max_size=3)), END})  # as a recorder does: also at its end
    return attempts, samples, tolerance, recorded(attempts, samples, reads=reads)


@given(clouds(), limit_functions())
@settings(max_examples=100)
def test_records_and_samples_prove_nothing_that_was_not(cloud, limits):
    attempts, _, tolerance, recording = cloud
    seen = {r.uuid for r in recording.records} | {s.server for s in recording.samples if s.moving}
    known = [a for a in attempts if f"m{a.number}" in seen]
    flights = in_flight(recording, tolerance)
    for over in flights.above(limits):
        assert too_many(truth(attempts), limits, over.start)
    if len(known) == len(attempts):
        sound(flights, attempts, limits)


@given(clouds())
@settings(max_examples=100)
def test_each_flight_lies_between_its_sure_and_its_possible_time(cloud):
    attempts, _, tolerance, recording = cloud
    flights = {flight.attempt: flight for flight in in_flight(recording, tolerance)}
    for attempt in attempts:
        flight = flights.get(f"m{attempt.number}")
        if flight is not None:
            assert flight.possible[0] <= attempt.posted <= flight.sure[0] or flight.sure[0] >= flight.sure[1]
            assert flight.possible[0] <= attempt.posted
            assert attempt.rested <= flight.possible[1]
            if flight.sure[0] < flight.sure[1]:
                assert attempt.posted <= flight.sure[0]
                assert flight.sure[1] <= attempt.rested


@given(clouds(), st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(cloud, random):
    _, samples, tolerance, recording = cloud
    records = list(recording.records)
    random.shuffle(records)
    shuffled = replace(recording, records=()).of(records, random.sample(samples, len(samples)), started=0.0, ended=END)
    assert in_flight(shuffled, tolerance) == in_flight(recording, tolerance)


def test_equal_stamps_are_no_overlap():
    one, two = Attempt(1, "a", 1, 1, 10.25, 10.25), Attempt(2, "b", 10.75, 10.75, 20, 20)

    assert in_flight(recorded([one, two]), STRICT).judge(1).level is Level.POSSIBLE
    assert in_flight(journalled([one, two])).judge(1).level is Level.WITHIN
    apart = replace(two, posted=11.0, created=11.0)
    assert in_flight(recorded([one, apart]), STRICT).judge(1).level is Level.WITHIN


def test_a_record_that_is_closed_late_is_no_overlap_when_the_server_was_seen_gone():
    one, two = Attempt(1, "a", 1, 1, 10, 14), Attempt(2, "b", 11, 11, 20, 20)
    cloud = Tolerance(skew=0.0, lead=0.0, lag=5.0)
    seen = [sample("a", [one], 10.25, 10.25, 10.5)]

    assert in_flight(recorded([one, two]), cloud).judge(1).level is Level.POSSIBLE
    assert in_flight(recorded([one, two], seen), cloud).judge(1).level is Level.WITHIN
    assert in_flight(recorded([one, two]), STRICT).judge(1).exceeded


def test_samples_prove_what_late_records_cannot():
    one, two = Attempt(1, "a", 1, 1, 12, 14), Attempt(2, "b", 10, 10, 20, 20)
    cloud = Tolerance(skew=0.0, lead=0.0, lag=5.0)
    verdict = in_flight(recorded([one, two], [sample("a", [one], 11.5, 11.5, 11.75)]), cloud).judge(1)

    assert in_flight(recorded([one, two]), cloud).judge(1).level is Level.POSSIBLE
    assert verdict.exceeded
    assert "(sampled state)" in str(verdict)


def test_a_stale_look_at_the_source_is_not_believed_against_the_record():
    one = Attempt(1, "a", 1, 1, 30, 30)
    stale = replace(sample("a", [one], 5, 5, 5), status="ACTIVE", task_state=None)

    assert in_flight(recorded([one], [stale]), STRICT).flights[0].possible[1] >= 30
    late = replace(one, rested=5.0)
    assert in_flight(recorded([late], [sample("a", [late], 5, 5, 5)]), STRICT).flights[0].possible[1] == 5


def test_a_cold_migration_flies_until_it_waits_for_its_confirmation():
    one = Attempt(1, "a", 1, 1, 10, 40, "confirmed", "migration")
    waits = replace(sample("a", [one], 10, 10, 10.5), status="VERIFY_RESIZE")
    confirms = replace(sample("a", [one], 39, 39, 39), status="VERIFY_RESIZE", task_state="resize_confirming")
    moving = replace(sample("a", [one], 9, 9, 9), status="RESIZE", task_state="resize_migrated")
    (flight,) = in_flight(recorded([one], [moving, waits, confirms]), STRICT)

    assert (flight.sure[1], flight.possible[1], flight.outcome) == (9, 10.5, Outcome.LEFT)
    finished = replace(record(one, read=11), status="finished")
    (unseen,) = in_flight(replace(recorded([one]), records=(finished, record(one))), STRICT)
    assert (unseen.sure[0] < unseen.sure[1], unseen.possible[1]) == (False, 11)


def test_a_cold_migration_in_the_journal_ends_in_verify_resize():
    told = journal([Attempt(1, "a", 1, 1, 10, 40, "confirmed", "migration")])
    states = (
        ServerState(0, "stopped", None, "one", 4),
        ServerState(1, "stopped", "resize_prep", "one", 4),
        ServerState(8, "stopped", "resize_migrated", "two", 4),
        ServerState(10, "resized", None, "two", 4),
        ServerState(39, "resized", "resize_confirming", "two", 4),
        ServerState(40, "stopped", None, "two", 4),
    )
    told = replace(told, servers=(replace(told.servers[0], states=states),))
    (flight,) = in_flight(replace(journalled([]), journal=told))

    assert (flight.sure, flight.outcome) == ((1, 10), Outcome.LEFT)


def test_a_server_that_is_deleted_in_mid_flight_flies_until_it_is_gone():
    one = Attempt(1, "a", 1, 1, 30, 30)
    (exactly,) = in_flight(journalled([one], {"a": 12.0}))
    assert (exactly.sure, exactly.outcome) == ((1, 12), Outcome.DELETED)

    seen = [sample("a", [one], at, at, at, gone=12.0) for at in (0.0, 5.0, 11.0, 12.5)]
    (read,) = in_flight(replace(recorded([one], seen), records=(record(one, read=4.0),)), STRICT)
    assert (read.sure[1], read.possible[1], read.outcome) == (11, 12.5, Outcome.DELETED)
    (unread,) = in_flight(replace(recorded([one], seen), records=()), STRICT)
    assert (unread.possible, unread.sure) == ((0, 12.5), (5, 11))
    assert (unread.outcome, unread.proven_by) == (Outcome.DELETED, (Proof.SAMPLE, Proof.SAMPLE))


def test_what_is_not_over_is_in_flight_until_the_end():
    one = Attempt(1, "a", 1, 1, 90, 90)
    (flight,) = in_flight(recorded([one]), STRICT)
    assert (flight.outcome, flight.sure, flight.possible[1]) == (Outcome.OPEN, (math.nextafter(2, 0), 60), math.inf)

    told = journal([one])
    states = told.servers[0].states[:-1]
    open_ended = replace(
        told,
        servers=(replace(told.servers[0], states=states),),
        migrations=(replace(told.migrations[0], statuses=((1.0, "accepted"),)),),
    )
    (flight,) = in_flight(replace(journalled([]), journal=open_ended))
    assert (flight.outcome, flight.sure) == (Outcome.OPEN, (1, math.inf))


def test_a_post_that_was_served_counts_whatever_the_answer():
    one = Attempt(1, "a", 1, 1, 10, 10)
    told = journal([one])
    lost = replace(told.requests[0], status=504)
    refused = Request(5, "POST", "/v2.1/servers/b/action", 409, False, "b", "os-migrateLive", "req-9")
    flights = in_flight(replace(journalled([]), journal=replace(told, requests=(lost, refused))))
    assert [(flight.subject, flight.sure) for flight in flights] == [("a", (1, 10))]

    no_record = replace(told, migrations=())
    (flight,) = in_flight(replace(journalled([]), journal=no_record))
    assert (flight.sure, flight.source, flight.attempt) == ((1, 10), "one", "")


def test_migrations_before_the_recording_are_none_of_its_business():
    early, late = Attempt(1, "a", 1, 1, 5, 5), Attempt(2, "b", 4, 4, 20, 20)
    recording = replace(journalled([early, late]), started=6.0)
    assert [flight.subject for flight in in_flight(recording)] == ["b"]


def test_evacuations_and_resizes_are_not_counted():
    others = [Attempt(1, "a", 1, 1, 9, 9, kind="resize"), Attempt(2, "b", 1, 1, 9, 9, kind="evacuation")]
    seen = [sample(a.server, [a], 5, 5, 5) for a in others]
    assert len(in_flight(recorded(others, seen), STRICT)) == 0
    assert len(in_flight(journalled([others[1]]))) == 0


@pytest.mark.parametrize(
    ("blind", "why"),
    [
        (Blind("migrations", 50.0, reason="503"), "migrations unobserved from 50.0 until the end: 503"),
        (Blind("migrations", 10.0, 20.0), "records went with 1 server"),
    ],
)
def test_blindness_that_may_hide_a_migration_is_inconclusive(blind, why):
    one = Attempt(1, "a", 1, 1, 10, 10)
    seen = [sample("b", [], 9, 9, 9), sample("b", [], 21, 21, 21, gone=15)]
    flights = in_flight(recorded([one], seen, blind=[blind]), STRICT)
    with pytest.raises(NotEnoughEvidence, match=why):
        flights.judge(1)


@pytest.mark.parametrize("blind", [Blind("servers", 10.0), Blind("migrations", 10.0, 20.0)])
def test_blindness_that_hides_no_migration_does_not_matter(blind):
    flights = in_flight(recorded([Attempt(1, "a", 1, 1, 10, 10)], blind=[blind]), STRICT)
    assert flights.judge(1).level is Level.WITHIN


def test_a_journal_read_too_early_is_inconclusive():
    recording = replace(journalled([Attempt(1, "a", 1, 1, 10, 10)]), ended=70.0)
    with pytest.raises(NotEnoughEvidence, match=r"read 10.0 s before the recording ended"):
        in_flight(recording).judge(1)


def test_servers_are_called_by_their_names():
    one, two = Attempt(1, "a" * 12, 1, 1, 10, 10), Attempt(2, "b" * 12, 1, 1, 10, 10)
    seen = [replace(sample(a.server, [a], 0, 0, 0), name=name) for a, name in ((one, "db"), (two, "db"))]
    assert [flight.label for flight in in_flight(recorded([one, two], seen), STRICT)] == [
        "db (aaaaaaaa)",
        "db (bbbbbbbb)",
    ]
    assert [f.label for f in in_flight(recorded([one], seen[:1]), STRICT)] == ["db"]


def test_the_limit_may_change_on_a_cloud_too():
    attempts = [Attempt(n, f"s{n}", n, n, 20, 20) for n in (1, 3, 5)]
    later = Attempt(4, "s4", 15, 15, 25, 25)
    limits = Limits.of(3).then(10.0, 1)
    assert in_flight(recorded(attempts), STRICT).judge(limits).level is Level.WITHIN
    assert in_flight(recorded([*attempts, later]), STRICT).judge(limits).exceeded


def test_a_look_that_may_show_the_next_attempt_proves_nothing_of_this_one():
    """Found by the properties: the second POST comes before its record, and a look began before that POST."""
    first = Attempt(1, "a", 1, 2, 14, 14, "failed")
    second = Attempt(2, "a", 14.75, 16, 20, 20)
    seen = [sample("a", [first, second], 14.5, 14.75, 15)]
    flights = in_flight(recorded([first, second], seen), Tolerance(skew=0.0, lead=1.25, lag=0.0))

    assert [flight.sure[1] for flight in flights] == [14, 20]
