"""What a run can leave behind on a cloud is seen, and nothing else."""

from utilities.kubevirt.inventory import left_since
from utilities.nova.inventory import inventory


def test_servers_disabled_services_and_traits_are_seen_until_they_are_gone(nova):
    before = inventory(nova)
    host = nova.hosts.named("node-2")
    with nova.servers.created("vm", on="node-1"), nova.hosts.disabled("node-2"), nova.traits.added(host, "CUSTOM_A"):
        assert [str(item) for item in left_since(before, inventory(nova))] == [
            "disabled compute service node-2",
            "server migration-plans-run-1-vm-1",
            "trait CUSTOM_A",
            "trait node-2/CUSTOM_A",
        ]
    assert inventory(nova) == before
