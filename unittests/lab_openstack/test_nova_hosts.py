"""Hypervisors, services, aggregates, groups, flavors on the wire (openstack sheet §6, §7, §8)."""

import pytest


def message(answer) -> str:
    return next(iter(answer.json.values()))["message"]


def hypervisor(admin, name="node-1") -> dict:
    found = admin.nova("GET", f"/os-hypervisors/detail?hypervisor_hostname_pattern={name}&with_servers=True")
    return found.json["hypervisors"][0]


def service(admin, host="node-1") -> dict:
    return admin.nova("GET", f"/os-services?host={host}&binary=nova-compute").json["services"][0]


def test_a_hypervisor_at_2_90(live, admin):
    found = hypervisor(admin)
    shown = admin.nova("GET", f"/os-hypervisors/{found['id']}?with_servers=true").json["hypervisor"]
    assert shown == found
    assert {server["name"] for server in shown.pop("servers")} == {"vm-1", "vm-2", "vm-3", "off"}
    assert shown == {
        "id": found["id"],
        "hypervisor_hostname": "node-1.lab.internal",
        "state": "up",
        "status": "enabled",
        "hypervisor_type": "QEMU",
        "hypervisor_version": 8002002,
        "host_ip": "10.250.0.2",
        "service": {"id": service(admin)["id"], "host": "node-1", "disabled_reason": None},
        "uptime": None,
    }
    assert "servers" not in admin.nova("GET", f"/os-hypervisors/{found['id']}").json["hypervisor"]


def test_servers_of_a_hypervisor_while_they_move(live, admin):
    server = live.server_id("vm-1")
    admin.act(server, {"os-migrateLive": {"host": "node-3", "block_migration": False}})
    live.advance(2)
    assert "vm-1" in {one["name"] for one in hypervisor(admin)["servers"]}
    assert hypervisor(admin, "node-3")["servers"] == []
    live.advance(60)
    assert "vm-1" not in {one["name"] for one in hypervisor(admin)["servers"]}
    assert [one["uuid"] for one in hypervisor(admin, "node-3")["servers"]] == [server]


def test_an_empty_host_shows_servers_from_2_75_on(admin):
    path = f"/os-hypervisors/{hypervisor(admin, 'node-3')['id']}?with_servers=1"
    assert admin.nova("GET", path, version="2.75").json["hypervisor"]["servers"] == []
    assert "servers" not in admin.nova("GET", path, version="2.74").json["hypervisor"]


def test_before_2_88_resources_are_shown(admin):
    path = f"/os-hypervisors/{hypervisor(admin)['id']}"
    shown = admin.nova("GET", path, version="2.87").json["hypervisor"]
    assert (shown["vcpus_used"], shown["memory_mb_used"], shown["running_vms"]) == (8, 16384, 4)
    assert "memory_mb_used" not in admin.nova("GET", path, version="2.88").json["hypervisor"]


def test_lists_of_hypervisors(admin):
    listed = admin.nova("GET", "/os-hypervisors").json["hypervisors"]
    assert [one["hypervisor_hostname"].partition(".")[0] for one in listed] == ["node-1", "node-2", "node-3"]
    assert set(listed[0]) == {"id", "hypervisor_hostname", "state", "status"}
    first = admin.nova("GET", "/os-hypervisors?limit=2").json
    assert len(first["hypervisors"]) == 2
    assert first["hypervisors_links"][0]["rel"] == "next"
    rest = admin.nova("GET", f"/os-hypervisors?limit=2&marker={first['hypervisors'][1]['id']}").json
    assert len(rest["hypervisors"]) == 1


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/os-hypervisors/", 404, "The resource could not be found."),
        ("/os-hypervisors/?with_servers=true", 404, "The resource could not be found."),
        ("/os-hypervisors/7", 400, "Invalid uuid 7"),
        ("/os-hypervisors/00000000-0000-4000-8000-000000000000", 404,
         "Hypervisor with ID '00000000-0000-4000-8000-000000000000' could not be found."),
        ("/os-hypervisors?hypervisor_hostname_pattern=x", 404, "No hypervisor matching 'x' could be found."),
        ("/os-hypervisors?hypervisor_hostname_pattern=n&limit=1", 400, "Paging over hypervisors"),
        ("/os-hypervisors?marker=x", 400, "marker [x] not found"),
    ],
)  # fmt: skip
def test_hypervisors_that_are_not_there(admin, path, status, text):
    answer = admin.nova("GET", path)
    assert answer.status == status
    assert message(answer).startswith(text)


def test_disabling_and_enabling_as_the_operator_does(live, admin):
    found = service(admin)
    path = f"/os-services/{found['id']}"
    reason = "Hypervisor CRD: spec.maintenance=manual"
    answer = admin.nova("PUT", path, {"status": "disabled", "disabled_reason": reason})
    assert answer.status == 200
    shown = answer.json["service"]
    assert (shown["status"], shown["disabled_reason"], shown["id"]) == ("disabled", reason, found["id"])
    assert hypervisor(admin)["status"] == "disabled"
    assert hypervisor(admin)["service"]["disabled_reason"] == reason
    server = admin.nova("GET", f"/servers/{live.server_id('vm-1')}").json["server"]
    assert server["host_status"] == "MAINTENANCE"
    traits = admin.placement("GET", f"/resource_providers/{hypervisor(admin)['id']}/traits").json
    assert "COMPUTE_STATUS_DISABLED" in traits["traits"]
    answer = admin.nova("PUT", path, {"status": "enabled", "forced_down": False})
    assert (answer.json["service"]["status"], answer.json["service"]["disabled_reason"]) == ("enabled", None)


def test_a_service_that_is_down(live, admin):
    path = f"/os-services/{service(admin)['id']}"
    assert admin.nova("PUT", path, {"forced_down": True}).json["service"]["state"] == "down"
    assert hypervisor(admin)["state"] == "down"
    server = f"/servers/{live.server_id('vm-1')}"
    assert admin.nova("GET", server).json["server"]["host_status"] == "DOWN"
    admin.nova("PUT", path, {"forced_down": False})
    live.call(lambda: live.cloud.services.set_up(live.cloud.state.hosts["node-1"], False))
    assert admin.nova("GET", server).json["server"]["host_status"] == "UNKNOWN"
    assert service(admin)["state"] == "down"


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({}, 400, "No updates were requested. Fields 'status' or 'forced_down' should be specified."),
        ({"disabled_reason": "x"}, 400, "No updates were requested."),
        ({"status": "enabled", "disabled_reason": "x"}, 400,
         "Specifying 'disabled_reason' with status 'enabled' is invalid."),
        ({"status": "sleepy"}, 400, "Invalid input for field/attribute status."),
        ({"status": "disabled", "disabled_reason": ""}, 400, "Invalid input for field/attribute disabled_reason."),
        ({"status": "disabled", "disabled_reason": "x" * 256}, 400,
         "Invalid input for field/attribute disabled_reason."),
        ({"status": "disabled", "colour": 1}, 400, "Invalid input for field/attribute service."),
        ({"forced_down": "perhaps"}, 400, "Invalid input for field/attribute forced_down."),
    ],
)  # fmt: skip
def test_updates_that_are_refused(admin, body, status, text):
    answer = admin.nova("PUT", f"/os-services/{service(admin)['id']}", body)
    assert answer.status == status
    assert message(answer).startswith(text)


def test_services_that_are_not_there_or_in_use(admin):
    unknown = "00000000-0000-4000-8000-000000000000"
    answer = admin.nova("PUT", f"/os-services/{unknown}", {"status": "enabled"})
    assert (answer.status, message(answer)) == (404, f"Service {unknown} could not be found.")
    answer = admin.nova("DELETE", f"/os-services/{unknown}")
    assert (answer.status, message(answer)) == (404, f"Service {unknown} not found.")
    assert admin.nova("PUT", "/os-services/7", {"status": "enabled"}).status == 400
    answer = admin.nova("DELETE", f"/os-services/{service(admin)['id']}")
    assert (answer.status, message(answer)) == (
        409,
        "Unable to delete compute service that is hosting instances. Migrate or delete the instances first.",
    )
    assert admin.nova("DELETE", f"/os-services/{service(admin, 'node-3')['id']}").status == 204
    assert len(admin.nova("GET", "/os-services").json["services"]) == 2


def test_services_report(live, admin):
    before = service(admin)["updated_at"]
    live.advance(30)
    assert service(admin)["updated_at"] > before


def test_aggregates(admin):
    (found,) = admin.nova("GET", "/os-aggregates", version="2.93").json["aggregates"]
    assert (found["id"], found["name"], found["hosts"], found["availability_zone"]) == (1, "az1", ["node-1"], "nova")
    assert found["metadata"] == {"availability_zone": "nova", "kind": "kvm"}
    assert (found["deleted"], found["deleted_at"], found["updated_at"]) == (False, None, None)
    assert "uuid" not in admin.nova("GET", "/os-aggregates", version="2.40").json["aggregates"][0]
    assert admin.nova("GET", "/os-aggregates/1").json["aggregate"]["uuid"] == found["uuid"]
    path = "/os-aggregates/1/action"
    added = admin.nova("POST", path, {"add_host": {"host": "node-2"}})
    assert (added.status, added.json["aggregate"]["hosts"]) == (200, ["node-1", "node-2"])
    again = admin.nova("POST", path, {"add_host": {"host": "node-2"}})
    assert (again.status, message(again)) == (409, "Aggregate 1 already has host node-2.")
    removed = admin.nova("POST", path, {"remove_host": {"host": "node-1"}})
    assert removed.json["aggregate"]["hosts"] == ["node-2"]
    assert admin.nova("POST", path, {"remove_host": {"host": "node-1"}}).status == 404
    for action in ("add_host", "remove_host"):
        assert admin.nova("POST", path, {action: {"host": "moon"}}).status == 404
    unknown = admin.nova("POST", "/os-aggregates/9/action", {"add_host": {"host": "node-1"}})
    assert (unknown.status, message(unknown)) == (404, "Aggregate 9 could not be found.")
    assert admin.nova("POST", path, {"set_metadata": {}}).status == 501
    assert admin.nova("POST", path, {}).status == 400


def test_groups(live, admin, demo):
    assert admin.nova("GET", "/os-server-groups").json["server_groups"] == []
    (found,) = admin.nova("GET", "/os-server-groups?all_projects=True", version="2.64").json["server_groups"]
    assert (found["policy"], found["rules"], found["members"]) == ("anti-affinity", {}, [live.server_id("broken")])
    assert demo.nova("GET", "/os-server-groups").json["server_groups"] == [found]
    old = demo.nova("GET", f"/os-server-groups/{found['id']}", version="2.63").json["server_group"]
    assert (old["policies"], old["metadata"]) == (["anti-affinity"], {})
    assert demo.nova("GET", "/os-server-groups/x").status == 404


def test_flavors(admin):
    assert [one["name"] for one in admin.nova("GET", "/flavors").json["flavors"]] == [
        "m1.tiny", "m1.medium", "m1.xlarge",
    ]  # fmt: skip
    detail = admin.nova("GET", "/flavors/detail", version="2.61").json["flavors"][1]
    assert (detail["id"], detail["vcpus"], detail["ram"], detail["extra_specs"]) == ("3", 2, 4096, {})
    assert "extra_specs" not in admin.nova("GET", "/flavors/3", version="2.60").json["flavor"]
    assert admin.nova("GET", "/flavors/3/os-extra_specs").json == {"extra_specs": {}}
    assert message(admin.nova("GET", "/flavors/9")) == "Flavor 9 could not be found."


@pytest.mark.parametrize("path", ["/os-hypervisors", "/os-hypervisors/detail", "/os-services", "/os-aggregates"])
def test_members_see_no_hosts(demo, path):
    answer = demo.nova("GET", path)
    assert answer.status == 403
    assert message(answer).startswith("Policy doesn't allow os_compute_api:os-")
