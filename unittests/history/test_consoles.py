"""Continuity read from serial consoles, of which the move may cost some lines."""

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history.consoles import heartbeats, judge_consoles

BOOT, OTHER = "aae7c98e-8d9a-4400-b9de-62e084f5249e", "4bd61a9f-94e9-4123-97dc-713613a5f52c"


def log(*counters, late=0.0, pid=812, boot=BOOT):
    """A console with a line each second, `late` seconds after its time."""
    lines = [f"heartbeat {n} {100 + n + late:.2f} {pid} 3345 {boot}\n" for n in counters]
    return heartbeats("vm login: " + "".join(lines))


def test_lines_are_found_among_others_and_a_cut_one_is_left_out():
    text = (
        f"Linux\r\nvm login: heartbeat 1 101.00 812 3345 {BOOT}\r\n[  5.1] a driver says\n"
        f"heartbeat 2 102.50 812 3345 {BOOT}\nheartbeat 3 103.00 812 3345 aae7"
    )
    found = heartbeats(text)
    assert [(beat.counter, beat.at) for _, beat in found] == [(1, 101.0), (2, 102.5)]
    assert {(one.pid, one.start_ticks, one.boot_id) for one, _ in found} == {(812, 3345, BOOT)}


def test_a_log_that_goes_on_is_one():
    verdict = judge_consoles(log(1, 2, 3), log(2, 3, 4), log(4, 5), interval=1.0)
    assert verdict.unbroken
    assert (verdict.downtime, verdict.beats) == (1.0, 5)


def test_lines_lost_with_the_log_of_the_source_are_no_gap():
    verdict = judge_consoles(log(1, 2), (), log(30, 31, late=2.5), interval=1.0)
    assert verdict.unbroken
    assert verdict.downtime == 3.5  # at most: the lost ones may all have been in time


def test_a_line_lost_within_a_log_is_one():
    assert judge_consoles(log(1, 2), (), log(2, 3, 5), interval=1.0).problems == ("heartbeat goes from 3 to 5 at 105",)
    assert judge_consoles(log(1, 2), log(30), log(30, 32), interval=1.0).problems == (
        "heartbeat goes from 30 to 32 at 132",
    )


def test_a_guest_that_booted_anew_has_not_continued():
    verdict = judge_consoles(log(80, 81), (), log(1, 2, 3, boot=OTHER, pid=950), interval=1.0)
    assert [problem.partition(" changed")[0] for problem in verdict.problems[:2]] == ["process id", "boot id"]


def test_a_process_that_began_anew_has_not_continued():
    verdict = judge_consoles(log(80, 81), (), log(1, 2, late=90), interval=1.0)
    assert verdict.problems == ("heartbeat goes from 81 to 1 at 191",)


@pytest.mark.parametrize("after", [(), (1, 2), (1, 2, 3)])
def test_without_a_line_after_the_move_the_process_has_not_continued(after):
    verdict = judge_consoles(log(1, 2), log(3), log(*after), interval=1.0)
    assert verdict.problems == ("no heartbeat came after the move",)
    assert verdict.downtime == float("inf")


def test_without_a_line_before_the_move_nothing_is_known():
    with pytest.raises(NotEnoughEvidence, match="no heartbeat on the console before the move"):
        judge_consoles((), (), log(1, 2), interval=1.0)
