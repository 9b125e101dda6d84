"""Finds what a path names, as this caller may."""

from __future__ import annotations

from lab.openstack.compute.servers import Server
from lab.openstack.http.calls import Call
from lab.openstack.refusals import RefusalError


def server_of(call: Call, key: str = "id") -> Server:
    """The server of the path; refuses with 404 what is not there, or belongs to a project of others."""
    server_id = call.name(key)
    server = call.cloud.state.server(server_id)
    if server is None or not (call.caller.admin or server.project_id == call.caller.project_id):
        raise RefusalError(404, f"Instance {server_id} could not be found.")
    return server
