"""os-aggregates and os-server-groups (openstack sheet §8)."""

from __future__ import annotations

from typing import Any

from lab.openstack import stamps
from lab.openstack.compute.hosts import Aggregate, Group
from lab.openstack.http.bodies import fields, text, true
from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import NotSimulatedError, RefusalError

_NOT_HERE = ("set_metadata",)


def aggregates(call: Call) -> Reply:
    """All aggregates."""
    call.demand("os-aggregates:index")
    return Reply(200, {"aggregates": [_aggregate(call, one) for one in call.cloud.state.aggregates.values()]})


def aggregate(call: Call) -> Reply:
    """One."""
    call.demand("os-aggregates:show")
    return Reply(200, {"aggregate": _aggregate(call, _found(call))})


def act(call: Call) -> Reply:
    """Add or remove a host."""
    body = call.json()
    if len(body) == 1 and next(iter(body)) in _NOT_HERE:
        raise NotSimulatedError(f"the action {next(iter(body))} of aggregates")
    wanted = fields(body, "aggregate", (), ("add_host", "remove_host"))
    if len(wanted) != 1:
        raise RefusalError(400, "Malformed request body")
    action, argument = next(iter(wanted.items()))
    host = text(fields(argument, action, ("host",))["host"], "host")
    call.demand(f"os-aggregates:{action}")
    services = call.cloud.services
    change = services.add_to_aggregate if action == "add_host" else services.remove_from_aggregate
    return Reply(200, {"aggregate": _aggregate(call, change(_found(call), host))})


def _found(call: Call) -> Aggregate:
    wanted = call.name("id")
    found = call.cloud.state.aggregates.get(int(wanted)) if wanted.isdecimal() else None
    if found is None:
        raise RefusalError(404, f"Aggregate {wanted} could not be found.")
    return found


def _aggregate(call: Call, one: Aggregate) -> dict[str, Any]:
    zone = {"availability_zone": one.zone} if one.zone is not None else {}
    return {
        "id": one.id,
        **({"uuid": one.uuid} if call.at(41) else {}),
        "name": one.name,
        "availability_zone": one.zone,
        "hosts": list(one.hosts),
        "metadata": {**zone, **one.metadata},
        "created_at": stamps.naive(one.created),
        "updated_at": stamps.naive(one.updated),
        "deleted": False,
        "deleted_at": None,
    }


def groups(call: Call) -> Reply:
    """Server groups of the project, or of all for admins who ask."""
    call.demand("os-server-groups:index")
    everywhere = true(call.query.get("all_projects")) and call.cloud.policies.allow(
        call.caller, "os-server-groups:index:all_projects"
    )
    mine = call.caller.project_id
    found = [one for one in call.cloud.state.groups.values() if everywhere or one.project_id == mine]
    return Reply(200, {"server_groups": [_group(call, one) for one in found]})


def group(call: Call) -> Reply:
    """One."""
    call.demand("os-server-groups:show")
    found = call.cloud.state.groups.get(call.name("id"))
    if found is None:
        raise RefusalError(404, f"Instance group {call.name('id')} could not be found.")
    return Reply(200, {"server_group": _group(call, found)})


def _group(call: Call, one: Group) -> dict[str, Any]:
    body: dict[str, Any] = {"id": one.id, "name": one.name, "members": list(one.members)}
    if call.at(13):
        body |= {"project_id": one.project_id, "user_id": one.user_id}
    if call.at(64):
        return {**body, "policy": one.policy, "rules": {}}
    return {**body, "policies": [one.policy], "metadata": {}}
