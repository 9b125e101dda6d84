"""Guests of servers on a lab's cloud that beat on their consoles, through moves, boots and silence."""

from dataclasses import replace

import pytest

from lab.openstack.refusals import RefusalError
from utilities.errors import Blocked, NotEnoughEvidence
from utilities.nova.heartbeats import beating, heard
from utilities.nova.templates import Wanted, chosen


@pytest.fixture
def makers(servers, cloud):
    """Servers whose guests beat."""
    return replace(servers, template=beating(chosen(cloud, wanted=Wanted(config_drive=True))))


@pytest.fixture
def server(makers):
    with makers.created("vm", on="node-1") as (made,):
        yield made


def test_a_guest_that_is_moved_goes_on(nova, makers, server):
    with heard(makers, server) as guest:
        nova.migrations.live_migrate(server).wait("completed")
    assert guest.continuity.unbroken, guest.story()
    assert makers.get(server).host != "node-1"
    assert 1.0 <= guest.continuity.downtime < 10.0
    assert guest.console.startswith("heartbeat"), "the target begins a log of its own"


def test_a_guest_that_boots_anew_does_not(makers, server):
    with heard(makers, server) as guest:
        makers.act(server, {"reboot": {"type": "HARD"}})
        makers.wait_status(server, "ACTIVE")
    assert guest.continuity.problems == ("no heartbeat came after the move",)
    assert "login:" in guest.story()


def test_nor_does_one_that_is_off(makers, server):
    with heard(makers, server) as guest:
        makers.stop(server)
    assert guest.continuity.problems == ("no heartbeat came after the move",)


def test_a_guest_that_does_not_beat_proves_nothing(servers):
    with servers.created("vm", on="node-1") as (server,), heard(servers, server) as guest:
        pass
    with pytest.raises(NotEnoughEvidence, match="no heartbeat on the console before the move"):
        _ = guest.continuity


def test_a_cloud_without_consoles_blocks_who_asks_and_nobody_else(makers, server, live, monkeypatch):
    def refuse(_server_id):
        raise RefusalError(501, "Unable to get console log, functionality not implemented")

    monkeypatch.setattr(live.cloud.guests, "console", refuse)
    with heard(makers, server) as guest:
        pass
    with pytest.raises(Blocked, match=f"the cloud serves no console of {server.name}: Unable to get console log"):
        _ = guest.continuity


def test_a_block_that_fails_leaves_no_verdict(makers, server):
    def fail():
        with heard(makers, server) as seen:
            taken.append(seen)
            raise RuntimeError("the move failed")

    taken = []
    with pytest.raises(RuntimeError, match="the move failed"):
        fail()
    with pytest.raises(NotEnoughEvidence, match="nobody listened afterwards"):
        _ = taken[0].continuity
