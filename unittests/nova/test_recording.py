"""Recording Nova: closed means caught up; exact on a lab, to the records' resolution elsewhere."""

from dataclasses import replace

import pytest

from utilities.errors import NotEnoughEvidence, NotFound
from utilities.history.nova import in_flight
from utilities.nova import nova_recording

OFTEN = 0.001  # wall seconds


def moved(nova, count=3, **options):
    """A recording of some migrations at once, and the servers."""
    with nova.servers.created("vm", on="node-1", count=count) as servers:
        with nova_recording(nova, "node-1", every=OFTEN, **options) as recorded:
            attempts = [nova.migrations.live_migrate(server, to="node-2") for server in servers]
            for attempt in attempts:
                attempt.wait("completed")
        return recorded.recording, servers


def test_a_lab_tells_exactly_what_was_in_flight(nova):
    recording, servers = moved(nova)
    judged = in_flight(recording)
    assert recording.journal is not None
    assert recording.started < recording.ended == recording.journal.read
    assert len(judged.flights) == 3
    assert {flight.subject for flight in judged.flights} == {server.id for server in servers}
    assert all(flight.exact for flight in judged.flights)
    posts = [request for request in recording.journal.requests if request.moves]
    assert sorted(post.server for post in posts) == sorted(server.id for server in servers)
    assert recording.names.keys() >= {server.id for server in servers}


def test_without_a_journal_records_and_samples_tell(nova):
    recording, servers = moved(replace(nova, journal=None))
    assert recording.journal is None
    assert {record.server for record in recording.records if record.status == "completed"} == {s.id for s in servers}
    assert len(in_flight(recording).flights) == 3


def test_a_recording_cannot_be_asked_while_it_runs(nova):
    with (
        nova_recording(nova, "node-1", every=OFTEN) as recorded,
        pytest.raises(NotEnoughEvidence, match="still running"),
    ):
        _ = recorded.recording
    assert recorded.recording.records == ()


def test_a_block_that_fails_leaves_its_recording(nova):
    kept = []

    def fail():
        with nova_recording(nova, "node-1", every=OFTEN) as recorded:
            kept.append(recorded)
            raise RuntimeError("the test went wrong")

    with pytest.raises(RuntimeError, match="went wrong"):
        fail()
    assert kept[0].recording.ended >= kept[0].recording.started


def test_a_journal_that_cannot_be_read_is_told(nova, live):
    recording, _ = moved(replace(nova, journal=f"{live.url}/lab/diary"), count=1)
    assert recording.journal is None
    (blind,) = recording.blind
    assert blind.what == "journal"
    assert blind.reason


def test_what_cannot_be_seen_at_the_start_is_an_error(nova, monkeypatch):
    def away(*_, **__):
        raise NotFound("there is no such host", next_step="", code=404)

    monkeypatch.setattr(type(nova.servers), "listing", away)
    with pytest.raises(NotFound, match="no such host"), nova_recording(nova, "node-1", every=OFTEN):
        pytest.fail("it began")
