"""Servers as Nova shows them, by microversion and by role (openstack sheet §3)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Row, Table
from lab.openstack import stamps
from lab.openstack.compute.flavors import Flavor
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.compute.statuses import status_of
from lab.openstack.http.calls import Call

_WITH_PROGRESS = frozenset({"ACTIVE", "BUILD", "REBUILD", "RESIZE", "VERIFY_RESIZE", "MIGRATING"})
_WITH_FAULT = frozenset({"ERROR", "DELETED"})
_FIRST_TASKS = frozenset({"migrating", "resize_prep"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A server that is about to be shown, and the memory of what it was."""

    server: Server
    state: State
    now: float
    status_lag: float = 0.0  # seconds, of the options

    @property
    def lags(self) -> bool:
        """Whether it was asked to move so lately that its status does not say so yet."""
        return self.server.task_state in _FIRST_TASKS and self.now - self.server.entered < self.status_lag


@dataclass(frozen=True, slots=True)
class Picture:
    """What a reader gets to see: the fields of a server, and its status."""

    server: Server
    status: str


def true_picture(server: Server) -> Picture:
    """The server with the status that follows from its states."""
    return Picture(server, status_of(server.vm_state, server.task_state))


def _late_picture(server: Server) -> Picture:
    return Picture(server, status_of(server.vm_state, None))


SHOWN: Table[Seen] = Table(
    "nova-server-views",
    (
        Row("the status lags behind", lambda seen: seen.lags, answering(lambda seen: _late_picture(seen.server))),
        Row("as it is", lambda _: True, answering(lambda seen: true_picture(seen.server))),
    ),
)
"""Answers the picture that a reader gets: a stale one is a row in front.

Nova itself sets status and task in one step; that the status came later was seen in a cloud (openstack sheet §3).
"""


def as_seen(call: Call, server: Server) -> Picture:
    """The server as this reader gets to see it."""
    table = call.cloud.faults.ahead_of(SHOWN)
    seen = Seen(server, call.cloud.state, call.cloud.clock.now(), call.cloud.shape.nova.status_lag)
    picture: Picture = answer(table, seen, true_picture(server))
    return picture


def links(call: Call, kind: str, thing: str) -> list[dict[str, str]]:
    """`self` and `bookmark`."""
    return [
        {"rel": "self", "href": f"{call.base}/v2.1/{kind}/{thing}"},
        {"rel": "bookmark", "href": f"{call.base}/{kind}/{thing}"},
    ]


def brief(call: Call, server: Server) -> dict[str, Any]:
    """As in the list without details."""
    return {"id": server.id, "name": server.name, "links": links(call, "servers", server.id)}


def full(call: Call, picture: Picture, *, alone: bool) -> dict[str, Any]:
    """All fields this caller may see at this version. alone: shown by itself, not in a list."""
    server, status = picture.server, picture.status
    body: dict[str, Any] = {
        "id": server.id,
        "name": server.name,
        "status": status,
        "tenant_id": server.project_id,
        "user_id": server.user_id,
        "metadata": dict(server.metadata),
        "hostId": _host_id(server),
        "image": {"id": server.image_id, "links": links(call, "images", server.image_id)} if server.image_id else "",
        "flavor": _flavor(call, server.flavor),
        "created": stamps.zoned(server.created),
        "updated": stamps.zoned(server.updated),
        "addresses": dict(server.addresses),
        "accessIPv4": "",
        "accessIPv6": "",
        "links": links(call, "servers", server.id),
        "OS-DCF:diskConfig": "AUTO",
        "OS-EXT-AZ:availability_zone": _zone(call.cloud.state, server),
        "config_drive": "True" if server.config_drive else "",
        "key_name": server.key_name,
        "OS-SRV-USG:launched_at": stamps.naive(server.launched),
        "OS-SRV-USG:terminated_at": stamps.naive(server.terminated),
        "security_groups": [{"name": "default"}],
        "OS-EXT-STS:task_state": server.task_state,
        "OS-EXT-STS:vm_state": server.vm_state,
        "OS-EXT-STS:power_state": server.power_state,
        "os-extended-volumes:volumes_attached": _volumes(call, server),
    }
    if status in _WITH_FAULT and server.fault is not None:
        body["fault"] = _fault(call, server)
    if status in _WITH_PROGRESS:
        body["progress"] = server.progress
    return {**body, **_attributes(call, server), **_by_version(call, server, alone)}


def _by_version(call: Call, server: Server, alone: bool) -> dict[str, Any]:
    added: dict[str, Any] = {}
    if call.at(9):
        added["locked"] = server.locked
    if call.at(16) and call.cloud.policies.allow(call.caller, "servers:show:host_status"):
        added["host_status"] = _host_status(call.cloud.state, server)
    if call.at(19):
        added["description"] = server.description
    if call.at(26):
        added["tags"] = []
    if call.at(63):
        added["trusted_image_certificates"] = None
    if call.at(71) and alone:
        groups = call.cloud.state.groups.values()
        added["server_groups"] = [group.id for group in groups if server.id in group.members]
    if call.at(73):
        added["locked_reason"] = server.locked_reason
    return added


def _attributes(call: Call, server: Server) -> dict[str, Any]:
    """The block for admins; the hostname is for everybody from 2.90 on."""
    prefix = "OS-EXT-SRV-ATTR:"
    shown: dict[str, Any] = {}
    if call.cloud.policies.allow(call.caller, "os-extended-server-attributes"):
        shown = {
            f"{prefix}host": server.host,
            f"{prefix}hypervisor_hostname": server.node,
            f"{prefix}instance_name": server.instance_name,
        }
        if call.at(3):
            shown |= {
                f"{prefix}hostname": server.name,
                f"{prefix}reservation_id": server.reservation_id,
                f"{prefix}launch_index": 0,
                f"{prefix}kernel_id": "",
                f"{prefix}ramdisk_id": "",
                f"{prefix}root_device_name": "/dev/vda",
                f"{prefix}user_data": server.user_data,
            }
    elif call.at(90):
        shown[f"{prefix}hostname"] = server.name
    return shown


def _host_id(server: Server) -> str:
    if server.host is None:
        return ""
    return hashlib.sha224(f"{server.project_id}{server.host}".encode()).hexdigest()


def _zone(state: State, server: Server) -> str:
    host = state.hosts.get(server.host or "")
    return host.zone if host is not None else server.zone or ""


def _host_status(state: State, server: Server) -> str:
    host = state.hosts.get(server.host or "")
    if host is None:
        return ""
    if host.forced_down:
        return "DOWN"
    if not host.up:
        return "UNKNOWN"
    return "MAINTENANCE" if host.disabled else "UP"


def _flavor(call: Call, flavor: Flavor) -> Mapping[str, Any]:
    if not call.at(47):
        return {"id": flavor.id, "links": [links(call, "flavors", flavor.id)[1]]}
    return {
        "vcpus": flavor.vcpus,
        "ram": flavor.ram,
        "disk": flavor.disk,
        "ephemeral": 0,
        "swap": 0,
        "original_name": flavor.name,
        "extra_specs": dict(flavor.extra_specs),
    }


def _volumes(call: Call, server: Server) -> list[dict[str, Any]]:
    if server.volume_id is None:
        return []
    return [{"id": server.volume_id, **({"delete_on_termination": True} if call.at(3) else {})}]


def _fault(call: Call, server: Server) -> dict[str, Any]:
    fault = server.fault
    if fault is None:
        return {}
    body = {"code": fault.code, "created": stamps.zoned(fault.created), "message": fault.message}
    return {**body, "details": fault.details} if fault.details and call.caller.admin else body
