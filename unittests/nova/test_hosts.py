"""Compute hosts and their traits: seen, changed for a block, and as before afterwards."""

import pytest

from utilities.errors import NotFound, UndoFailed, WaitTimeout
from utilities.nova.undoing import undone
from utilities.reversible import UNWRITTEN, Entry


def test_hosts_are_seen_with_their_servers(nova):
    with nova.servers.created("vm", on="node-2") as (server,):
        host = nova.hosts.named("node-2")
        assert (host.hypervisor, host.enabled, host.up) == ("node-2.lab.internal", True, True)
        assert host.servers == {server.id: server.name}
    assert [host.name for host in nova.hosts.all()] == ["node-1", "node-2", "node-3"]
    with pytest.raises(NotFound, match="no compute host node-9"):
        nova.hosts.named("node-9")


def test_a_service_is_disabled_for_a_block(nova):
    with nova.hosts.disabled("node-1") as host:
        assert host.state == "disabled (migration test plans), up, 0 servers"
        with nova.hosts.disabled("node-1", "twice"):
            assert nova.hosts.named("node-1").disabled_reason == "twice"
        assert nova.hosts.named("node-1").disabled_reason == "migration test plans"
        with pytest.raises(WaitTimeout, match="compute host node-1: not enabled within 5 s; last seen disabled"):
            nova.hosts.wait("node-1", lambda host: host.enabled, expecting="enabled", within=5)
    assert nova.hosts.named("node-1").enabled


def test_traits_are_added_for_a_block(nova):
    host = nova.hosts.named("node-1")
    before = nova.traits.of(host)
    with nova.traits.added(host, "CUSTOM_A", "COMPUTE_NODE"):
        assert nova.traits.of(host) == before | {"CUSTOM_A"}
        with nova.hosts.disabled("node-1"):
            assert "COMPUTE_STATUS_DISABLED" in nova.traits.of(host)
    assert nova.traits.of(host) == before
    assert "CUSTOM_A" not in nova.cloud.placement("GET", "/traits")["traits"]


def test_a_trait_that_is_in_use_stays_known(nova):
    host = nova.hosts.named("node-1")
    with nova.traits.known("CUSTOM_A"), nova.traits.added(host, "CUSTOM_B"):
        provider = nova.cloud.placement("GET", f"/resource_providers/{host.hypervisor_id}/traits")
        provider["traits"].append("CUSTOM_A")
        nova.cloud.placement("PUT", f"/resource_providers/{host.hypervisor_id}/traits", body=provider)
    assert {"CUSTOM_A"} == {one for one in nova.cloud.placement("GET", "/traits")["traits"] if "CUSTOM" in one}


def test_what_cannot_be_undone_is_told():
    def fail():
        raise NotFound("it is away", next_step="", code=404)

    def block(error=None):
        with undone(fail, Entry("thing", {}, "the thing as it was"), UNWRITTEN):
            if error:
                raise error

    with pytest.raises(UndoFailed, match="not taken back: the thing as it was: it is away"):
        block()
    error = RuntimeError("the block failed")
    with pytest.raises(RuntimeError):
        block(error)
    assert error.__notes__ == ["not taken back: the thing as it was: it is away"]
