"""Reading objects: paths, conditions, and the time an object tells."""

import pytest

from utilities.history import Change, Record, condition_of, dig, key_of, newest_stamp, seconds

from .build import EPOCH, stamp


def test_a_path_that_ends_early_gives_none():
    assert dig({"a": {"b": 1}}, "a", "b") == 1
    assert dig({"a": None}, "a", "b") is None
    assert dig({"a": "text"}, "a", "b") is None


def test_keys():
    assert key_of({"metadata": {"name": "n", "namespace": "x"}}) == "x/n"
    assert key_of({"metadata": {"name": "n"}}) == "n"


def test_conditions():
    obj = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}

    assert condition_of(obj, "Ready")["status"] == "True"
    assert condition_of(obj, "Paused") is None
    assert condition_of({}, "Paused") is None


@pytest.mark.parametrize(
    ("text", "second"), [("2026-01-02T03:00:07Z", 7), ("2026-01-02T03:00:07.250000Z", 7.25), ("2026-01-02T03:00:07", 7)]
)
def test_timestamps(text, second):
    assert seconds(text) == EPOCH + second


@pytest.mark.parametrize(
    "obj",
    [
        {"metadata": {"creationTimestamp": stamp(9)}},
        {"metadata": {"managedFields": [{"time": stamp(3)}, {"time": stamp(9)}, {"manager": "no time"}]}},
        {"metadata": {"deletionTimestamp": stamp(39), "deletionGracePeriodSeconds": 30}},
        {"status": {"conditions": [{"lastTransitionTime": stamp(9), "lastProbeTime": None}]}},
        {"status": {"phaseTransitionTimestamps": [{"phase": "Running", "phaseTransitionTimestamp": stamp(9)}]}},
        {"firstTimestamp": stamp(1), "lastTimestamp": stamp(9), "eventTime": None},
        {"series": {"count": 2, "lastObservedTime": stamp(9)}, "eventTime": stamp(1)},
        {"status": {"bootTime": "long ago", "startTime": stamp(9)}},
    ],
)
def test_the_newest_stamp(obj):
    assert newest_stamp(obj) == EPOCH + 9


def test_an_object_without_stamps_has_no_time():
    assert newest_stamp({"metadata": {"name": "x"}, "data": {"expiryTime": stamp(9)}}) is None


def test_a_record_takes_what_the_object_says():
    obj = {"metadata": {"name": "n", "namespace": "x", "uid": "u", "resourceVersion": "7"}}
    record = Record.of(Change.ADDED, "Pod", obj, received=1.5)

    assert (record.key, record.uid, record.order, record.gone) == ("x/n", "u", 7, False)
    assert Record.of(Change.VANISHED, "Pod", obj, received=1.5, version="9").order == 9
