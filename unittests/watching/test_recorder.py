"""Recordings: nothing between start and stop is missed, or the gap is marked."""

from collections import defaultdict

import pytest
import urllib3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from utilities.clients import NODES, PODS, Rest
from utilities.errors import NotEnoughEvidence, NotFound
from utilities.history import POD, Change
from utilities.watching import Recorder, Stream, Watched, recording

from .stub import StubApi, server_tls

PATH = "/api/v1/namespaces/qa/pods"
NODES_PATH = "/api/v1/nodes"
WATCHES = (Watched(PODS, "qa"), Watched(NODES))


def states(timeline):
    return [(record.change.value, record.key) for record in timeline.records]


def test_what_happens_while_the_block_runs(api, rest):
    api.put(PATH, "a")
    with recording(rest, WATCHES) as recorded:
        api.put(PATH, "b")
        api.put(NODES_PATH, "n")
        api.remove(PATH, "a")
    api.put(PATH, "later")

    assert states(recorded.timeline) == [
        ("listed", "qa/a"),
        ("added", "qa/b"),
        ("added", "n"),
        ("deleted", "qa/a"),
    ]
    assert recorded.timeline.gaps == ()
    assert recorded.timeline.watched == {"Pod", "Node"}
    assert recorded.timeline.started < recorded.timeline.ended


def test_nothing_can_be_asked_while_it_runs(rest):
    with recording(rest, WATCHES) as recorded, pytest.raises(NotEnoughEvidence, match="still running"):
        _ = recorded.timeline


def test_a_failed_block_leaves_its_timeline(api, rest):
    def act():
        api.put(PATH, "a")
        raise RuntimeError("the test's own")

    with pytest.raises(RuntimeError, match="the test's own"), recording(rest, WATCHES) as recorded:
        act()

    assert states(recorded.timeline) == [("added", "qa/a")]


def test_an_object_that_came_and_went_at_the_very_end_is_seen(api, rest):
    with recording(rest, WATCHES) as recorded:
        api.put(PATH, "short")
        api.remove(PATH, "short")

    assert states(recorded.timeline) == [("added", "qa/short"), ("deleted", "qa/short")]


def test_a_server_that_is_silent_is_asked_for_its_position(api, rest):
    api.bookmark_after_list = False
    with recording(rest, WATCHES) as recorded:
        api.put(PATH, "a")

    assert states(recorded.timeline) == [("added", "qa/a")]
    assert recorded.timeline.gaps == ()


def test_an_object_that_came_and_went_and_is_still_under_way_is_waited_for(api, rest):
    api.bookmark_after_list = False
    with recording(rest, WATCHES[:1]) as recorded:
        api.muted = True  # no list shows it, and the watch has not brought it
        api.put(PATH, "short")
        api.remove(PATH, "short")

    assert states(recorded.timeline) == [("added", "qa/short"), ("deleted", "qa/short")]
    assert recorded.timeline.gaps == ()


def test_a_server_that_never_tells_its_position_proves_nothing(api, rest):
    api.bookmark_after_list = api.bookmark_before_end = False
    with recording(rest, WATCHES[:1], catch_up=0.2) as recorded:
        api.put(NODES_PATH, "n")  # of another kind, so that no event of this one tells it

    assert [gap.reason for gap in recorded.timeline.gaps] == ["not caught up within 0.2 s"]


def test_a_watch_that_cannot_start_is_said_at_once(api, rest):
    api.fail("GET", 404)

    with pytest.raises(NotFound), recording(rest, WATCHES):
        pytest.fail("the block must not run")


def test_a_watch_that_is_refused_later_is_blind_from_there_on(api, rest):
    with recording(rest, WATCHES) as recorded:
        api.put(PATH, "a")
        api.fail("WATCH", 403, times=2)
        api.end()

    timeline = recorded.timeline
    assert {gap.kind for gap in timeline.gaps} == {"Pod", "Node"}
    assert "403" in timeline.gaps[0].reason
    with pytest.raises(NotEnoughEvidence, match="until the end"):
        timeline.require_whole(POD)


def test_a_list_that_fails_at_the_end_makes_a_gap(api, rest):
    with recording(rest, WATCHES[:1]) as recorded:
        api.fail("GET", 403)

    assert "403" in recorded.timeline.gaps[0].reason


def test_what_is_never_delivered_is_a_gap(api, rest):
    with recording(rest, WATCHES[:1], catch_up=0.05, settle=0) as recorded:
        api.muted = True
        api.put(PATH, "unheard")
        api.log.clear()

    assert [gap.reason for gap in recorded.timeline.gaps] == ["not caught up within 0.05 s"]


def test_a_dead_server_does_not_hold_up_the_end(api, rest):
    with recording(rest, WATCHES, catch_up=0.1) as recorded:
        api.fail("GET", 0, times=100)
        api.fail("WATCH", 0, times=100)
        api.drop()

    assert sorted(gap.kind for gap in recorded.timeline.gaps) == ["Node", "Pod"]
    assert "is not reachable" in recorded.timeline.gaps[0].reason


def test_a_gap_in_the_middle_is_marked(api, rest):
    with recording(rest, WATCHES[:1]) as recorded:
        api.put(PATH, "a")
        with api.lock:
            api.drop()
            api.put(PATH, "missed")
            api.remove(PATH, "missed")
            api.forget()

    assert len(recorded.timeline.gaps) == 1
    with pytest.raises(NotEnoughEvidence, match="too old resource version"):
        recorded.timeline.require_whole(POD)


NAMES = st.sampled_from("abc")
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES),
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.sampled_from(["drop", "end", "forget", "error", "wait", "mute"]), st.none()),
    ),
    max_size=25,
)


@given(before=st.sets(NAMES), actions=ACTIONS, as_event=st.booleans(), prompt=st.booleans())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_nothing_is_missed_or_the_gap_is_marked(before, actions, as_event, prompt):
    with StubApi() as api:
        api.gone_as_event, api.bookmark_after_list = as_event, prompt
        pool = urllib3.PoolManager(maxsize=8)
        for name in sorted(before):
            api.put(PATH, name)
        start = api.version
        happened = []
        with recording(Rest(api.url, pool), WATCHES[:1], catch_up=5) as recorded:
            for action, name in actions:
                _act(api, action, name, happened)
        pool.clear()
        _judge(recorded.timeline, happened, start)


def _act(api, action, name, happened):
    exists = name in api.objects.get(PATH, {})
    if action == "put":
        with api.lock:
            api.put(PATH, name)
            happened.append((api.version, f"qa/{name}", False))
    elif action == "remove" and exists:
        with api.lock:
            api.remove(PATH, name)
            happened.append((api.version, f"qa/{name}", True))
    elif action in ("drop", "end", "forget"):
        getattr(api, action)()
    elif action == "error":
        api.fail("WATCH", 503)
    elif action == "mute":  # from here on nothing is delivered but by the next watch
        api.muted = True
    elif action == "wait":
        api.wait_for_watches(1)


def _judge(timeline, happened, start):
    seen = {(record.order, record.key, record.gone) for record in timeline.records}
    for version, key, gone in happened:
        hidden = any(gap.after < version <= gap.until for gap in timeline.gaps)
        assert (version, key, gone) in seen or hidden, timeline.story()
    for record in timeline.records:  # and nothing is made up
        if record.change is not Change.LISTED and record.change is not Change.VANISHED:
            assert (record.order, record.key, record.gone) in happened
    by_object = defaultdict(list)  # a list after a gap shows the new object of a name at the version the old is gone by
    for record in timeline.records:
        by_object[record.uid].append(record.order)
        assert record.order > start or record.change is Change.LISTED
    assert all(orders == sorted(set(orders)) for orders in by_object.values())


def test_many_watches_over_tls_are_cut_cleanly(tmp_path):
    with StubApi(server_tls(tmp_path)) as api:
        pool = urllib3.PoolManager(maxsize=32, ca_certs=str(tmp_path / "ca.pem"))
        watches = [Watched(PODS, f"ns-{number}") for number in range(20)]
        recorder = Recorder(Rest(api.url, pool), watches)
        recorder.start()
        for number in range(20):
            api.put(f"/api/v1/namespaces/ns-{number}/pods", "a")
        timeline = recorder.stop()
        pool.clear()

    assert len(timeline.records) == 20
    assert timeline.gaps == ()


def test_closing_twice_is_harmless(rest):
    stream = Stream(rest, WATCHES[0])
    stream.advance()
    stream.advance()
    for _ in range(2):
        stream.close()
        stream.release()
