"""Where servers go: filters, capacity, groups; what Placement holds (openstack sheet §5, §8, §9)."""

import pytest

from lab.openstack.compute.scheduling import Wish
from lab.openstack.placement.providers import Allocation
from lab.openstack.refusals import RefusalError
from lab.openstack.shape import GroupShape, HostShape, ServerShape
from unittests.lab_openstack.bed import Bed


def choice(bed: Bed, name: str = "vm", **wish) -> str | None:
    found = bed.cloud.moves._parts.scheduler.choose(Wish(bed.vm(name), **wish))
    return found.host.name if found.host is not None else None


def test_the_emptiest_host_is_taken_then_the_first_by_name():
    bed = Bed()
    assert choice(bed, exclude=frozenset({"node-1"})) == "node-2"
    provider = bed.cloud.state.hosts["node-2"].hypervisor_id
    bed.cloud.inventories.allocate(Allocation("x", {provider: {"MEMORY_MB": 100}}, "p", "u"))
    assert choice(bed, exclude=frozenset({"node-1"})) == "node-3"


def test_disabled_down_and_full_hosts_are_not_taken():
    bed = Bed()
    hosts = bed.cloud.state.hosts
    bed.cloud.services.disable(hosts["node-1"], "maintenance")
    bed.cloud.services.set_up(hosts["node-2"], False)
    assert choice(bed) == "node-3"
    provider = hosts["node-3"].hypervisor_id
    room = bed.cloud.inventories.provider(provider).inventories["MEMORY_MB"].capacity
    bed.cloud.inventories.allocate(Allocation("x", {provider: {"MEMORY_MB": room - 4095}}, "p", "u"))
    assert choice(bed) is None


def test_disabling_sets_a_trait_and_moves_the_generation():
    bed = Bed()
    host = bed.cloud.state.hosts["node-1"]
    before = bed.cloud.inventories.provider(host.hypervisor_id)
    bed.cloud.services.disable(host, "why")
    after = bed.cloud.inventories.provider(host.hypervisor_id)
    assert after.traits - before.traits == {"COMPUTE_STATUS_DISABLED"}
    assert after.generation == before.generation + 1
    bed.cloud.services.enable(bed.cloud.state.hosts["node-1"])
    assert bed.cloud.inventories.provider(host.hypervisor_id).traits == before.traits
    assert bed.cloud.state.hosts["node-1"].disabled_reason is None


@pytest.mark.parametrize(("policy", "expected"), [("anti-affinity", "node-3"), ("affinity", "node-2")])
def test_groups(policy, expected):
    servers = tuple(ServerShape(name=name, host=host, group="g") for name, host in (("a", "node-1"), ("b", "node-2")))
    bed = Bed(0, shape={"groups": (GroupShape(name="g", policy=policy),), "servers": servers})
    assert choice(bed, "a", exclude=frozenset({"node-1"})) == expected


def test_anti_affinity_with_too_few_hosts_gives_no_valid_host():
    servers = tuple(ServerShape(name=f"g{number}", host=f"node-{number}", group="g") for number in (1, 2, 3))
    bed = Bed(0, shape={"groups": (GroupShape(name="g", policy="anti-affinity"),), "servers": servers})
    bed.live("g1")
    bed.until("error", "g1")
    bed.cloud.verbs.delete(bed.vm("g2"), bed.caller())
    bed.clock.advance(10)
    bed.live("g1")
    assert bed.until("completed", "g1").dest_compute == "node-2"


def test_placement_holds_what_servers_hold():
    bed = Bed(3)
    provider = bed.cloud.state.hosts["node-1"].hypervisor_id
    assert bed.cloud.inventories.usages(provider) == {"VCPU": 6, "MEMORY_MB": 12288, "DISK_GB": 0}
    assert len(bed.cloud.inventories.of_provider(provider)) == 3


def test_traits_need_the_present_generation_and_to_be_known():
    inventories = Bed().cloud.inventories
    provider = next(iter(inventories))
    with pytest.raises(RefusalError) as refusal:
        inventories.set_traits(provider.uuid, ["CUSTOM_X"], provider.generation)
    assert (refusal.value.status, refusal.value.message) == (400, "No such trait CUSTOM_X")
    assert inventories.know("CUSTOM_X") is True
    assert inventories.know("CUSTOM_X") is False
    changed = inventories.set_traits(provider.uuid, ["CUSTOM_X"], provider.generation)
    assert (changed.traits, changed.generation) == ({"CUSTOM_X"}, provider.generation + 1)
    with pytest.raises(RefusalError) as refusal:
        inventories.set_traits(provider.uuid, [], provider.generation)
    assert (refusal.value.status, refusal.value.code) == (409, "placement.concurrent_update")
    with pytest.raises(RefusalError, match="The trait is invalid"):
        inventories.know("custom_x")


def test_a_service_in_use_is_not_deleted():
    bed = Bed()
    hosts = bed.cloud.state.hosts
    with pytest.raises(RefusalError, match="that is hosting instances"):
        bed.cloud.services.delete(hosts["node-1"])
    bed.live(host="node-2")
    bed.until("running")
    with pytest.raises(RefusalError, match="that has in-progress migrations"):
        bed.cloud.services.delete(hosts["node-2"])
    bed.until("completed")
    bed.cloud.services.delete(hosts["node-1"])
    assert "node-1" not in hosts


def test_a_zone_is_kept():
    hosts = (HostShape(name="node-1"), HostShape(name="node-2", zone="other"))
    bed = Bed(shape={"hosts": hosts})
    bed.cloud.state.change_server(bed.vm().id, {"zone": "other"})
    assert choice(bed) == "node-2"
