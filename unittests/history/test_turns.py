"""How long a slot stays free while somebody waits for it."""

import pytest

from utilities.history.in_flight import Edge, Proof
from utilities.history.in_flight.turns import turns

from .flying import flight


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (1, (3.0, 2.0)),  # the second starts 3 s after the first has ended, the third 2 s after the second
        (2, (12.0,)),  # two at once would have been allowed all the time
        (3, ()),
        (9, ()),
    ],
)
def test_a_slot_is_free_from_the_end_of_one_to_the_start_of_the_next(limit, expected):
    flights = [flight("a", 0, 10), flight("b", 13, 20), flight("c", 22, 30)]
    assert turns(list(reversed(flights)), limit) == expected


def test_slots_that_are_taken_at_once_were_never_free():
    flights = [flight("a", 0, 10), flight("b", 0, 12), flight("c", 10, 20), flight("d", 12, 20)]
    assert turns(flights, 2) == (0.0, 0.0)


def test_a_start_before_a_slot_was_free_is_no_wait():
    assert turns([flight("a", 0, 10), flight("b", 5, 12)], 1) == (0.0,)


def test_where_times_are_in_doubt_the_shorter_wait_counts():
    first = flight("a", 0, 10)
    second = flight("b", 0, 30, began=Edge(14, 19, Proof.SAMPLE))
    assert turns([first, second], 1) == (4.0,)


def test_nobody_waits_for_the_end_of_what_goes_on():
    assert turns([flight("a", 0), flight("b", 5)], 1) == (0.0,)
