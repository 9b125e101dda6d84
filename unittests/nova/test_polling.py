"""Waits that look again and again: goal, losing states, deadline, and what is told of what was seen."""

import pytest

from utilities.errors import ApiError, GoalLost, WaitTimeout
from utilities.nova.polling import Polls


class Time:
    """A clock that goes on when somebody pauses."""

    def __init__(self):
        self.now = 0.0

    def pause(self, seconds):
        self.now += seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def waiting(time):
    """Waits for `done` in a row of states, one a look; the last one stays."""
    polls = Polls(lambda seconds: seconds / 10, every=0.5, now=lambda: time.now, pause=time.pause)

    def wait(*states, losing=lambda _: None):
        row = list(states)

        def look():
            state = row.pop(0) if len(row) > 1 else row[0]
            if isinstance(state, Exception):
                raise state
            return state

        return polls.wait_for(
            look, lambda state: state == "done", subject="thing a", expecting="done", within=60, describe=str,
            losing=losing,
        )  # fmt: skip

    return wait


def test_the_first_state_that_meets_the_goal_is_returned(waiting, time):
    assert waiting("busy", "busy", "done") == "done"
    assert time.now == 1.0


def test_a_losing_state_ends_it_at_once(waiting, time):
    with pytest.raises(GoalLost, match="thing a: it broke, waiting for done") as caught:
        waiting("busy", "broken", losing=lambda state: "it broke" if state == "broken" else None)
    assert caught.value.history == ("busy", "broken")
    assert time.now == 0.5


def test_the_deadline_says_what_was_seen_last_and_for_how_long(waiting):
    with pytest.raises(WaitTimeout, match=r"thing a: not done within 60 s; last seen late, for 5\.5 s") as caught:
        waiting("busy", "late")
    assert caught.value.history == ("busy", "late")


def test_transient_errors_are_lived_through(waiting):
    assert waiting(ApiError("busy", next_step="", code=503), "done") == "done"
    with pytest.raises(ApiError, match="no"):
        waiting(ApiError("no", next_step="", code=400), "done")
