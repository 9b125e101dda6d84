"""What a test can ask of a drain that was watched, from handwritten recordings."""

from dataclasses import replace

import pytest

from utilities.errors import GoalLost, NotEnoughEvidence
from utilities.history import EVICTION, HYPERVISOR, Timeline
from utilities.hypervisors.witness import End, Seen
from utilities.nova import Host, Server

from ..history.build import EPOCH
from ..history.clouding import Attempt, journalled, recorded
from ..history.test_evictions import Drain

HOST = Host("hv-1", "hv-1.lab.internal", "h", "s", enabled=False, up=True, disabled_reason=None, servers={})


def server(name, status="ACTIVE"):
    return Server(name, name, status, status.lower(), None, 1, "one", "one.lab.internal", "", EPOCH, EPOCH)


A, B, C = server("a"), server("b"), server("c")
FIRST, SECOND = Attempt(1, "a", 1, 1, 10, 10), Attempt(2, "b", 14, 14, 30, 30)


def seen(attempts, *queues, servers=(A, B), beside=(), limit=1, recording=journalled, end=(), name="one"):
    """A drain with these attempts, all of them from `one` to `two`, and queues."""
    told = Drain()
    for queue in queues or ("ab", ""):
        told.eviction(*queue)
    timeline = Timeline.of(told.records, watched=(EVICTION, HYPERVISOR))
    timeline = replace(timeline, records=tuple(replace(record, key=name) for record in timeline.records))
    found = Seen(name, tuple(servers), limit, None, tuple(beside))
    found.closed = timeline, recording(attempts)
    found.end = End({one.id: one for one in (end or servers)}, HOST)
    return found


def test_whether_all_have_moved_and_how_fast_slots_were_filled():
    assert seen([FIRST, SECOND]).all_moved
    assert not seen([FIRST, replace(SECOND, status="failed")]).all_moved
    assert not seen([FIRST]).all_moved
    assert seen([FIRST, SECOND]).turns == (4,)
    assert not seen([FIRST, SECOND]).exceeded
    assert seen([FIRST, replace(SECOND, posted=9)]).exceeded


@pytest.mark.parametrize("recording", [journalled, recorded])
def test_how_often_each_was_asked_to_move(recording):
    again = replace(FIRST, number=3, posted=40, created=40, rested=50, closed=50)
    found = seen([replace(FIRST, status="failed"), SECOND, again], servers=(A, B, C), recording=recording)
    assert found.attempts == {"a": 2, "b": 1, "c": 0}


def test_what_became_of_servers():
    cold = replace(SECOND, kind="migration")
    found = seen([FIRST, cold], servers=(A, B, C), end=(A, server("b", "SHUTOFF")))
    assert found.gone == (C,)
    assert found.statuses_of((A, B, C)) == {"ACTIVE", "SHUTOFF", "gone"}
    assert (found.kinds_of((A,)), found.kinds_of((B,))) == ({"live-migration"}, {"migration"})


def test_whether_an_attempt_was_repeated_only_in_its_turn():
    failed = replace(FIRST, status="failed")
    early = replace(failed, number=3, posted=12, created=12, rested=13, closed=13)
    late = replace(failed, number=4, posted=40, created=40, rested=50, closed=50)
    assert seen([failed, SECOND], servers=(B,)).repeated_in_turn(A)
    assert seen([failed, SECOND, late], servers=(B,)).repeated_in_turn(A)
    assert not seen([failed, early, SECOND], servers=(B,)).repeated_in_turn(A)


def test_what_a_scenario_needs_to_have_happened():
    found = seen([replace(FIRST, status="failed"), SECOND], "ab", "b", "")
    found.require_listed(A)
    found.require_setback(A)
    for require, about, words in (
        (found.require_listed, C, "c was gone before the operator looked at it"),
        (found.require_setback, B, "no attempt to move b ended where it began"),
        (found.require_late, C, "c did not land on one after the servers there were listed"),
    ):
        with pytest.raises(NotEnoughEvidence, match=words):
            require(about)


def test_a_late_arrival_landed_after_the_list():
    arrival = Attempt(3, "c", 1, 1, 50, 50)
    seen([arrival], "ab", "b", "c", "", name="two").require_late(C)
    for attempts, queues in (([arrival], ("abc", "c", "")), ([replace(arrival, status="failed")], ("ab", ""))):
        with pytest.raises(NotEnoughEvidence, match="did not land"):
            seen(attempts, *queues, name="two").require_late(C)


def test_the_story_tells_everything():
    found = seen([FIRST, replace(SECOND, posted=9)])
    found.troubles.append(GoalLost("it was lost", next_step="look"))
    found.end = replace(found.end, host=replace(HOST, servers={"a": "vm-a"}))
    story = found.story()
    for words in ("limit 1: exceeded, proven", "Eviction", "Trouble: it was lost", "Left on one: vm-a"):
        assert words in story
    assert repr(found) == "<what was seen of the drain of one>"


def test_nothing_is_answered_before_the_end():
    with pytest.raises(NotEnoughEvidence, match="nothing is recorded yet"):
        _ = Seen("one", (), 1, None).all_moved
