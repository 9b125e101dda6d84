"""GET /os-migrations, and the live migrations of one server (openstack sheet §5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lab.openstack import stamps
from lab.openstack.compute.records import IN_PROGRESS_LIVE, LIVE, Bytes, Record
from lab.openstack.http.bodies import fields, known_keys, true
from lab.openstack.http.calls import Call
from lab.openstack.http.nova.finding import server_of
from lab.openstack.http.nova.servers import time_of
from lab.openstack.http.nova.views import links
from lab.openstack.http.paging import listing, page
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import RefusalError

_KEYS = ("hidden", "host", "instance_uuid", "source_compute", "status", "migration_type")
_SINCE = {"limit": 59, "marker": 59, "changes-since": 59, "changes-before": 66, "user_id": 80, "project_id": 80}
_LINKED = ("queued", "preparing", "running")


def index(call: Call) -> Reply:
    """Records of all projects for admins, of the own one for others."""
    call.demand("os-migrations:index")
    if call.at(59):
        known_keys(dict(call.query), (*_KEYS, *(key for key, minor in _SINCE.items() if call.at(minor))))
    records = [record for record in call.cloud.state.records() if _wanted(call, record)]
    if not call.at(59):
        return Reply(200, {"migrations": [_view(call, record) for record in records]})
    records.sort(key=lambda record: (int(record.created), record.id), reverse=True)
    shown, more = page(call, records, lambda record: record.uuid)
    return Reply(200, listing("migrations", [_view(call, record) for record in shown], more))


def _wanted(call: Call, record: Record) -> bool:
    query = dict(call.query)
    if record.hidden or true(query.get("hidden")):
        return False
    if not call.cloud.policies.allow(call.caller, "os-migrations:index:all_projects"):
        query["project_id"] = call.caller.project_id
    if "host" in query:
        query.pop("source_compute", None)
        if query["host"] not in (record.source_compute, record.dest_compute):
            return False
    if "changes-since" in query and not _touched(record, lambda at: at >= time_of(query, "changes-since")):
        return False
    if "changes-before" in query and not _touched(record, lambda at: at <= time_of(query, "changes-before")):
        return False
    values = _filtered(record)
    return all(values[key] == value for key, value in query.items() if key in values)


def _touched(record: Record, fits: Callable[[float], bool]) -> bool:
    """Whether it has been updated, at such a time; one that never was is not found."""
    return record.updated is not None and fits(float(int(record.updated)))


def _filtered(record: Record) -> Mapping[str, str]:
    return {
        "source_compute": record.source_compute,
        "instance_uuid": record.server_id,
        "status": record.status,
        "migration_type": record.kind,
        "user_id": record.user_id,
        "project_id": record.project_id,
    }


def _view(call: Call, record: Record) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": record.id,
        "instance_uuid": record.server_id,
        **_places(record),
        "status": record.status,
        "old_instance_type_id": record.flavor,
        "new_instance_type_id": record.flavor,
    }
    if call.at(23):
        body["migration_type"] = record.kind
        if record.kind == LIVE and record.status in _LINKED:
            body["links"] = links(call, f"servers/{record.server_id}/migrations", str(record.id))
    return {**body, **_owned(call, record)}


def _places(record: Record) -> dict[str, Any]:
    return {
        "source_compute": record.source_compute,
        "source_node": record.source_node,
        "dest_compute": record.dest_compute,
        "dest_node": record.dest_node,
        "dest_host": record.dest_host,
        "created_at": stamps.naive(record.created),
        "updated_at": stamps.naive(record.updated),
    }


def _owned(call: Call, record: Record) -> dict[str, Any]:
    added: dict[str, Any] = {}
    if call.at(59):
        added["uuid"] = record.uuid
    if call.at(80):
        added |= {"user_id": record.user_id, "project_id": record.project_id}
    return added


def of_server(call: Call) -> Reply:
    """Live migrations of a server that are in progress."""
    server = server_of(call)
    call.demand("servers:migrations:index")
    records = [
        record
        for record in call.cloud.state.records_of(server.id)
        if record.kind == LIVE and record.status in IN_PROGRESS_LIVE
    ]
    return Reply(200, {"migrations": [_progress(call, record) for record in records]})


def show(call: Call) -> Reply:
    """One live migration in progress."""
    server = server_of(call)
    call.demand("servers:migrations:show")
    number = call.name("migration")
    record = call.cloud.state.record(int(number)) if number.isdecimal() else None
    if record is None or record.server_id != server.id:
        raise RefusalError(404, f"In-progress live migration {number} is not found for server {server.id}.")
    if record.kind != LIVE:
        raise RefusalError(404, f"Migration {number} for server {server.id} is not live-migration.")
    if record.status not in IN_PROGRESS_LIVE:
        raise RefusalError(404, f"Live migration {number} for server {server.id} is not in progress.")
    return Reply(200, {"migration": _progress(call, record)})


def _progress(call: Call, record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "server_uuid": record.server_id,
        **_places(record),
        "status": record.status,
        **_bytes("memory", record.memory),
        **_bytes("disk", record.disk),
        **_owned(call, record),
    }


def _bytes(what: str, count: Bytes | None) -> dict[str, int | None]:
    return {
        f"{what}_total_bytes": count.total if count is not None else None,
        f"{what}_processed_bytes": count.processed if count is not None else None,
        f"{what}_remaining_bytes": count.remaining if count is not None else None,
    }


def abort(call: Call) -> Reply:
    """Abort it."""
    server = server_of(call)
    call.demand("servers:migrations:delete")
    call.cloud.verbs.abort(server, call.name("migration"), call.caller, early=call.at(65))
    return Reply(202)


def act(call: Call) -> Reply:
    """Force it to complete."""
    if fields(call.json(), "action", ("force_complete",))["force_complete"] is not None:
        raise RefusalError(400, "Invalid input for field/attribute force_complete.")
    server = server_of(call)
    call.demand("servers:migrations:force_complete")
    call.cloud.verbs.force_complete(server, call.name("migration"), call.caller)
    return Reply(202)
