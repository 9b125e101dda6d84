"""GET /servers/{id}/os-instance-actions (openstack sheet §5)."""

from __future__ import annotations

import hashlib
from typing import Any

from lab.openstack import stamps
from lab.openstack.compute.actions import Action, Event
from lab.openstack.compute.servers import Server
from lab.openstack.http.calls import Call
from lab.openstack.http.nova.servers import time_of
from lab.openstack.http.paging import listing, page
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import RefusalError


def index(call: Call) -> Reply:
    """Newest first."""
    server = _server(call)
    call.demand("os-instance-actions:list")
    actions = list(reversed(call.cloud.state.actions_of(server.id)))
    query = dict(call.query)
    if call.at(58) and "changes-since" in query:
        since = time_of(query, "changes-since")
        actions = [one for one in actions if int(one.updated) >= since]
    if call.at(66) and "changes-before" in query:
        before = time_of(query, "changes-before")
        actions = [one for one in actions if int(one.updated) <= before]
    if not call.at(58):
        return Reply(200, {"instanceActions": [_view(call, one) for one in actions]})
    shown, links = page(call, actions, lambda one: one.request_id)
    body = listing("instanceActions", [_view(call, one) for one in shown], None)
    return Reply(200, {**body, "links": links} if links is not None else body)


def show(call: Call) -> Reply:
    """One, with its events: for admins, and from 2.51 on for all, who are not told the host."""
    server = _server(call)
    call.demand("os-instance-actions:show")
    action = call.cloud.state.action(server.id, call.name("request"))
    if action is None:
        raise RefusalError(404, f"Action for request_id {call.name('request')} on instance {server.id} not found")
    body = _view(call, action)
    if call.at(51) or call.cloud.policies.allow(call.caller, "os-instance-actions:events"):
        body["events"] = [_event(call, event, server) for event in action.events]
    return Reply(200, {"instanceAction": body})


def _server(call: Call) -> Server:
    """The server of the path, a deleted one too from 2.21 on."""
    server_id = call.name("id")
    server = call.cloud.state.any_server(server_id)
    hidden = server is None or (server.deleted and not call.at(21))
    if server is None or hidden or not (call.caller.admin or server.project_id == call.caller.project_id):
        raise RefusalError(404, f"Instance {server_id} could not be found.")
    return server


def _view(call: Call, action: Action) -> dict[str, Any]:
    body: dict[str, Any] = {
        "action": action.name,
        "instance_uuid": action.server_id,
        "request_id": action.request_id,
        "user_id": action.user_id,
        "project_id": action.project_id,
        "start_time": stamps.naive(action.start),
        "message": action.message,
    }
    return {**body, "updated_at": stamps.naive(action.updated)} if call.at(58) else body


def _event(call: Call, event: Event, server: Server) -> dict[str, Any]:
    admin = call.cloud.policies.allow(call.caller, "os-instance-actions:events")
    body: dict[str, Any] = {
        "event": event.name,
        "start_time": stamps.naive(event.start),
        "finish_time": stamps.naive(event.finish),
        "result": event.result,
    }
    if admin:
        body["traceback"] = event.details
    if call.at(62):
        name = f"{server.project_id}{event.host}"
        body["hostId"] = hashlib.sha224(name.encode()).hexdigest() if event.host else ""
        if admin:
            body["host"] = event.host or None
    if call.at(84) and call.cloud.policies.allow(call.caller, "os-instance-actions:events:details"):
        body["details"] = event.details
    return body
