"""A stand-in for KubeVirt's subresources: what a registered group looks like on the wire, without KubeVirt."""

from __future__ import annotations

from lab.apiserver.errors import ApiError
from lab.apiserver.http.aggregated import Aggregated, Reply
from lab.apiserver.http.calls import Call
from lab.apiserver.streams.tunnels import Tunnel
from unittests.apiserver_http.labserver import echo


class Machines:
    """One virtual machine, `x`, and its instance once it runs."""

    def __init__(self) -> None:
        self.running = False
        self.group = Aggregated("subresources.kubevirt.io", ("v1", "v1alpha3"))
        self.group.handle("PUT", "virtualmachines", "start", self.start)
        self.group.handle("PUT", "virtualmachines", "stop", self.stop)
        self.group.handle("GET", "virtualmachineinstances", "portforward", self.portforward)

    async def start(self, call: Call) -> Reply:
        assert call.target is not None
        if self.running:
            message = 'Operation cannot be fulfilled on virtualmachine.kubevirt.io "x": VM is already running'
            raise ApiError(409, "Conflict", message)
        self.running = True
        return Reply(202)

    async def stop(self, call: Call) -> Reply:
        self.running = False
        return Reply(202)

    async def portforward(self, call: Call) -> Tunnel:
        assert call.target is not None
        name = call.target.name
        if name != "x":
            details = {"name": name, "group": "kubevirt.io", "kind": "virtualmachineinstances"}
            raise ApiError(404, "NotFound", f'virtualmachineinstances.kubevirt.io "{name}" not found', details)
        if call.target.rest[0] != "22":
            raise ApiError(500, "InternalError", f"dialing vm: port {call.target.rest[0]}: connection refused")
        return Tunnel(*await echo())
