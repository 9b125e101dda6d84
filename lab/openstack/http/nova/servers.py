"""GET /servers, GET /servers/detail, GET and DELETE /servers/{id} (openstack sheet §3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from lab.openstack import stamps
from lab.openstack.compute.servers import Server
from lab.openstack.compute.statuses import states_of
from lab.openstack.http.bodies import known_keys, true
from lab.openstack.http.calls import Call
from lab.openstack.http.nova.finding import server_of
from lab.openstack.http.nova.views import Picture, as_seen, brief, full
from lab.openstack.http.paging import listing, page
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import NotSimulatedError, RefusalError

_PAGING = ("limit", "marker", "sort_key", "sort_dir")
_FOR_ALL = ("name", "status", "image", "flavor", "changes-since", "changes-before", "all_tenants", "locked")
_FOR_ADMINS = (
    "host",
    "node",
    "vm_state",
    "task_state",
    "power_state",
    "project_id",
    "tenant_id",
    "user_id",
    "uuid",
    "deleted",
    "availability_zone",
)
_REAL_BUT_NOT_HERE = frozenset(
    {
        "access_ip_v4", "access_ip_v6", "auto_disk_config", "config_drive", "created_at", "created_by", "description",
        "display_description", "display_name", "hostname", "image_ref", "instance_type_id", "ip", "ip6", "kernel_id",
        "key_name", "launch_index", "launched_at", "locked_by", "not-tags", "not-tags-any", "progress", "ramdisk_id",
        "reservation_id", "root_device_name", "soft_deleted", "tags", "tags-any", "terminated_at",
    }
)  # fmt: skip
_SORT: Mapping[str, Callable[[Server], Any]] = {
    "created_at": lambda server: server.created,
    "updated_at": lambda server: server.updated,
    "display_name": lambda server: server.name,
    "uuid": lambda server: server.id,
    "host": lambda server: server.host or "",
    "vm_state": lambda server: server.vm_state,
    "task_state": lambda server: server.task_state or "",
    "power_state": lambda server: server.power_state,
}
Test = Callable[[Server], bool]


def index(call: Call) -> Reply:
    """Names and links."""
    call.demand("servers:index")
    return _list(call, "index", lambda picture: brief(call, picture.server))


def detail(call: Call) -> Reply:
    """Everything."""
    call.demand("servers:detail")
    return _list(call, "detail", lambda picture: full(call, picture, alone=False))


def show(call: Call) -> Reply:
    """One."""
    server = server_of(call)
    call.demand("servers:show")
    return Reply(200, {"server": full(call, as_seen(call, server), alone=True)})


def delete(call: Call) -> Reply:
    """Begin to delete it."""
    server = server_of(call)
    call.demand("servers:delete")
    call.cloud.verbs.delete(server, call.caller)
    return Reply(204)


def _list(call: Call, kind: str, view: Callable[[Picture], dict[str, Any]]) -> Reply:
    query = dict(call.query)
    not_here = sorted(_REAL_BUT_NOT_HERE & set(query))
    if not_here:
        raise NotSimulatedError(f"the filter {not_here[0]} of servers")
    if call.at(75):
        known_keys(query, (*_PAGING, *_FOR_ALL, *_FOR_ADMINS))
    tests = [*_scope(call, query, kind), *_filters(call, query)]
    found = [as_seen(call, server) for server in call.cloud.state.servers()]
    wanted = [picture for picture in found if all(test(picture.server) for test in tests)]
    shown, links = page(call, _sorted(call, wanted), lambda picture: picture.server.id)
    return Reply(200, listing("servers", [view(picture) for picture in shown], links))


def _scope(call: Call, query: Mapping[str, str], kind: str) -> list[Test]:
    """Which projects, and whether deleted servers too."""
    tests: list[Test] = []
    if true(query.get("all_tenants")):
        call.demand(f"servers:{kind}:get_all_tenants")
    else:
        mine = call.caller.project_id
        tests.append(lambda server: server.project_id == mine)
    deleted = true(query.get("deleted")) and _may_filter(call)
    if deleted:
        tests.append(lambda server: server.deleted)
    elif "changes-since" not in query:
        tests.append(lambda server: not server.deleted)
    return tests


def _may_filter(call: Call) -> bool:
    return call.cloud.policies.allow(call.caller, "servers:allow_all_filters")


def _filters(call: Call, query: Mapping[str, str]) -> list[Test]:
    """Filters for admins are left out silently for others, as Nova does."""
    tests = [_by_name(query["name"])] if "name" in query else []
    if "status" in query:
        tests.append(_by_status(call, call.query.getall("status")))
    if "image" in query:
        tests.append(lambda server: server.image_id == query["image"])
    if "flavor" in query:
        tests.append(lambda server: query["flavor"] == server.flavor.id)
    if "locked" in query:
        tests.append(lambda server: server.locked is true(query["locked"]))
    tests += _by_time(query)
    if _may_filter(call):
        tests += [_by_field(query, key) for key in _FOR_ADMINS if key in query and key != "deleted"]
    return tests


def _by_name(pattern: str) -> Test:
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise RefusalError(400, f"Invalid input for query parameters name. Value: {pattern}. {error}") from error
    return lambda server: found.search(server.name) is not None


def _by_status(call: Call, statuses: list[str]) -> Test:
    known = [states_of(status) for status in statuses]
    states = [entry for entry in known if entry is not None]
    if not states:
        if call.at(38):
            raise RefusalError(400, "Invalid status value")
        return lambda _: False
    vm_states = frozenset().union(*(entry[0] for entry in states))
    task_states = frozenset().union(*(entry[1] for entry in states))
    return lambda server: server.vm_state in vm_states and (not task_states or server.task_state in task_states)


def _by_time(query: Mapping[str, str]) -> list[Test]:
    tests: list[Test] = []
    if "changes-since" in query:
        since = time_of(query, "changes-since")
        tests.append(lambda server: int(server.updated) >= since)
    if "changes-before" in query:
        before = time_of(query, "changes-before")
        tests.append(lambda server: int(server.updated) <= before)
    return tests


def time_of(query: Mapping[str, str], key: str) -> float:
    """A time of a query; refuses with 400."""
    try:
        return stamps.parse(query[key])
    except ValueError as error:
        value = query[key]
        raise RefusalError(
            400, f"Invalid input for query parameters {key}. Value: {value}. {value!r} is not a 'date-time'"
        ) from error


def _by_field(query: Mapping[str, str], key: str) -> Test:
    value = query[key]
    field = {"tenant_id": "project_id", "uuid": "id", "availability_zone": "zone"}.get(key, key)
    wanted = None if key == "task_state" and value == "None" else value
    if key == "power_state":
        return lambda server: str(server.power_state) == wanted
    return lambda server: bool(getattr(server, field) == wanted)


def _sorted(call: Call, pictures: list[Picture]) -> list[Picture]:
    """By the keys asked for, else newest first; the rest of the order is that of Nova's default."""
    keys = call.query.getall("sort_key", []) or ["created_at"]
    directions = call.query.getall("sort_dir", [])
    ordered = sorted(pictures, key=lambda picture: (picture.server.created, picture.server.id), reverse=True)
    for position in reversed(range(len(keys))):
        direction = directions[position] if position < len(directions) else "desc"
        ordered.sort(key=_order(keys[position]), reverse=direction != "asc")
    return ordered


def _order(key: str) -> Callable[[Picture], Any]:
    read = _SORT.get(key)
    if read is None:
        raise RefusalError(400, f"Sort key supplied is invalid: {key}")
    return lambda picture: read(picture.server)
