"""Product time passes on the cluster's clock, however fast that runs and however long a wait really took."""

from datetime import UTC, datetime

import pytest

from utilities.watching.passing import let_pass

EPOCH = 1_767_322_800.0


class ManualClock:
    """A cluster whose clock moves only while somebody waits. pace: product seconds per wall second waited."""

    def __init__(self, *paces, begin=EPOCH):
        self.now, self.paces, self.waits, self.requests = begin, list(paces), [], []

    def create(self, resource, body, namespace, *, dry_run):
        self.requests.append((resource.plural, namespace, dry_run))
        stamp = datetime.fromtimestamp(int(self.now), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {**body, "metadata": {**body["metadata"], "creationTimestamp": stamp}}

    def wait(self, seconds):
        self.waits.append(seconds)
        self.now += seconds * (self.paces.pop(0) if len(self.paces) > 1 else self.paces[0])


@pytest.fixture
def on(monkeypatch):
    """Lets time pass on a manual clock, and returns it."""

    def run(clock, seconds, scale):
        monkeypatch.setattr("utilities.watching.passing.Event", lambda: clock)
        let_pass(clock, "qa", seconds, time_scale=scale)
        return clock

    return run


@pytest.mark.parametrize("begin", [EPOCH, EPOCH + 0.4, EPOCH + 0.999])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_at_least_so_many_seconds_have_passed(on, begin, scale):
    clock = on(ManualClock(scale, begin=begin), 10, scale)
    assert 10 <= clock.now - begin <= 12 + 0.05 * scale


def test_a_clock_that_keeps_pace_is_asked_once_more_than_it_is_waited_for(on):
    clock = on(ManualClock(100.0), 60, 100.0)
    assert clock.waits == [pytest.approx(0.61)]
    assert len(clock.requests) == 2


def test_a_clock_that_falls_behind_is_waited_for_again(on):
    clock = on(ManualClock(10.0, 10.0, 100.0), 60, 100.0)
    assert len(clock.waits) == 3
    assert clock.now - EPOCH >= 60


def test_a_clock_that_stands_still_is_asked_gently(on):
    clock = on(ManualClock(0.0, 0.0, 0.0, 1000.0), 1, 1000.0)
    assert clock.waits == [0.05] * 4


def test_nothing_is_created(on):
    clock = on(ManualClock(1.0), 1, 1.0)
    assert set(clock.requests) == {("configmaps", "qa", True)}


def test_no_time_at_all_is_over_within_a_second(on):
    assert on(ManualClock(1.0), 0, 1.0).now - EPOCH <= 2
