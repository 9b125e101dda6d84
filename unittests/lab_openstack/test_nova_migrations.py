"""Migrations on the wire: actions, records, in-progress ones, instance actions (openstack sheet §4, §5)."""

import pytest

from unittests.lab_openstack.live import Client

LIVE = {"os-migrateLive": {"host": None, "block_migration": False}}


def records(client: Client, query: str = "", version: str = "2.80") -> list[dict]:
    answer = client.nova("GET", f"/os-migrations{query}", version=version)
    assert answer.status == 200, answer.body
    return answer.json["migrations"]


def running(live, admin, name="vm-1") -> tuple[str, int]:
    """A server in mid-flight and its record."""
    server = live.server_id(name)
    assert admin.act(server, LIVE).status == 202
    for _ in range(100):
        found = records(admin, f"?instance_uuid={server}")
        if found and found[0]["status"] == "running":
            return server, found[0]["id"]
        live.advance(0.1)
    raise AssertionError(found)


def message(answer) -> str:
    return next(iter(answer.json.values()))["message"]


def test_a_live_migration_from_the_request_to_the_record(live, admin):
    server = live.server_id("vm-1")
    answer = admin.act(server, LIVE)
    assert (answer.status, answer.body) == (202, b"")
    shown = admin.nova("GET", f"/servers/{server}").json["server"]
    assert (shown["status"], shown["OS-EXT-STS:task_state"]) == ("MIGRATING", "migrating")
    again = admin.act(server, LIVE)
    assert again.status == 409
    assert message(again) == f"Cannot 'os-migrateLive' instance {server} while it is in task_state migrating"
    live.advance(60)
    (record,) = records(admin)
    assert record == {
        "id": 1,
        "uuid": record["uuid"],
        "instance_uuid": server,
        "migration_type": "live-migration",
        "status": "completed",
        "source_compute": "node-1",
        "source_node": "node-1.lab.internal",
        "dest_compute": record["dest_compute"],
        "dest_node": f"{record['dest_compute']}.lab.internal",
        "dest_host": record["dest_host"],
        "old_instance_type_id": 2,
        "new_instance_type_id": 2,
        "created_at": record["created_at"],
        "updated_at": record["updated_at"],
        "user_id": shown["user_id"],
        "project_id": shown["tenant_id"],
    }
    assert record["created_at"].endswith(".000000")
    assert record["created_at"] < record["updated_at"]


@pytest.mark.parametrize(
    ("version", "body", "status"),
    [
        ("2.90", {"host": None, "block_migration": "auto"}, 202),
        ("2.90", {"host": "node-3", "block_migration": False}, 202),
        ("2.90", {"host": None}, 400),
        ("2.90", {"block_migration": False}, 400),
        ("2.90", {"host": None, "block_migration": False, "force": False}, 400),
        ("2.90", {"host": None, "block_migration": False, "disk_over_commit": False}, 400),
        ("2.90", {"host": None, "block_migration": "maybe"}, 400),
        ("2.90", {"host": 7, "block_migration": False}, 400),
        ("2.90", {"host": "nowhere", "block_migration": False}, 400),
        ("2.90", None, 400),
        ("2.30", {"host": None, "block_migration": "auto"}, 202),  # as openstacksdk sends it
        ("2.30", {"host": "node-2", "block_migration": "auto", "force": True}, 202),
        ("2.30", {"host": None, "block_migration": "auto", "force": True}, 400),
        ("2.25", {"host": None, "block_migration": "auto"}, 202),
        ("2.1", {"host": None, "block_migration": False, "disk_over_commit": False}, 202),
        ("2.1", {"host": None, "block_migration": False}, 400),
        ("2.1", {"host": None, "block_migration": "auto", "disk_over_commit": False}, 400),
    ],
)
def test_bodies_of_live_migrations(live, admin, version, body, status):
    assert admin.act(live.server_id("vm-1"), {"os-migrateLive": body}, version).status == status


def test_the_same_failure_is_400_for_the_sdk_and_202_for_the_operator(live, admin):
    server = live.server_id("local")
    body = {"os-migrateLive": {"host": None, "block_migration": False}}
    early = admin.act(server, body, "2.30")
    assert early.status == 400
    assert message(early) == "No valid host was found. There are not enough hosts available."
    assert admin.act(server, body, "2.90").status == 202
    live.advance(5)
    assert [record["status"] for record in records(admin)] == ["error", "error"]
    assert records(admin)[0]["dest_compute"] is None
    shown = admin.nova("GET", f"/servers/{server}").json["server"]
    assert (shown["status"], "fault" in shown) == ("ACTIVE", False)


def test_who_may_migrate(live, demo, manager):
    server = live.server_id("vm-1")
    rule = "Policy doesn't allow os_compute_api:os-migrate-server:migrate_live to be performed."
    refused = demo.act(server, LIVE)
    assert (refused.status, refused.json["forbidden"]["message"]) == (403, rule)
    with_host = {"os-migrateLive": {"host": "node-2", "block_migration": False}}
    assert ":migrate_live:host " in message(manager.act(server, with_host))
    assert ":migrate:host " in message(manager.act(server, {"migrate": {"host": "node-2"}}))
    assert demo.act(server, {"migrate": None}).status == 403
    assert manager.act(server, LIVE).status == 202
    live.advance(30)
    assert len(records(manager)) == 1
    assert demo.nova("GET", "/os-migrations").status == 403


def test_fields_of_records_come_with_versions(live, admin):
    server, number = running(live, admin)
    old = records(admin, version="2.22")[0]
    assert not {"migration_type", "links", "uuid", "user_id"} & set(old)
    new = records(admin, version="2.23")[0]
    assert new["migration_type"] == "live-migration"
    assert new["links"][0]["href"].endswith(f"/servers/{server}/migrations/{number}")
    assert "user_id" not in records(admin, version="2.59")[0]
    live.advance(60)
    assert "links" not in records(admin)[0]


def test_lists_of_records(live, admin):
    for name in ("vm-1", "vm-2", "vm-3"):
        assert admin.act(live.server_id(name), {"os-migrateLive": {"host": "node-3", "block_migration": False}})
        live.advance(40)
    ids = [record["id"] for record in records(admin)]
    assert ids == [3, 2, 1]
    uuids = [record["uuid"] for record in records(admin)]
    first = admin.nova("GET", "/os-migrations?limit=2")
    assert [record["id"] for record in first.json["migrations"]] == [3, 2]
    (link,) = first.json["migrations_links"]
    assert link["rel"] == "next"
    rest = admin.nova("GET", link["href"].partition("/compute/v2.1")[2])
    assert [record["id"] for record in rest.json["migrations"]] == [1]
    assert "migrations_links" not in rest.json
    assert records(admin, f"?marker={uuids[1]}")[0]["id"] == 1
    assert len(records(admin, "?host=node-3")) == len(records(admin, "?host=node-1")) == 3
    assert records(admin, "?host=node-2") == []
    assert records(admin, "?source_compute=node-3") == []
    assert len(records(admin, "?host=node-3&source_compute=node-2")) == 3  # host wins
    assert records(admin, "?status=running") == records(admin, "?migration_type=resize") == []
    assert records(admin, "?hidden=true") == []
    since = records(admin)[0]["updated_at"].removesuffix(".000000") + "Z"
    assert [record["id"] for record in records(admin, f"?changes-since={since}")] == [3]
    assert [record["id"] for record in records(admin, f"?changes-before={since}")] == [3, 2, 1]
    for query in ("?marker=2", "?colour=red", "?dest_compute=node-3"):
        assert admin.nova("GET", f"/os-migrations{query}").status == 400
    assert admin.nova("GET", "/os-migrations?user_id=x", version="2.79").status == 400


def test_records_go_with_their_server(live, admin):
    server, number = running(live, admin)
    live.advance(60)
    assert admin.nova("DELETE", f"/servers/{server}").status == 204
    live.advance(10)
    assert records(admin) == []
    assert live.cloud.state.record(number).hidden  # the lab itself still knows
    actions = admin.nova("GET", f"/servers/{server}/os-instance-actions").json["instanceActions"]
    assert [one["action"] for one in actions] == ["delete", "live-migration"]
    assert admin.nova("GET", f"/servers/{server}/os-instance-actions", version="2.20").status == 404


def test_a_migration_in_progress(live, admin):
    server, number = running(live, admin)
    (listed,) = admin.nova("GET", f"/servers/{server}/migrations").json["migrations"]
    shown = admin.nova("GET", f"/servers/{server}/migrations/{number}").json["migration"]
    assert listed == shown
    assert (shown["server_uuid"], shown["status"]) == (server, "running")
    assert shown["memory_total_bytes"] == 4096 * 2**20
    assert shown["memory_remaining_bytes"] + shown["memory_processed_bytes"] == shown["memory_total_bytes"]
    assert shown["disk_total_bytes"] == 0
    live.advance(60)
    assert admin.nova("GET", f"/servers/{server}/migrations").json["migrations"] == []
    gone = admin.nova("GET", f"/servers/{server}/migrations/{number}")
    assert (gone.status, message(gone)) == (
        404, f"Live migration {number} for server {server} is not in progress.",
    )  # fmt: skip
    other = live.server_id("vm-2")
    unknown = admin.nova("GET", f"/servers/{other}/migrations/{number}")
    assert message(unknown) == f"In-progress live migration {number} is not found for server {other}."


def test_abort(live, admin):
    server, number = running(live, admin)
    assert admin.nova("DELETE", f"/servers/{server}/migrations/77").status == 404
    assert admin.nova("DELETE", f"/servers/{server}/migrations/{number}").status == 202
    live.advance(2)
    assert records(admin)[0]["status"] == "cancelled"
    late = admin.nova("DELETE", f"/servers/{server}/migrations/{number}")
    assert late.status == 409
    assert message(late) == f"Instance {server} is in an invalid state for 'abort live migration'"


def test_force_complete(live, admin):
    server, number = running(live, admin)
    path = f"/servers/{server}/migrations/{number}/action"
    assert admin.nova("POST", path, {"force_complete": {}}).status == 400
    assert admin.nova("POST", path, {"explode": None}).status == 400
    assert message(admin.nova("POST", f"/servers/{server}/migrations/77/action", {"force_complete": None})) == (
        f"Migration 77 not found for instance {server}"
    )
    assert admin.nova("POST", path, {"force_complete": None}).status == 202
    live.advance(20)
    assert records(admin)[0]["status"] == "completed"
    late = admin.nova("POST", path, {"force_complete": None})
    assert message(late) == (
        f"Migration {number} state of instance {server} is completed. "
        "Cannot force complete while the migration is in this state."
    )


def test_a_cold_migration_with_its_confirmation(live, admin):
    server = live.server_id("off")
    assert admin.act(server, {"migrate": {"host": "node-2"}}, "2.55").status == 400
    assert admin.act(server, {"confirmResize": None}).status == 409
    assert admin.act(server, {"migrate": None}).status == 202
    assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == "RESIZE"
    live.advance(30)
    assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == "VERIFY_RESIZE"
    kind = admin.nova("GET", f"/servers/{server}/migrations/1")
    assert message(kind) == f"Migration 1 for server {server} is not live-migration."
    confirmed = admin.act(server, {"confirmResize": None})
    assert (confirmed.status, confirmed.body) == (204, b"")
    twice = admin.act(server, {"confirmResize": None})
    assert (twice.status, message(twice)) == (400, "Instance has not been resized.")
    live.advance(5)
    assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == "SHUTOFF"
    (record,) = records(admin)
    assert (record["status"], record["migration_type"]) == ("confirmed", "migration")


def test_a_cold_migration_taken_back(live, admin):
    server = live.server_id("vm-1")
    assert admin.act(server, {"migrate": {"host": "node-3"}}).status == 202
    live.advance(30)
    assert admin.act(server, {"revertResize": None}).status == 202
    live.advance(30)
    assert (records(admin)[0]["status"], records(admin)[0]["dest_compute"]) == ("reverted", "node-3")


@pytest.mark.parametrize(
    ("body", "status", "shown"),
    [
        ({"os-stop": None}, 202, "SHUTOFF"),
        ({"pause": None}, 202, "PAUSED"),
        ({"suspend": None}, 202, "SUSPENDED"),
        ({"reboot": {"type": "HARD"}}, 202, "ACTIVE"),
        ({"reboot": {"type": "WARM"}}, 400, "ACTIVE"),
        ({"os-resetState": {"state": "error"}}, 202, "ERROR"),
        ({"os-resetState": {"state": "great"}}, 400, "ACTIVE"),
        ({"os-start": None}, 409, "ACTIVE"),
        ({"pause": {}}, 400, "ACTIVE"),
        ({"lock": {"locked_reason": "mine"}}, 202, "ACTIVE"),
    ],
)
def test_other_actions(live, admin, body, status, shown):
    server = live.server_id("vm-1")
    assert admin.act(server, body).status == status
    live.advance(6)
    assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == shown


def test_a_lock_keeps_members_out(live, admin, demo):
    server = live.server_id("vm-1")
    assert admin.act(server, {"lock": {"locked_reason": "mine"}}).status == 202
    assert admin.nova("GET", f"/servers/{server}").json["server"]["locked_reason"] == "mine"
    refused = demo.act(server, {"os-stop": None})
    assert (refused.status, message(refused)) == (409, f"Instance {server} is locked")
    assert demo.nova("DELETE", f"/servers/{server}").status == 409
    assert admin.act(server, {"unlock": None}).status == 202
    assert demo.act(server, {"os-stop": None}).status == 202


def test_instance_actions(live, admin, demo):
    server, _ = running(live, admin)
    live.advance(60)
    (listed,) = admin.nova("GET", f"/servers/{server}/os-instance-actions").json["instanceActions"]
    assert (listed["action"], listed["instance_uuid"], listed["message"]) == ("live-migration", server, None)
    path = f"/servers/{server}/os-instance-actions/{listed['request_id']}"
    shown = admin.nova("GET", path).json["instanceAction"]
    assert shown["events"][0]["event"] == "conductor_live_migrate_instance"
    assert {event["result"] for event in shown["events"]} == {"Success"}
    assert {"host", "hostId", "details", "traceback"} <= set(shown["events"][0])
    assert not {"host", "details", "traceback"} & set(demo.nova("GET", path).json["instanceAction"]["events"][0])
    assert "events" not in demo.nova("GET", path, version="2.50").json["instanceAction"]
    assert admin.nova("GET", f"/servers/{server}/os-instance-actions/req-x").status == 404
    for _ in range(3):
        admin.act(server, {"lock": None})
    first = admin.nova("GET", f"/servers/{server}/os-instance-actions?limit=2").json
    assert [one["action"] for one in first["instanceActions"]] == ["lock", "lock"]
    assert first["links"][0]["rel"] == "next"
    since = listed["updated_at"].removesuffix(".000000") + "Z"
    assert len(admin.nova("GET", f"/servers/{server}/os-instance-actions?changes-since={since}").json[
        "instanceActions"]) == 4  # fmt: skip
    assert len(admin.nova("GET", f"/servers/{server}/os-instance-actions?changes-before={since}").json[
        "instanceActions"]) == 1  # fmt: skip
    assert "updated_at" not in admin.nova(
        "GET", f"/servers/{server}/os-instance-actions", version="2.57"
    ).json["instanceActions"][0]  # fmt: skip
