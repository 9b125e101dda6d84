"""The clock: due order, due time, and time that passes only when it should."""

import pytest

from lab.clock import ManualClock, ScaledClock, micro_timestamp, parse_timestamp, timestamp


def test_timers_run_in_due_order_and_see_their_own_due_time():
    clock, seen = ManualClock(start=100.0), []
    clock.call_later(5, lambda: seen.append(("late", clock.now())))
    clock.call_later(1, lambda: seen.append(("early", clock.now())))
    clock.advance(10)
    assert seen == [("early", 101.0), ("late", 105.0)]
    assert clock.now() == 110.0


def test_a_timer_set_by_a_timer_runs_in_the_same_advance_at_its_own_time():
    clock, seen = ManualClock(start=0.0), []
    clock.call_later(1, lambda: clock.call_later(1, lambda: seen.append(clock.now())))
    clock.advance(3)
    assert seen == [2.0]


def test_a_cancelled_timer_never_runs():
    clock, seen = ManualClock(), []
    clock.call_later(1, seen.append, 1).cancel()
    clock.advance(2)
    assert seen == []


def test_what_settles_runs_after_each_timer_before_time_goes_on():
    clock, seen = ManualClock(start=0.0), []
    clock.settle_with(lambda: seen.append(clock.now()))
    clock.call_later(1, lambda: None)
    clock.call_later(2, lambda: None)
    clock.advance(5)
    assert seen == [1.0, 2.0]


def test_stamps_round_trip():
    assert timestamp(1_767_225_600.9) == "2026-01-01T00:00:00Z"
    assert micro_timestamp(1_767_225_600.25) == "2026-01-01T00:00:00.250000Z"
    assert parse_timestamp("2026-01-01T00:00:00.250000Z") == 1_767_225_600.25


class Wall:
    """A wall clock that the test moves."""

    def __init__(self):
        self.at = 50.0

    def __call__(self):
        return self.at


def test_a_late_timer_of_a_scaled_clock_sees_its_own_due_time():
    wall = Wall()
    clock, seen = ScaledClock(100.0, start=0.0, wall=wall), []

    def busy():
        seen.append(clock.now())
        wall.at += 0.03  # the machine takes its time over this callback
        seen.append(clock.now())
        clock.call_later(0.5, lambda: seen.append(clock.now()))

    clock.call_at(1.0, busy)
    wall.at += 0.02
    clock.step()
    assert seen == [1.0, 1.0, 1.5]


def test_product_time_slows_down_when_the_machine_starves_the_lab():
    wall = Wall()
    clock = ScaledClock(100.0, start=0.0, wall=wall)
    wall.at += 10.0
    clock.step()
    assert clock.now() < 10.0


def test_between_two_steps_time_flows_up_to_the_next_timer():
    wall = Wall()
    clock = ScaledClock(100.0, start=0.0, wall=wall)
    clock.call_at(1.0, lambda: None)
    wall.at += 0.005
    assert clock.now() == pytest.approx(0.5)
    wall.at += 0.04
    assert clock.now() == 1.0


def test_a_timer_put_off_between_two_steps_keeps_its_due_time():
    wall = Wall()
    clock, seen = ScaledClock(100.0, start=0.0, wall=wall), []
    first = clock.call_at(1.0, lambda: None)
    wall.at += 0.05  # a request comes late: without the timer time would have flowed to 5.0
    assert clock.now() == 1.0
    first.cancel()
    clock.call_at(1.5, lambda: seen.append(clock.now()))
    clock.step()
    assert seen == [1.5]


def test_time_never_goes_back_for_a_timer_that_was_set_late():
    wall = Wall()
    clock, seen = ScaledClock(100.0, start=0.0, wall=wall), []
    wall.at += 0.05
    assert clock.now() == pytest.approx(5.0)
    clock.call_at(1.0, lambda: seen.append(clock.now()))
    assert clock.now() == pytest.approx(5.0)
    clock.step()
    assert seen == [pytest.approx(5.0)]
