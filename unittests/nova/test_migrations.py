"""Migrations as an administrator asks for them, and their records."""

import pytest

from utilities.errors import ApiError, Conflict, GoalLost
from utilities.nova import State


@pytest.fixture
def server(nova):
    with nova.servers.created("vm", on="node-1") as (server,):
        yield server


def test_a_live_migration_leaves_a_record_and_moves_the_server(nova, server):
    record = nova.migrations.live_migrate(server, to="node-2").wait("completed")
    assert (record.server, record.kind, record.source, record.target) == (
        server.id,
        "live-migration",
        "node-1",
        "node-2",
    )
    assert record.final
    assert record.created < (record.updated or 0)
    assert nova.servers.wait_off(server, "node-1").host == "node-2"
    assert [one.id for one in nova.migrations.of_server(server)] == [record.id]


def test_records_of_a_host_are_those_out_of_it_and_into_it(nova, server):
    first = nova.migrations.live_migrate(server, to="node-2").wait()
    second = nova.migrations.live_migrate(server, to="node-3").wait()
    assert [one.id for one in nova.migrations.of_host("node-2")] == [first.id, second.id]
    assert [one.id for one in nova.migrations.of_host("node-2", since=second.created)] == [second.id]


def test_a_migration_is_aborted(nova, server):
    attempt = nova.migrations.live_migrate(server)
    nova.migrations.abort(attempt.wait("running", "preparing", "queued"))
    with pytest.raises(GoalLost, match="it ended cancelled, waiting for completed"):
        attempt.wait("completed")
    assert nova.servers.get(server).host == "node-1"


def test_a_running_migration_is_forced_to_complete(nova, server):
    attempt = nova.migrations.live_migrate(server)
    nova.migrations.force_complete(attempt.wait("running"))
    assert attempt.wait().status == "completed"


def test_refusals_are_novas_words(nova, server):
    with pytest.raises(ApiError, match="nowhere could not be found"):
        nova.migrations.migrate(server, to="nowhere")
    nova.migrations.live_migrate(server)
    with pytest.raises(Conflict, match="while it is in task_state migrating"):
        nova.migrations.live_migrate(server)


def test_a_stopped_server_moves_cold_and_is_confirmed_or_reverted(nova):
    with nova.servers.created("off", on="node-1", count=2, state=State.STOPPED) as (stays, goes):
        attempts = [nova.migrations.migrate(server) for server in (stays, goes)]
        for attempt in attempts:
            attempt.wait("finished")
        nova.migrations.revert(stays)
        nova.migrations.confirm(goes)
        assert [attempt.wait().status for attempt in attempts] == ["reverted", "confirmed"]
        assert nova.servers.wait_status(goes, "SHUTOFF").host != "node-1"
        assert nova.servers.wait_status(stays, "SHUTOFF").host == "node-1"
