"""The monitor's table, row by row, and the polls at which it can come out differently (kubevirt sheet §5.4)."""

from dataclasses import replace

import pytest

from lab.controllers.decisions import decide
from lab.kubevirt.migration.monitor import MONITOR, Poll, next_poll, poll_after


class Recorder:
    """Controls that only note what was asked."""

    def __init__(self):
        self.asked = []

    def start_post_copy(self):
        self.asked.append("post-copy")

    def allow_downtime(self, seconds, limit):
        self.asked.append(f"downtime {seconds} limit {limit}")

    def suspend(self, limit):
        self.asked.append(f"suspend limit {limit}")

    def abort(self):
        self.asked.append("abort")


def ask(**facts):
    """What the monitor does at a poll 61 s after the start of a migration that may take 60 s."""
    recorder = Recorder()
    poll = Poll(
        controls=recorder,
        elapsed=61.0,
        idle=0.0,
        acceptable=60,
        progress_timeout=150,
        mode="PreCopy",
        allow_post_copy=False,
        allow_disruption=False,
        vfio=True,
        aborting=False,
    )
    for effect in decide(MONITOR, replace(poll, **facts), 0.0).effects:
        effect.apply(None, None)
    return recorder.asked


@pytest.mark.parametrize(
    ("post_copy", "disruption", "vfio", "asked"),
    [
        (False, False, False, ["abort"]),
        (True, False, False, ["abort"]),
        (False, False, True, ["abort"]),
        (True, False, True, ["abort"]),
        (True, True, False, ["post-copy"]),
        (True, True, True, ["downtime 120 limit 120"]),
        (False, True, True, ["downtime 120 limit 120"]),
        (False, True, False, ["suspend limit 120"]),
    ],
)
def test_beyond_the_acceptable_time(post_copy, disruption, vfio, asked):
    assert ask(allow_post_copy=post_copy, allow_disruption=disruption, vfio=vfio) == asked


@pytest.mark.parametrize("elapsed", [60.0, 60.9])
def test_the_limit_counts_in_whole_seconds_and_must_be_exceeded(elapsed):
    assert ask(elapsed=elapsed) == []
    assert ask(elapsed=elapsed, allow_disruption=True) == []


def test_downtime_is_never_longer_than_qemu_accepts():
    assert ask(elapsed=1501.0, acceptable=1500, allow_disruption=True) == ["downtime 2000 limit 3000"]


def test_post_copy_is_never_stopped():
    assert ask(mode="PostCopy", elapsed=10_000.0, idle=10_000.0, allow_disruption=True) == []


def test_the_doubled_limit_aborts_in_mode_paused():
    assert ask(mode="Paused", acceptable=120, elapsed=121.0, allow_disruption=True) == ["abort"]
    assert ask(mode="Paused", acceptable=120, elapsed=120.9, allow_disruption=True) == []


def test_no_progress_aborts_even_with_disruption_allowed():
    assert ask(elapsed=50.0, idle=151.0, allow_disruption=True) == ["abort"]
    assert ask(elapsed=50.0, idle=150.9, allow_disruption=True) == []
    assert ask(mode="Paused", acceptable=400, elapsed=200.0, idle=151.0, allow_disruption=True) == ["abort"]


def test_help_to_complete_comes_before_no_progress():
    assert ask(elapsed=61.0, idle=200.0, allow_disruption=True) == ["downtime 120 limit 120"]


def test_zero_switches_a_limit_off():
    assert ask(acceptable=0, elapsed=10_000.0) == []
    assert ask(acceptable=0, progress_timeout=0, elapsed=10_000.0, idle=10_000.0) == []


def test_an_abort_is_asked_for_once():
    assert ask(aborting=True) == []


def test_polls_are_those_of_a_400_ms_grid():
    assert next_poll(0.0, 60, 150, None) == 61.2  # 61.2 = 153 polls; the one before finds 60.8 s, not more than 60
    assert next_poll(61.2, 60, 150, None) is None
    assert next_poll(0.0, 450, 150, 0.4) == 151.6  # 151.2 s later than the first look, of which 151 count
    assert next_poll(0.0, 60, 150, 0.4) == 61.2
    assert next_poll(0.0, 0, 0, 0.4) is None
    assert poll_after(61.2) == 61.6
    assert poll_after(61.3) == 61.6
