"""One migration too many for one product second: the judge sees it every time, a sampler does not."""

import random

import pytest

from benchmarks.judge import sampled, sight
from benchmarks.judge_histories import drained, journalled, looks, overlapping
from utilities.history.nova import in_flight


def test_the_judge_sees_every_one_of_a_hundred_and_a_sampler_does_not():
    exact, records, every_second, every_five = sight()

    assert (exact.seen, exact.false) == (100, 0)
    assert (records.seen, records.false) == (100, 0)
    assert every_five.seen < every_second.seen < 100


@pytest.mark.parametrize("seed", range(5))
def test_the_fault_is_one_migration_for_one_second(seed):
    healthy = drained(30, 3, seed)
    flights = in_flight(journalled(overlapping(healthy, 3, seed)))

    assert [round(over.length, 6) for over in flights.above(3)] == [1]
    assert in_flight(journalled(healthy)).peak.count == 3


def test_a_sampler_without_delay_looks_once_a_period():
    flights = in_flight(journalled(drained(5, 2, 1)))
    found = list(looks(flights, 1.0, random.Random(1), look=(0, 0)))

    assert max(found) == 2
    assert abs(len(found) - flights.duration) <= 2
    assert [each.seen for each in sampled("sampler", [flights], [flights], 2)] == [0, 0]
