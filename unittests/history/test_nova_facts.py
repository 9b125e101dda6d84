"""A lab's journal becomes facts, and facts say what Nova is at."""

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history.nova import Journal, NovaRecording, Request, ServerState, StateSample

HEARD = {
    "at": 7.25,
    "service": "compute",
    "method": "POST",
    "path": "/v2.1/servers/u1/action",
    "action": "os-migrateLive",
    "status": 504,
    "served": True,
    "request_id": "req-1",
}
ANSWER = {
    "now": 99.5,
    "requests": [
        HEARD,
        HEARD | {"method": "GET", "path": "/v2.1/servers/detail", "action": ""},
        HEARD | {"service": "identity"},
    ],
    "migrations": [
        {
            "id": 3,
            "uuid": "m3",
            "server": "u1",
            "type": "live-migration",
            "request_id": "req-1",
            "source": "h1",
            "target": "h2",
            "hidden": False,
            "history": [[7.25, "accepted"], [9.5, "completed"]],
        }
    ],
    "servers": {"u1": [[1.0, "active", None, 1, "h1"], [7.25, "active", "migrating", 1, "h1"]]},
}


def test_a_journal_is_read_exactly():
    journal = Journal.of(ANSWER, {"u1": "vm-1"})

    assert journal.requests[0] == Request(
        7.25, "POST", "/v2.1/servers/u1/action", 504, True, "u1", "os-migrateLive", "req-1"
    )
    assert [request.server for request in journal.requests] == ["u1", ""]
    assert [request.moves for request in journal.requests] == [True, False]
    assert journal.migrations[0].statuses == ((7.25, "accepted"), (9.5, "completed"))
    assert journal.servers[0].states[1] == ServerState(7.25, "active", "migrating", "h1", 1)
    assert [state.moving for state in journal.servers[0].states] == [False, True]
    assert (journal.servers[0].name, journal.read) == ("vm-1", 99.5)


@pytest.mark.parametrize("answer", [{}, {"error": {"code": 404}}, ANSWER | {"servers": {"u1": [[1.0]]}}])
def test_anything_else_is_no_journal(answer):
    with pytest.raises(NotEnoughEvidence, match="no journal"):
        Journal.of(answer)


@pytest.mark.parametrize(
    ("status", "task", "moving"),
    [
        ("ACTIVE", None, False),
        ("ACTIVE", "migrating", True),
        ("MIGRATING", None, True),
        ("RESIZE", "resize_prep", True),
        ("VERIFY_RESIZE", "resize_confirming", True),
        ("ACTIVE", "deleting", False),
    ],
)
def test_what_counts_as_moving(status, task, moving):
    assert StateSample("u1", 1.0, 1.0, status, task, "h1").moving is moving


def test_names_come_from_whoever_knows_them():
    journal = Journal.of(ANSWER, {"u1": "vm-1"})
    samples = [StateSample("u2", 1.0, 1.0, "ACTIVE", None, "h1", name="vm-2")]
    recording = NovaRecording.of(samples=samples, journal=journal, started=0.0, ended=9.0)

    assert recording.names == {"u1": "vm-1", "u2": "vm-2"}
