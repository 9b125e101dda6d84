"""What benchmarks measure at length holds each time: no overshoot is missed, and many servers are judged rightly."""

import pytest

from benchmarks import drain_of_200
from benchmarks.overshoot import pair

SEEDS = range(1, 13)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_migration_too_many_for_a_second_is_seen(seed):
    healthy, faulty = pair(seed)
    assert not healthy.exceeded
    assert faulty.exceeded
    assert 0.9 < faulty.overlap < 1.2, "the fault is what it says"


def test_a_drain_of_many_servers_is_judged_as_what_it_is():
    found = drain_of_200.measure()
    assert found.servers == 200
    assert "never exceeded" in found.verdict
