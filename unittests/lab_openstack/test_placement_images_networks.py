"""Placement, images and networks on the wire (openstack sheet §1, §9)."""

from unittests.lab_openstack.live import Client


def provider(admin, name="node-1.lab.internal") -> dict:
    return admin.placement("GET", f"/resource_providers?name={name}").json["resource_providers"][0]


def error(answer) -> dict:
    return answer.json["errors"][0]


def test_the_version_document_is_open(live):
    (version,) = Client(live.url).send("GET", "/placement/").json["versions"]
    assert (version["min_version"], version["max_version"]) == ("1.0", "1.39")


def test_providers(live, admin):
    found = provider(admin)
    assert found["uuid"] == live.cloud.state.hosts["node-1"].hypervisor_id
    assert found["root_provider_uuid"] == found["uuid"]
    assert found["parent_provider_uuid"] is None
    shown = admin.placement("GET", f"/resource_providers/{found['uuid']}")
    assert shown.json == found
    assert shown.headers["openstack-api-version"] == "placement 1.39"
    assert "root_provider_uuid" not in admin.placement("GET", f"/resource_providers/{found['uuid']}",
                                                       version="1.13").json  # fmt: skip
    assert len(admin.placement("GET", "/resource_providers").json["resource_providers"]) == 3
    required = admin.placement("GET", "/resource_providers?required=!CUSTOM_X").json["resource_providers"]
    assert len(required) == 3
    assert admin.placement("GET", f"/resource_providers?in_tree={found['uuid']}&required=CUSTOM_X").json == {
        "resource_providers": []
    }


def test_what_is_allocated(live, admin):
    uuid, server = provider(admin)["uuid"], live.server_id("vm-1")
    assert admin.placement("GET", f"/resource_providers/{uuid}/usages").json["usages"] == {
        "VCPU": 8, "MEMORY_MB": 16384, "DISK_GB": 0,
    }  # fmt: skip
    inventory = admin.placement("GET", f"/resource_providers/{uuid}/inventories").json["inventories"]["VCPU"]
    assert (inventory["total"], inventory["allocation_ratio"]) == (64, 4.0)
    held = admin.placement("GET", f"/allocations/{server}").json
    assert held["allocations"][uuid]["resources"] == {"VCPU": 2, "MEMORY_MB": 4096}
    assert (held["consumer_type"], held["consumer_generation"]) == ("INSTANCE", 1)
    everybody = admin.placement("GET", f"/resource_providers/{uuid}/allocations").json["allocations"]
    assert len(everybody) == 4
    assert everybody[server]["consumer_generation"] == 1
    unknown = "00000000-0000-4000-8000-000000000000"
    assert admin.placement("GET", f"/allocations/{unknown}").json == {"allocations": {}}
    assert admin.placement("DELETE", f"/allocations/{unknown}").status == 404
    assert admin.placement("DELETE", f"/allocations/{server}").status == 204
    assert admin.placement("GET", f"/allocations/{server}").json == {"allocations": {}}


def test_in_flight_both_hosts_are_used(live, admin):
    server = live.server_id("vm-1")
    before = provider(admin)["generation"]
    admin.act(server, {"os-migrateLive": {"host": "node-3", "block_migration": False}})
    live.advance(3)
    record = live.cloud.state.record(1)
    held = admin.placement("GET", f"/allocations/{record.uuid}").json
    assert (list(held["allocations"]), held["consumer_type"]) == ([provider(admin)["uuid"]], "MIGRATION")
    target = provider(admin, "node-3.lab.internal")["uuid"]
    assert list(admin.placement("GET", f"/allocations/{server}").json["allocations"]) == [target]
    live.advance(60)
    assert admin.placement("GET", f"/allocations/{record.uuid}").json == {"allocations": {}}
    assert provider(admin)["generation"] > before


def test_traits_conflict_on_an_old_generation(admin):
    uuid = provider(admin)["uuid"]
    path = f"/resource_providers/{uuid}/traits"
    before = admin.placement("GET", path).json
    body = {**before, "traits": sorted([*before["traits"], "CUSTOM_BIG"])}
    refused = admin.placement("PUT", path, body)
    assert (refused.status, "No such trait CUSTOM_BIG" in error(refused)["detail"]) == (400, True)
    assert admin.placement("PUT", "/traits/CUSTOM_BIG").status == 201
    assert admin.placement("PUT", "/traits/CUSTOM_BIG").status == 204
    assert admin.placement("PUT", "/traits/BIG").status == 400
    changed = admin.placement("PUT", path, body)
    assert changed.status == 200
    generation = before["resource_provider_generation"] + 1
    assert changed.json == {"traits": body["traits"], "resource_provider_generation": generation}
    conflict = admin.placement("PUT", path, body)
    assert (conflict.status, error(conflict)["code"]) == (409, "placement.concurrent_update")
    assert "Resource provider's generation already changed." in error(conflict)["detail"]
    for bad in ({}, {"traits": [], "resource_provider_generation": "x"}):
        assert admin.placement("PUT", path, bad).status == 400
    assert admin.placement("GET", "/traits/CUSTOM_BIG").status == 204
    assert admin.placement("GET", "/traits/CUSTOM_SMALL").status == 404
    assert admin.placement("GET", "/traits?name=startswith:CUSTOM_").json == {"traits": ["CUSTOM_BIG"]}
    assert admin.placement("GET", path, version="1.5").status == 404


def test_custom_traits_are_forgotten_once_no_provider_has_them(admin):
    path = f"/resource_providers/{provider(admin)['uuid']}/traits"
    before = admin.placement("GET", path).json
    admin.placement("PUT", "/traits/CUSTOM_BIG")
    held = admin.placement("PUT", path, {**before, "traits": [*before["traits"], "CUSTOM_BIG"]}).json
    assert admin.placement("DELETE", "/traits/CUSTOM_BIG").status == 409
    admin.placement("PUT", path, {**held, "traits": before["traits"]})
    assert admin.placement("DELETE", "/traits/CUSTOM_BIG").status == 204
    assert admin.placement("DELETE", "/traits/CUSTOM_BIG").status == 404
    assert admin.placement("DELETE", "/traits/COMPUTE_NODE").status == 400


def test_a_provider_in_use_stays(admin):
    used = admin.placement("DELETE", f"/resource_providers/{provider(admin)['uuid']}")
    assert (used.status, error(used)["code"]) == (409, "placement.resource_provider.inuse")
    empty = provider(admin, "node-3.lab.internal")["uuid"]
    assert admin.placement("DELETE", f"/resource_providers/{empty}").status == 204
    gone = admin.placement("GET", f"/resource_providers/{empty}")
    assert (gone.status, error(gone)["status"], error(gone)["title"]) == (404, 404, "Not Found")


def test_placement_refuses(admin, demo):
    assert error(demo.placement("GET", "/resource_providers"))["status"] == 403
    assert admin.placement("GET", "/resource_providers", version="1.99").status == 406
    assert admin.placement("GET", "/resource_providers?member_of=x").status == 501
    assert error(admin.placement("GET", "/allocation_candidates"))["title"] == "Not Implemented"


def test_images(live, admin):
    (found,) = admin.send("GET", "/image/v2/images?name=cirros-kvm").json["images"]
    assert admin.send("GET", f"/image/v2/images/{found['id']}").json["name"] == "cirros-kvm"
    assert Client(live.url).send("GET", "/image/").status == 300
    missing = admin.send("GET", "/image/v2/images/x")
    assert missing.status == 404
    assert missing.headers["content-type"].startswith("text/html")
    assert b"No image found with ID x" in missing.body
    assert admin.send("GET", "/image/v2/tasks").status == 501
    assert admin.send("GET", "/image/v2/images?os_hidden=true").status == 501


def test_networks(live, admin):
    found = admin.send("GET", "/network/v2.0/networks?shared=false").json["networks"]
    assert [(one["name"], one["shared"]) for one in found] == [("private", False)]
    assert admin.send("GET", f"/network/v2.0/networks/{found[0]['id']}").json["network"]["status"] == "ACTIVE"
    assert Client(live.url).send("GET", "/network/").json["versions"][0]["id"] == "v2.0"
    answer = admin.send("GET", "/network/v2.0/networks/x")
    assert (answer.status, answer.json["NeutronError"]["message"]) == (404, "Network x could not be found.")
    answer = admin.send("GET", "/network/v2.0/ports")
    assert (answer.status, answer.json["NeutronError"]["type"]) == (501, "NotImplementedError")
    assert admin.send("GET", "/network/v2.0/networks?mtu=1").status == 501
