"""Did the workload live through the move?"""

from dataclasses import replace

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history import Beat, GuestSnapshot, judge, parse_heartbeat

SNAPSHOT = GuestSnapshot(pid=812, start_ticks=4711, boot_id="b-1")
BEATS = (Beat(1, 100), Beat(2, 101), Beat(3, 104.5), Beat(4, 105.5))


def test_heartbeat_lines():
    assert parse_heartbeat("1 100\n2 101.25\n") == (Beat(1, 100), Beat(2, 101.25))


def test_a_line_still_being_written_is_left_out():
    assert parse_heartbeat("1 100\n2 10") == (Beat(1, 100),)


@pytest.mark.parametrize("line", ["x 100", "1", "1 2 3", "", "1 2\x00"])
def test_a_damaged_line_is_named(line):
    with pytest.raises(NotEnoughEvidence, match="heartbeat line 2 is not 'counter epochseconds'"):
        parse_heartbeat(f"1 100\n{line}\n3 102\n")


def test_the_same_workload_with_its_downtime():
    verdict = judge(SNAPSHOT, SNAPSHOT, BEATS, covering=(100.5, 105))

    assert verdict.unbroken
    assert (verdict.downtime, verdict.downtime_at, verdict.beats) == (3.5, 101, 4)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"pid": 813}, "process id changed from 812 to 813"),
        ({"start_ticks": 12}, "process start time changed from 4711 to 12"),
        ({"boot_id": "b-2"}, "boot id changed from b-1 to b-2"),
    ],
)
def test_any_changed_identity_breaks_it(change, problem):
    assert judge(SNAPSHOT, replace(SNAPSHOT, **change), BEATS).problems == (problem,)


@pytest.mark.parametrize("counter", [1, 4, 2])
def test_a_counter_that_does_not_go_on_breaks_it(counter):
    beats = (*BEATS[:2], Beat(counter, 104))

    assert judge(SNAPSHOT, SNAPSHOT, beats).problems == (f"heartbeat goes from 2 to {counter} at 104",)


def test_a_heartbeat_that_stops_before_the_end_is_no_evidence():
    with pytest.raises(NotEnoughEvidence, match="the heartbeat reaches from 100 to 106, the move from 101 to 107"):
        judge(SNAPSHOT, SNAPSHOT, BEATS, covering=(101, 107))


@pytest.mark.parametrize("beats", [(), BEATS[:1]])
def test_too_few_beats_are_no_evidence(beats):
    with pytest.raises(NotEnoughEvidence, match="at least two"):
        judge(SNAPSHOT, SNAPSHOT, beats)


def test_a_clock_set_back_is_no_evidence():
    with pytest.raises(NotEnoughEvidence, match=r"set back from 101.000 to 99.000 at beat 3"):
        judge(SNAPSHOT, SNAPSHOT, (*BEATS[:2], Beat(3, 99)))
