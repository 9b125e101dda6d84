"""Events: occurrences are counted, not objects."""

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history import EVENT, VMI, VMIM, Change

from .build import EPOCH, Writer, gap, stamp

FAILED = ("Warning", "FailedMigration", "source node reported migration failed")
BACKOFF = ("Warning", "MigrationBackoff", "backoff migrating vmi qa/v")


def test_one_event_of_an_object():
    w = Writer()
    w.event("e", VMIM, "m", FAILED, firstTimestamp=stamp(3), lastTimestamp=stamp(4), source={"component": "c"}, count=1)
    w.event("other", VMIM, "n", FAILED)
    (event,) = w.timeline().events("qa/m", kind=VMIM)

    assert (event.type, event.reason, event.message, event.component, event.count) == (*FAILED, "c", 1)
    assert (event.first, event.last) == (EPOCH + 3, EPOCH + 4)


def test_a_folded_event_counts_its_occurrences():
    w = Writer()
    for count in (1, 2, 5):
        w.event("e", VMI, "v", BACKOFF, Change.ADDED if count == 1 else Change.MODIFIED, count=count)
    w.event("e2", VMI, "v", BACKOFF, series={"count": 3})

    assert [event.count for event in w.timeline().events("uid-v")] == [8]


def test_what_was_said_before_the_recording_does_not_count():
    w = Writer()
    w.event("old", VMI, "v", FAILED, Change.LISTED, count=4)
    w.event("e", VMI, "v", BACKOFF, Change.LISTED, count=4)
    w.event("e", VMI, "v", BACKOFF, Change.MODIFIED, count=6)

    assert [(event.reason, event.count) for event in w.timeline().events("uid-v")] == [("MigrationBackoff", 2)]


def test_a_deleted_event_was_said_all_the_same():
    w = Writer()
    w.event("e", VMI, "v", BACKOFF, count=2)
    w.event("e", VMI, "v", BACKOFF, Change.DELETED, count=2)

    assert [event.count for event in w.timeline().events("uid-v")] == [2]


def test_filters():
    w = Writer()
    w.event("a", VMI, "v", BACKOFF)
    w.event("b", VMI, "v", ("Normal", "Migrated", "m"))
    timeline = w.timeline()

    assert [event.reason for event in timeline.events("uid-v", of_type="Normal")] == ["Migrated"]
    assert [event.reason for event in timeline.events("uid-v", reason="MigrationBackoff")] == ["MigrationBackoff"]
    assert timeline.events("uid-v", kind=VMIM) == ()


def test_a_gap_makes_events_inconclusive():
    w = Writer()
    w.event("a", VMI, "v", BACKOFF)

    with pytest.raises(NotEnoughEvidence, match="inconclusive"):
        w.timeline((gap(EVENT),)).events("uid-v")
