"""Servers on a lab's cloud: made in every state, waited for, and gone when their context ends."""

from dataclasses import replace

import pytest

from utilities.errors import GoalLost, NotFound, SiteError, UndoFailed, WaitTimeout
from utilities.nova.server import State
from utilities.nova.servers import Servers
from utilities.nova.templates import Wanted, chosen


@pytest.mark.parametrize("state", list(State))
def test_servers_are_made_in_a_state_on_a_host(servers, state):
    with servers.created("vm", on="node-2", count=2, state=state) as made:
        assert [(server.status, server.task_state, server.host) for server in made] == [(state, None, "node-2")] * 2
        assert {server.name for server in made} == {"migration-plans-run-1-vm-1", "migration-plans-run-1-vm-2"}
        assert [server.name for server in servers.on_host("node-2")] == [server.name for server in servers.of_run()]
    assert servers.of_run() == ()


def test_servers_are_deleted_wherever_they_are_when_the_block_fails(servers):
    def fail():
        with servers.created("vm", on="node-1"):
            raise RuntimeError("the test went wrong")

    with pytest.raises(RuntimeError, match="went wrong"):
        fail()
    assert servers.of_run() == ()


def test_a_server_of_another_run_is_left_alone(servers, cloud, polls):
    other = Servers(cloud, polls, servers.timeouts, "run-2")
    with other.created("vm", on="node-1") as (kept,):
        with servers.created("vm", on="node-1"):
            assert len(servers.of_run()) == 1
        assert other.get(kept).status == "ACTIVE"


def test_a_server_that_cannot_be_built_is_a_lost_goal_and_goes(servers, live):
    live.call(lambda: live.cloud.services.force_down(live.cloud.state.hosts["node-1"], True))

    def build():
        with servers.created("vm", on="node-1"):
            pytest.fail("it was built")

    with pytest.raises(GoalLost, match="migration-plans-run-1-vm-1 is ERROR on no host"):
        build()
    assert servers.of_run() == ()


def test_a_created_server_whose_reply_was_lost_is_deleted_too(servers, monkeypatch):
    send = servers._create

    def lost(*arguments):
        send(*arguments)
        raise NotFound("lost", next_step="", code=404)

    monkeypatch.setattr(Servers, "_create", lambda _, *arguments: lost(*arguments))

    def create():
        with servers.created("vm", on="node-1"):
            pytest.fail("it was answered")

    with pytest.raises(NotFound, match="lost"):
        create()
    assert servers.of_run() == ()


def test_states_are_changed_and_waited_for(servers):
    with servers.created("vm", on="node-1") as (server,):
        servers.stop(server)
        assert servers.get(server).power_state == 4
        servers.start(server)
        servers.pause(server)
        servers.unpause(server)
        servers.break_(server)
        with pytest.raises(GoalLost, match="it is ERROR on node-1, waiting for SHUTOFF"):
            servers.wait_status(server, "SHUTOFF")
        servers.repair(server)
        assert servers.get(server).status == "ACTIVE"


def test_deleting_is_seen_and_waited_for(servers):
    with servers.created("vm", on="node-1") as (server,):
        servers.delete(server)
        assert servers.get(server).task_state == "deleting"
        servers.wait_gone(server)
        assert servers.find(server) is None
        servers.delete(server)
        with pytest.raises(GoalLost, match="it is gone"):
            servers.wait_status(server, "ACTIVE")


def test_a_wait_says_what_it_saw(servers):
    words = "server migration-plans-run-1-vm-1: not moved off node-1 within 30 s; last seen ACTIVE on node-1"
    with servers.created("vm", on="node-1") as (server,), pytest.raises(WaitTimeout, match=words):
        servers.wait_off(server, "node-1", within=30)


def test_servers_that_do_not_go_are_told(servers, monkeypatch):
    class Short:
        server_built = server_changed = 300
        server_deleted = 0

    impatient = Servers(servers.cloud, servers.polls, Short(), "run-3")

    def leave():
        with impatient.created("vm", on="node-1"):
            pass

    with pytest.raises(
        UndoFailed, match=r"not taken back: servers .*: deleted: 1 servers: not all gone within 0 s; last seen 1 left"
    ):
        leave()


def test_servers_are_made_of_another_template(servers, live):
    template = replace(chosen(servers.cloud, ram=8192), volume=None, metadata={"lab:deletion_takes": "90"})
    large = replace(servers, template=template)
    with large.created("large", on="node-1") as (server,):
        made = live.cloud.state.server(server.id)
        assert (made.flavor.ram, made.disk) == (16384, "local")
        servers.delete(server)
        live.advance(80)
        assert servers.get(server).task_state == "deleting"
        live.advance(20)
        assert servers.find(server) is None


def test_a_cloud_without_a_flavor_that_is_large_enough(cloud):
    with pytest.raises(SiteError, match="no flavor with 1048576 MiB for image"):
        chosen(cloud, ram=1 << 20)


@pytest.mark.parametrize("drive", [False, True])
def test_user_data_comes_on_a_drive_where_the_site_wants_that(cloud, servers, live, drive):
    template = replace(chosen(cloud, wanted=Wanted(config_drive=drive)), user_data="#!/bin/sh\n")
    with replace(servers, template=template).created("vm", on="node-1") as (server,):
        assert live.cloud.state.server(server.id).config_drive is drive


def test_a_server_without_user_data_needs_no_drive(cloud):
    assert "config_drive" not in chosen(cloud, wanted=Wanted(config_drive=True)).body()


def test_what_the_site_wants_servers_to_be_made_of(cloud, servers, live):
    network = live.cloud.media.networks[0].id
    wanted = Wanted("m1.medium", "cirros-kvm", network)
    assert chosen(cloud, wanted=wanted).flavor == "3"
    assert chosen(cloud, ram=8192, wanted=wanted).flavor == "5"
    with replace(servers, wanted=wanted).created("vm", on="node-1") as (server,):
        assert live.cloud.state.server(server.id).flavor.name == "m1.medium"
        assert live.cloud.state.server(server.id).addresses
    with pytest.raises(SiteError, match=r"no flavor is called m1\.huge"):
        chosen(cloud, wanted=Wanted(flavor="m1.huge"))
    with pytest.raises(SiteError, match="no active image is called windows"):
        chosen(cloud, wanted=Wanted(image="windows"))
