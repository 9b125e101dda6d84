"""os-services, with UUIDs as from 2.53 on (openstack sheet §7)."""

from __future__ import annotations

from typing import Any

from lab.openstack import stamps
from lab.openstack.compute.hosts import Host
from lab.openstack.http.bodies import boolean, fields, invalid, is_uuid, text
from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import NotSimulatedError, RefusalError

BINARY = "nova-compute"
_REPORT = 10  # seconds between two reports of a service that is up


def index(call: Call) -> Reply:
    """Compute services; those of the controllers are not simulated and not listed."""
    _demand_uuids(call)
    call.demand("os-services:list")
    host, binary = call.query.get("host"), call.query.get("binary")
    found = [one for one in call.cloud.state.hosts.values() if host in (None, one.name) and binary in (None, BINARY)]
    return Reply(200, {"services": [_view(call, one) for one in found]})


def update(call: Call) -> Reply:
    """Enable, disable, force down."""
    _demand_uuids(call)
    call.demand("os-services:update")
    wanted = fields(call.json(), "service", (), ("status", "disabled_reason", "forced_down"))
    status, reason = wanted.get("status"), wanted.get("disabled_reason")
    if status not in (None, "enabled", "disabled"):
        raise invalid("status", status, f"{status!r} is not one of ['enabled', 'disabled']")
    if reason is not None:
        text(reason, "disabled_reason")
    host = _host(call, "Service {} could not be found.")
    if status is None and "forced_down" not in wanted:
        raise RefusalError(400, "No updates were requested. Fields 'status' or 'forced_down' should be specified.")
    if status == "enabled" and reason is not None:
        raise RefusalError(400, "Specifying 'disabled_reason' with status 'enabled' is invalid.")
    if status == "enabled":
        host = call.cloud.services.enable(host)
    elif status == "disabled":
        host = call.cloud.services.disable(host, reason)
    if "forced_down" in wanted:
        host = call.cloud.services.force_down(host, boolean(wanted["forced_down"], "forced_down"))
    return Reply(200, {"service": _view(call, host)})


def delete(call: Call) -> Reply:
    """Take it away."""
    _demand_uuids(call)
    call.demand("os-services:delete")
    call.cloud.services.delete(_host(call, "Service {} not found."))
    return Reply(204)


def _host(call: Call, missing: str) -> Host:
    wanted = call.name("id")
    if not is_uuid(wanted):
        raise RefusalError(400, f"Invalid uuid {wanted}")
    host = call.cloud.state.host_by_service(wanted)
    if host is None:
        raise RefusalError(404, missing.format(wanted))
    return host


def _demand_uuids(call: Call) -> None:
    if not call.at(53):
        raise NotSimulatedError("os-services below microversion 2.53")


def _view(call: Call, host: Host) -> dict[str, Any]:
    now = call.cloud.clock.now()
    reported = max(host.updated, now - now % _REPORT) if host.up else host.updated
    return {
        "id": host.service_id,
        "binary": BINARY,
        "host": host.name,
        "zone": host.zone,
        "status": "disabled" if host.disabled else "enabled",
        "state": "up" if host.alive else "down",
        "disabled_reason": host.disabled_reason,
        "forced_down": host.forced_down,
        "updated_at": stamps.naive(reported),
    }
