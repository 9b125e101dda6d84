"""Looking again and again: every record and every departure is seen, whatever the pace, and blindness is told."""

import random
from contextlib import ExitStack, suppress

import pytest

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.openstack.http.requests import REQUESTS, Treatment
from lab.openstack.refusals import RefusalError
from lab.openstack.shape import CloudShape, HostShape, NovaOptions, ServerShape
from utilities.errors import ApiError, Conflict
from utilities.nova import Nova, State, connect_cloud
from utilities.nova.sampling import Sampler

from ..lab_openstack.live import LiveCloud


@pytest.fixture
def sampler(nova):
    return Sampler(nova.servers, nova.migrations, ["node-1"])


def opened(stack, shape, directory, faults=None):
    """A cloud of that shape, and its nouns, without waits."""
    live = stack.enter_context(LiveCloud(shape, directory=directory, faults=faults))
    cloud = stack.enter_context(connect_cloud(live.clouds_yaml, "lab", request_timeout=20))
    return live, Nova.of(cloud, None, None, run="run-1")


def statuses(sampler, server):
    return [record.status for record in sampler.records if record.server == server.id]


def test_a_migration_is_seen_from_its_first_status_to_its_end(nova, sampler, live):
    with nova.servers.created("vm", on="node-1") as (server,):
        sampler.first_look()
        assert (sampler.records, len(sampler.samples)) == ([], 1)
        nova.migrations.live_migrate(server)
        for _ in range(40):
            live.advance(0.5)
            sampler.look()
        found = statuses(sampler, server)
        assert list(dict.fromkeys(found)) == ["accepted", "preparing", "running", "completed"]
        assert found.count("completed") == 1
        seen = [(sample.status, sample.task_state) for sample in sampler.samples]
        assert ("MIGRATING", "migrating") in seen
        assert (sampler.samples[-1].status, sampler.samples[-1].host) != ("ACTIVE", "node-1")


def test_servers_that_have_arrived_elsewhere_are_not_looked_at_for_ever(nova, sampler, live):
    with nova.servers.created("vm", on="node-1") as (server,):
        sampler.first_look()
        nova.migrations.live_migrate(server).wait("completed")
        for _ in range(3):
            live.advance(1)
            sampler.look()
        assert [sample.host == "node-1" for sample in sampler.samples] == [True, False]


def test_a_server_that_waits_for_confirmation_is_looked_at_until_it_has_it(nova, sampler):
    with nova.servers.created("vm", on="node-1", state=State.STOPPED) as (server,):
        sampler.first_look()
        attempt = nova.migrations.migrate(server)
        attempt.wait("finished")
        for _ in range(2):
            sampler.look()
        nova.migrations.confirm(server)
        attempt.wait("confirmed")
        nova.servers.wait_status(server, "SHUTOFF")
        for _ in range(2):
            sampler.look()
        assert [sample.status for sample in sampler.samples] == ["SHUTOFF", "VERIFY_RESIZE", "VERIFY_RESIZE", "SHUTOFF"]


def test_a_server_that_goes_is_seen_going(nova, sampler):
    with nova.servers.created("vm", on="node-1") as (server,):
        sampler.first_look()
        nova.servers.delete(server)
        sampler.look()
        nova.servers.wait_gone(server)
        sampler.look()
        sampler.look()
        assert [(sample.task_state, sample.gone) for sample in sampler.samples] == [
            (None, False), ("deleting", False), (None, True),
        ]  # fmt: skip


def test_records_of_many_attempts_are_seen_although_pages_are_short(tmp_path):
    servers = (ServerShape(name="vm", count=12, host="node-1", project="admin"),)
    shape = CloudShape(
        hosts=tuple(HostShape(name=f"node-{number}") for number in (1, 2)),
        servers=servers,
        nova=NovaOptions(max_limit=5, max_concurrent_live_migrations=4),
        token_lifetime=1e9,
    )
    with ExitStack() as stack:
        live, nova = opened(stack, shape, tmp_path)
        sampler = Sampler(nova.servers, nova.migrations, ["node-1"])
        sampler.first_look()
        for server in nova.servers.on_host("node-1"):
            nova.migrations.live_migrate(server)
        live.advance(1)
        sampler.look()
        assert len({record.uuid for record in sampler.records}) == 12
        live.advance(600)
        sampler.look()
        assert sum(record.status == "completed" for record in sampler.records) == 12
        before = len(sampler.records)
        live.advance(600)
        sampler.look()
        assert len(sampler.records) == before


def refusing(path):
    """No answer but 503 to GETs of a path, while the switch is on."""
    switch = []
    busy = RefusalError(503, "busy")
    row = Row("busy", lambda asked: bool(switch) and path in asked.path, says(Treatment(refusal=busy)))
    return switch, Faults({REQUESTS.name: (row,)})


@pytest.mark.parametrize(("path", "what"), [("/os-migrations", "migrations"), ("/servers/detail", "servers")])
def test_what_is_not_answered_is_a_blind_time(tmp_path, path, what):
    switch, faults = refusing(path)
    shape = CloudShape(hosts=(HostShape(name="node-1"),), token_lifetime=1e9)
    with ExitStack() as stack:
        live, nova = opened(stack, shape, tmp_path, faults)
        sampler = Sampler(nova.servers, nova.migrations, ["node-1"])
        sampler.first_look()
        begun = sampler.seen
        assert sampler.blind == ()
        switch.append(True)
        live.advance(10)
        sampler.look()
        (blind,) = sampler.blind
        assert (blind.what, blind.since, blind.until) == (what, pytest.approx(begun, abs=1), float("inf"))
        assert "busy" in blind.reason
        with pytest.raises(ApiError, match="busy"):
            sampler.first_look()
        switch.clear()
        live.advance(10)
        sampler.look()
        (blind,) = sampler.blind
        assert blind.until == pytest.approx(live.clock.now(), abs=2)
        assert sampler.seen == pytest.approx(live.clock.now(), abs=2)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_at_whatever_pace_every_record_is_known_in_the_end(tmp_path, seed):
    draw = random.Random(seed)
    switch, faults = refusing("/os-migrations")
    hosts = tuple(HostShape(name=f"node-{number}") for number in (1, 2, 3))
    servers = (ServerShape(name="vm", count=6, host="node-1", project="admin"),)
    options = NovaOptions(max_limit=draw.choice((2, 3, 1000)), max_concurrent_live_migrations=4)
    slow = 4 * 2**30 // 90  # a migration takes longer than the time that a look goes back
    shape = CloudShape(hosts=hosts, servers=servers, nova=options, migration_bandwidth=slow, token_lifetime=1e9)
    with ExitStack() as stack:
        live, nova = opened(stack, shape, tmp_path, faults)
        sampler = Sampler(nova.servers, nova.migrations, ["node-1"])
        sampler.first_look()
        everyone = nova.servers.listing().servers
        for _ in range(40):
            with suppress(Conflict):
                nova.servers.act(draw.choice(everyone), {"os-migrateLive": {"host": None, "block_migration": False}})
            if draw.random() < 0.5:
                sampler.look()
            switch[:] = [True] if draw.random() < 0.2 else []
            live.advance(draw.choice((0.1, 1.0, 7.0, 60.0)))
        switch.clear()
        live.advance(600)
        for server in everyone:
            nova.servers.act(server, {"os-migrateLive": {"host": None, "block_migration": False}})
        live.advance(0.35)  # there are records, which have not been updated yet
        sampler.look()
        actual = [one for one in live.cloud.state.records() if "node-1" in (one.source_compute, one.dest_compute)]
        assert len(actual) > 5
        last = {record.uuid: record.status for record in sampler.records}
        assert last == {one.uuid: one.status for one in actual}
