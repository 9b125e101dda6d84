"""GET /flavors: what clients need to show the flavor of a server."""

from __future__ import annotations

from typing import Any

from lab.openstack.compute.flavors import Flavor
from lab.openstack.http.calls import Call
from lab.openstack.http.nova.views import links
from lab.openstack.http.paging import listing, page
from lab.openstack.http.replies import Reply
from lab.openstack.refusals import RefusalError


def index(call: Call) -> Reply:
    """Names and links."""
    shown, more = _page(call)
    entries = [_brief(call, flavor) for flavor in shown]
    return Reply(200, listing("flavors", entries, more))


def detail(call: Call) -> Reply:
    """Everything."""
    shown, more = _page(call)
    return Reply(200, listing("flavors", [_full(call, flavor) for flavor in shown], more))


def show(call: Call) -> Reply:
    """One."""
    return Reply(200, {"flavor": _full(call, _found(call))})


def extra_specs(call: Call) -> Reply:
    """Its extra specs."""
    return Reply(200, {"extra_specs": dict(_found(call).extra_specs)})


def _found(call: Call) -> Flavor:
    found = call.cloud.state.flavors.get(call.name("id"))
    if found is None:
        raise RefusalError(404, f"Flavor {call.name('id')} could not be found.")
    return found


def _page(call: Call) -> tuple[list[Flavor], list[dict[str, str]] | None]:
    return page(call, list(call.cloud.state.flavors.values()), lambda flavor: flavor.id)


def _brief(call: Call, flavor: Flavor) -> dict[str, Any]:
    body = {"id": flavor.id, "name": flavor.name, "links": links(call, "flavors", flavor.id)}
    return {**body, "description": None} if call.at(55) else body


def _full(call: Call, flavor: Flavor) -> dict[str, Any]:
    body = {
        **_brief(call, flavor),
        "ram": flavor.ram,
        "disk": flavor.disk,
        "swap": 0 if call.at(75) else "",
        "vcpus": flavor.vcpus,
        "rxtx_factor": 1.0,
        "OS-FLV-EXT-DATA:ephemeral": 0,
        "OS-FLV-DISABLED:disabled": False,
        "os-flavor-access:is_public": True,
    }
    return {**body, "extra_specs": dict(flavor.extra_specs)} if call.at(61) else body
