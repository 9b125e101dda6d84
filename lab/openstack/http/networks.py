"""Neutron v2.0, as much as clients of Nova need (openstack sheet §1, §10)."""

from __future__ import annotations

from typing import Any

from lab.openstack.http.bodies import true
from lab.openstack.http.calls import Call
from lab.openstack.http.replies import Reply, neutron_form
from lab.openstack.http.routing import Route, Service
from lab.openstack.media import Network
from lab.openstack.refusals import NotSimulatedError, RefusalError

_FILTERS = ("name", "id", "shared", "fields", "limit", "marker")


def _root(call: Call) -> Reply:
    version = {"id": "v2.0", "status": "CURRENT", "links": [{"rel": "self", "href": f"{call.base}/v2.0/"}]}
    return Reply(200, {"versions": [version]})


def _networks(call: Call) -> Reply:
    unknown = sorted(set(call.query) - set(_FILTERS))
    if unknown:
        raise NotSimulatedError(f"the filter {unknown[0]} of networks")
    found = [network for network in call.cloud.media.networks if _wanted(call, network)]
    return Reply(200, {"networks": [_view(call, network) for network in found]})


def _wanted(call: Call, network: Network) -> bool:
    shared = call.query.get("shared")
    return (
        call.query.get("name") in (None, network.name)
        and call.query.get("id") in (None, network.id)
        and (shared is None or true(shared) is network.shared)
        and "marker" not in call.query
    )


def _show(call: Call) -> Reply:
    network = call.cloud.media.network(call.name("id"))
    if network is None:
        raise RefusalError(404, f"Network {call.name('id')} could not be found.")
    return Reply(200, {"network": _view(call, network)})


def _view(call: Call, network: Network) -> dict[str, Any]:
    project = call.cloud.directory.projects[0].id
    return {
        "id": network.id,
        "name": network.name,
        "status": "ACTIVE",
        "admin_state_up": True,
        "shared": network.shared,
        "router:external": False,
        "mtu": 1450,
        "subnets": [network.subnet_id],
        "project_id": project,
        "tenant_id": project,
        "availability_zones": ["nova"],
        "availability_zone_hints": [],
        "port_security_enabled": True,
        "description": "",
        "tags": [],
    }


NEUTRON = Service(
    "network",
    neutron_form,
    (
        Route("GET", "", _root, open=True),
        Route("GET", "v2.0/networks", _networks),
        Route("GET", "v2.0/networks/{id}", _show),
    ),
)
