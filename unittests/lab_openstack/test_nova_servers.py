"""Servers on the wire: fields, lists, pages, who sees what (openstack sheet §3)."""

import re

import pytest

from lab.openstack.shape import CloudShape, HostShape, NovaOptions, ServerShape
from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import LiveCloud

PREFIX = "OS-EXT-SRV-ATTR:"


def names(answer) -> list[str]:
    return [server["name"] for server in answer.json["servers"]]


def test_a_server_at_2_90_as_an_admin_sees_it(live, admin):
    server = admin.nova("GET", f"/servers/{live.server_id('vm-1')}").json["server"]
    assert (server["status"], server["OS-EXT-STS:vm_state"], server["OS-EXT-STS:task_state"]) == (
        "ACTIVE", "active", None,
    )  # fmt: skip
    assert server["OS-EXT-STS:power_state"] == 1
    assert (server[f"{PREFIX}host"], server[f"{PREFIX}hypervisor_hostname"]) == ("node-1", "node-1.lab.internal")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", server["created"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000", server["OS-SRV-USG:launched_at"])
    assert server["flavor"] == {
        "vcpus": 2, "ram": 4096, "disk": 40, "ephemeral": 0, "swap": 0, "original_name": "m1.medium",
        "extra_specs": {},
    }  # fmt: skip
    assert server["image"] == ""
    assert len(server["os-extended-volumes:volumes_attached"]) == 1
    assert server["addresses"]["private"][0]["version"] == 4
    assert (server["locked"], server["locked_reason"], server["host_status"]) == (False, None, "UP")
    assert (server["tags"], server["server_groups"], server["progress"]) == ([], [], 0)
    assert "fault" not in server
    assert not {"pinned_availability_zone", "scheduler_hints"} & set(server)


@pytest.mark.parametrize(
    ("version", "present", "absent"),
    [
        ("2.1", ["security_groups", f"{PREFIX}host"], ["locked", f"{PREFIX}user_data", "description"]),
        ("2.3", [f"{PREFIX}reservation_id"], ["locked"]),
        ("2.9", ["locked"], ["host_status"]),
        ("2.16", ["host_status"], ["description"]),
        ("2.26", ["description", "tags"], ["trusted_image_certificates"]),
        ("2.71", ["trusted_image_certificates", "server_groups"], ["locked_reason"]),
        ("2.73", ["locked_reason"], []),
    ],
)
def test_fields_come_with_versions(live, admin, version, present, absent):
    server = admin.nova("GET", f"/servers/{live.server_id('vm-1')}", version=version).json["server"]
    assert set(present) <= set(server)
    assert not set(absent) & set(server)
    assert ("id" in server["flavor"]) is (version in ("2.1", "2.3", "2.9", "2.16", "2.26"))


def test_a_member_sees_no_host(live, demo):
    server = demo.nova("GET", f"/servers/{live.server_id('vm-1')}").json["server"]
    assert [key for key in server if key.startswith(PREFIX)] == [f"{PREFIX}hostname"]
    assert "host_status" not in server
    assert server["hostId"]
    assert demo.nova("GET", f"/servers/{live.server_id('local')}").status == 404  # of another project


def test_a_fault_is_shown_for_error_only(live, admin):
    broken = admin.nova("GET", f"/servers/{live.server_id('broken')}").json["server"]
    assert broken["status"] == "ERROR"
    assert broken["fault"]["message"] == "Build of instance failed"
    assert broken["fault"]["created"].endswith("Z")
    assert "progress" not in broken
    assert len(broken["server_groups"]) == 1
    listed = admin.nova("GET", "/servers/detail?all_tenants=1&status=ERROR").json["servers"]
    assert "fault" in listed[0]
    assert "server_groups" not in listed[0]


def test_lists_are_of_the_project_unless_all_are_asked_for(live, admin, demo):
    assert names(admin.nova("GET", "/servers")) == ["local"]
    assert names(demo.nova("GET", "/servers")) == ["broken", "off", "vm-3", "vm-2", "vm-1"]  # newest first
    assert len(names(admin.nova("GET", "/servers/detail?all_tenants=True"))) == 6
    refused = demo.nova("GET", "/servers/detail?all_tenants=1")
    assert refused.json["forbidden"]["message"] == (
        "Policy doesn't allow os_compute_api:servers:detail:get_all_tenants to be performed."
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("host=node-2", {"broken", "local"}),
        ("node=node-1.lab.internal&status=SHUTOFF", {"off"}),
        ("name=vm-[12]", {"vm-1", "vm-2"}),
        ("vm_state=stopped", {"off"}),
        ("power_state=4", {"off"}),
        ("status=ACTIVE&status=ERROR", {"vm-1", "vm-2", "vm-3", "local", "broken"}),
        ("flavor=1", set()),
        ("flavor=3&host=node-2&status=error", {"broken"}),
        ("locked=True", set()),
        ("deleted=True", set()),
        ("task_state=migrating", set()),
    ],
)
def test_filters(admin, query, expected):
    assert set(names(admin.nova("GET", f"/servers?all_tenants=1&{query}"))) == expected


def test_active_also_finds_what_migrates(live, admin):
    server = live.server_id("vm-1")
    assert admin.act(server, {"os-migrateLive": {"host": None, "block_migration": False}}).status == 202
    for status, expected in (("ACTIVE", True), ("MIGRATING", True), ("PAUSED", False)):
        assert ("vm-1" in names(admin.nova("GET", f"/servers?all_tenants=1&status={status}"))) is expected


def test_other_filters_of_a_member_are_left_out(demo):
    assert len(names(demo.nova("GET", "/servers?host=nowhere"))) == 5


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("status=WEIRD", 400, "Invalid status value"),
        ("marker=nothing", 400, "marker [nothing] not found"),
        ("limit=-1", 400, "does not match '^[0-9]*$'"),
        ("colour=red", 400, "Additional properties are not allowed ('colour' was unexpected)"),
        ("sort_key=colour", 400, "Sort key supplied is invalid: colour"),
        ("name=(", 400, "Invalid input for query parameters name"),
        ("changes-since=yesterday", 400, "'yesterday' is not a 'date-time'"),
        ("ip=10.0", 501, "the lab does not simulate the filter ip of servers"),
    ],
)
def test_lists_refuse(admin, query, status, message):
    answer = admin.nova("GET", f"/servers?{query}")
    assert answer.status == status
    assert message in next(iter(answer.json.values()))["message"]


def test_pages_end_with_a_page_that_is_not_full(admin):
    seen, path = [], "/servers?all_tenants=1&limit=2"
    for _ in range(4):
        answer = admin.nova("GET", path)
        seen += names(answer)
        if "servers_links" not in answer.json:
            break
        (link,) = answer.json["servers_links"]
        assert link["rel"] == "next"
        path = link["href"].partition("/compute/v2.1")[2]
        assert "limit=2" in path
        assert "all_tenants=1" in path
    assert len(seen) == len(set(seen)) == 6
    assert answer.json["servers"] == []  # the last full page had a link


def test_a_page_is_never_larger_than_the_cloud_allows():
    shape = CloudShape(hosts=(HostShape(name="n"),), nova=NovaOptions(max_limit=3),
                       servers=(ServerShape(name="s", count=5, host="n"),))  # fmt: skip
    with LiveCloud(shape) as live:
        answer = live.client().nova("GET", "/servers?all_tenants=1&limit=100")
        assert len(answer.json["servers"]) == 3
        assert answer.json["servers_links"]


def test_order(admin):
    found = names(admin.nova("GET", "/servers?all_tenants=1&sort_key=display_name&sort_dir=asc"))
    assert found == sorted(found)


def test_changes_since_finds_deleted_servers_too(live, admin):
    live.advance(100)
    since = admin.nova("GET", f"/servers/{live.server_id('vm-1')}").json["server"]["updated"]
    live.advance(10)
    stamp = "2026-01-01T00:01:45Z"
    assert since < stamp
    assert admin.nova("DELETE", f"/servers/{live.server_id('vm-1')}").status == 204
    live.advance(10)
    assert names(admin.nova("GET", f"/servers?all_tenants=1&changes-since={stamp}")) == ["vm-1"]
    assert "vm-1" not in names(admin.nova("GET", f"/servers?all_tenants=1&changes-before={stamp}"))
    gone = admin.nova("GET", "/servers/detail?all_tenants=1&deleted=True").json["servers"]
    assert [(one["name"], one["status"]) for one in gone] == [("vm-1", "DELETED")]


def test_deleting(live, admin):
    server = live.server_id("vm-1")
    assert admin.nova("DELETE", f"/servers/{server}").status == 204
    shown = admin.nova("GET", f"/servers/{server}").json["server"]
    assert (shown["status"], shown["OS-EXT-STS:task_state"]) == ("ACTIVE", "deleting")
    assert admin.nova("DELETE", f"/servers/{server}").status == 204
    live.advance(5)
    assert admin.nova("GET", f"/servers/{server}").status == 404
    assert admin.nova("DELETE", f"/servers/{server}").status == 404


def test_the_test_server_of_onboarding(live, admin):
    image = admin.send("GET", "/image/v2/images?name=cirros-kvm").json["images"][0]
    network = admin.send("GET", "/network/v2.0/networks?shared=false").json["networks"][0]
    body = {"server": {
        "name": "ohooc-node-2-1", "flavorRef": "1", "availability_zone": "nova:node-2",
        "block_device_mapping_v2": [{
            "boot_index": 0, "delete_on_termination": True, "destination_type": "volume", "source_type": "image",
            "uuid": image["id"], "volume_size": 64, "volume_type": "premium",
        }],
        "networks": [{"uuid": network["id"]}],
    }}  # fmt: skip
    made = admin.nova("POST", "/servers", body, "2.95")
    assert made.status == 202
    server = made.json["server"]["id"]
    assert made.headers["location"].endswith(server)
    shown = admin.nova("GET", f"/servers/{server}", version="2.95").json["server"]
    assert (shown["status"], shown["OS-SRV-USG:launched_at"]) == ("BUILD", None)
    live.advance(60)
    shown = admin.nova("GET", f"/servers/{server}", version="2.95").json["server"]
    assert (shown["status"], shown[f"{PREFIX}host"]) == ("ACTIVE", "node-2")
    output = admin.act(server, {"os-getConsoleOutput": {"length": 11}}).json["output"]
    assert "ohooc-node-2-1" in output
    assert names(admin.nova("GET", "/servers/detail?name=ohooc-node-2")) == ["ohooc-node-2-1"]


def test_a_server_that_fits_nowhere_goes_to_error(live, admin):
    image = admin.send("GET", "/image/v2/images?name=cirros-kvm").json["images"][0]["id"]
    live.call(lambda: [live.cloud.services.disable(host, None) for host in list(live.cloud.state.hosts.values())])
    body = {"server": {"name": "big", "flavorRef": "5", "imageRef": image, "networks": "none"}}
    server = admin.nova("POST", "/servers", body).json["server"]["id"]
    live.advance(10)
    shown = admin.nova("GET", f"/servers/{server}").json["server"]
    assert (shown["status"], shown[f"{PREFIX}host"], shown[f"{PREFIX}hypervisor_hostname"]) == ("ERROR", None, None)
    assert shown["fault"]["message"] == "No valid host was found. There are not enough hosts available."
    assert (shown["addresses"], shown["hostId"]) == ({}, "")


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"flavorRef": "99"}, 400, "Flavor 99 could not be found."),
        ({"imageRef": "none"}, 400, "Image none could not be found."),
        ({"imageRef": ""}, 400, "Invalid imageRef provided."),
        ({"colour": "red"}, 400, "Additional properties are not allowed ('colour' was unexpected)"),
        ({"name": ""}, 400, "'' is too short"),
        ({"name": 7}, 400, "7 is not of type 'string'"),
        ({"availability_zone": "moon"}, 400, "The requested availability zone is not available"),
        ({"availability_zone": "nova:moon"}, 400, "Compute host moon could not be found."),
        ({"networks": [{"uuid": "x"}]}, 400, "Network x could not be found."),
        ({"networks": [{"port": "x"}]}, 501, "the lab does not simulate networks by anything but uuid"),
        ({"networks": 5}, 400, "Bad networks format"),
        ({"max_count": 3}, 501, "the lab does not simulate several servers in one request"),
        ({"user_data": "!"}, 400, "Userdata content cannot be decoded"),
        ({"user_data": "I2Nsb3VkLWNvbmZpZwpwYWNrYWdlczogW3hdCg=="}, 501, "the lab does not simulate this user_data"),
    ],
)
def test_servers_that_are_not_made(admin, change, status, message):
    image = admin.send("GET", "/image/v2/images").json["images"][0]["id"]
    answer = admin.nova("POST", "/servers", {"server": {"name": "x", "flavorRef": "1", "imageRef": image, **change}})
    assert answer.status == status
    assert message in next(iter(answer.json.values()))["message"]


def test_a_member_forces_no_host(demo):
    image = demo.send("GET", "/image/v2/images").json["images"][0]["id"]
    body = {"server": {"name": "x", "flavorRef": "1", "imageRef": image, "availability_zone": "nova:node-1"}}
    assert demo.nova("POST", "/servers", body).status == 403
    hints = {"server": body["server"], "os:scheduler_hints": {}}
    assert demo.nova("POST", "/servers", hints).status == 501


@pytest.mark.parametrize(("name", "action", "before", "later"), [
    ("vm-1", {"os-migrateLive": {"host": None, "block_migration": False}}, ("ACTIVE", "migrating"), "MIGRATING"),
    ("off", {"migrate": None}, ("SHUTOFF", "resize_prep"), "RESIZE"),
])  # fmt: skip
def test_the_status_of_a_server_on_the_move_may_lag_behind_its_task(name, action, before, later):
    """What the author of the operator's parallel eviction saw live (openstack sheet §3)."""
    lagging = SHAPE.model_copy(update={"nova": NovaOptions(status_lag=5)})
    with LiveCloud(lagging) as live:
        path, admin = f"/servers/{live.server_id(name)}", live.client()
        assert admin.act(live.server_id(name), action).status == 202
        shown = admin.nova("GET", path).json["server"]
        assert (shown["status"], shown["OS-EXT-STS:task_state"]) == before
    with LiveCloud(SHAPE) as live:
        assert live.client().act(live.server_id(name), action).status == 202
        assert live.client().nova("GET", f"/servers/{live.server_id(name)}").json["server"]["status"] == later


def test_the_lag_of_a_status_ends():
    with LiveCloud(SHAPE.model_copy(update={"nova": NovaOptions(status_lag=1)})) as live:
        path, admin = f"/servers/{live.server_id('vm-1')}", live.client()
        admin.act(live.server_id("vm-1"), {"os-migrateLive": {"host": None, "block_migration": False}})
        live.advance(1)
        assert admin.nova("GET", path).json["server"]["status"] == "MIGRATING"
