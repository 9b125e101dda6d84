"""The questions about a drained hypervisor: posts, polls, who left; one history that must fail for each."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import NotEnoughEvidence
from utilities.history.in_flight import Level
from utilities.history.nova import STRICT, HypervisorDrain, Polls, Request, pauses

from .clouding import Attempt, histories, journal, journalled, quarters, recorded

ONE = Attempt(1, "a", 1, 1, 10, 10)
TWO = Attempt(2, "b", 10, 10, 20, 20)
STAYED = replace(ONE, status="failed")


def post(at, server="a", *, status=409, served=False):
    path = f"/v2.1/servers/{server}/action"
    return Request(at, "POST", path, status, served, server, "os-migrateLive", f"req-{server}-{at}")


def get(at, server):
    return Request(at, "GET", f"/v2.1/servers/{server}", 200, True, server)


def drain(attempts, *more):
    told = journal(attempts)
    return HypervisorDrain.of(replace(journalled([]), journal=replace(told, requests=(*told.requests, *more))), "one")


def test_who_was_sent_away_who_left_and_who_is_not_done():
    open_ended = Attempt(4, "d", 30, 30, 90, 90)
    asked = HypervisorDrain.of(recorded([STAYED, TWO, open_ended]), "one", STRICT)

    assert (asked.started, asked.left, asked.unfinished) == ({"a", "b", "d"}, {"b"}, {"d"})
    assert len(asked.into("two")) == 3
    assert HypervisorDrain.of(recorded([ONE]), "two", STRICT).started == frozenset()
    assert "3 flights" in asked.story()


def test_limit_and_duration():
    overlapping = drain([ONE, replace(TWO, posted=9)])

    assert overlapping.judge(1).exceeded
    assert overlapping.reached(2)
    serial = drain([ONE, TWO])
    assert (serial.judge(1).level, serial.reached(2), serial.duration) == (Level.WITHIN, False, 19)


@pytest.mark.parametrize(
    ("attempts", "more", "told"),
    [
        ([ONE], [], []),
        ([ONE], [post(5)], ["a got another os-migrateLive 4.0 s after the accepted one, answered 409"]),
        (
            [ONE],
            [post(12, status=202, served=True)],
            ["a got another os-migrateLive 11.0 s after the accepted one and 2.0 s after it had left, answered 202"],
        ),
        ([STAYED, replace(ONE, number=2, posted=11, rested=20)], [], []),
        ([STAYED], [post(11)], []),
        ([ONE], [post(0.5)], []),
    ],
)
def test_a_post_is_repeated_unless_the_attempt_before_it_left_the_server_here(attempts, more, told):
    assert [str(repeat) for repeat in drain(attempts, *more).repeated_posts] == told


def test_a_server_that_came_back_may_be_sent_away_again():
    again = replace(ONE, number=2, posted=30, created=30, rested=40, closed=40)
    assert drain([ONE, again]).repeated_posts == ()


@given(histories(), st.lists(st.tuples(quarters(0, 40), st.integers(0, 5)), max_size=4))
def test_repeats_against_a_model(attempts, refused):
    """No attempt is under way twice here, so that only the refused posts can be repeats."""
    posts = {post(at + 0.125, f"s{number}") for at, number in refused}
    wrong = {
        each
        for each in posts
        for attempt in attempts
        if attempt.server == each.server
        and (attempt.posted <= each.at < attempt.rested or (attempt.rested <= each.at and not attempt.stayed))
    }

    assert {repeat.post for repeat in drain(attempts, *posts).repeated_posts} == wrong


def test_posts_are_counted_per_vm_and_have_a_first():
    asked = drain([ONE, TWO], post(0.5), post(3, "elsewhere"))

    assert asked.posts_per_vm == {"a": 2, "b": 1}
    assert asked.first_post.at == 0.5
    with pytest.raises(NotEnoughEvidence, match="nobody asked to move a server away from one"):
        _ = drain([]).first_post
    with pytest.raises(NotEnoughEvidence, match="this recording has no journal"):
        _ = HypervisorDrain.of(recorded([ONE]), "one").posts


def test_a_disabled_service_is_a_fact_with_a_time():
    disabled = Request(0.25, "PUT", "/v2.1/os-services/s1", 200, True)
    asked = drain([ONE], disabled)

    assert asked.requests("PUT", "/os-services/")[0].at < asked.first_post.at


def test_polls_form_passes():
    reads = [get(at, server) for at, server in ((0, "a"), (0.1, "b"), (10, "a"), (10.1, "b"), (20, "b"))]
    polls = drain([ONE], Request(0, "GET", "/v2.1/servers/detail", 200, True), *reads).polls

    assert [each.servers for each in polls.passes()] == [("a", "b"), ("a", "b"), ("b",)]
    assert pauses(polls.passes()) == (10, 10)
    assert polls.gaps == (10, 10, pytest.approx(9.9))
    assert polls.most_within(5).count == 1
    assert polls.most_within(15).subjects == ("a", "a")


def test_a_queue_read_one_by_one_is_a_pass_each():
    polls = Polls((get(0, "a"), get(10, "a"), get(11, "b"), get(11.5, "b")))
    assert [each.start for each in polls.passes()] == [0, 10, 11, 11.5]


def test_nothing_polled_is_nothing():
    assert (Polls(()).gaps, Polls(()).passes(), Polls(()).most_within(1).count) == ((), (), 0)


@given(st.lists(st.tuples(quarters(0, 10), st.sampled_from("abc")), max_size=20), quarters(0.25, 4))
def test_most_within_against_a_model(reads, seconds):
    polls = Polls(tuple(get(at, server) for at, server in sorted(reads)))
    model = max(
        (sum(at <= other < at + seconds for other, name in reads if name == server) for at, server in reads),
        default=0,
    )
    assert polls.most_within(seconds).count == model
