"""The handlers behind subresources.kubevirt.io."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import NODE
from lab.apiserver.errors import ApiError
from lab.apiserver.http.aggregated import Aggregated, Reply
from lab.apiserver.http.calls import Call
from lab.apiserver.streams.tunnels import Tunnel
from lab.controllers.decisions import Faults, Table, decide
from lab.controllers.effects import perform
from lab.guests import GuestMachine, connect
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ComponentConfig
from lab.kubevirt.domains import Domains
from lab.kubevirt.facts import node_of
from lab.kubevirt.handler.guests import Agent, GuestMaker
from lab.kubevirt.kinds import VM, VMI
from lab.kubevirt.subresources import information, instances, lifecycle
from lab.kubevirt.subresources.asking import (
    Ask,
    Refuse,
    bad_request,
    decoded,
    internal,
    vm_conflict,
    vm_missing,
    vmi_conflict,
    vmi_missing,
)
from lab.kubevirt.webhooks.checks import not_simulated

GROUP = "subresources.kubevirt.io"
VERSIONS = ("v1", "v1alpha3")
_VMS, _VMIS = "virtualmachines", "virtualmachineinstances"
_UNSIMULATED = ("console", "vnc", "freeze", "unfreeze", "usbredir", "vsock", "backup")


@dataclass(frozen=True, slots=True)
class Subresources:
    """virt-api's actions. Each is a table; what is refused is refused with the product's words."""

    api: Api
    domains: Domains
    guests: GuestMaker
    config: ComponentConfig
    callers: Callers
    faults: Faults

    def aggregated(self) -> Aggregated:
        """The group, ready to be served."""
        group = Aggregated(GROUP, VERSIONS)
        for name, table in (
            ("start", lifecycle.START),
            ("stop", lifecycle.STOP),
            ("restart", lifecycle.RESTART),
            ("migrate", lifecycle.MIGRATE),
        ):
            group.handle("PUT", _VMS, name, self._action(table, 202))
        for name, table in (
            ("pause", instances.PAUSE),
            ("unpause", instances.UNPAUSE),
            ("softreboot", instances.SOFT_REBOOT),
            ("reset", instances.RESET),
        ):
            group.handle("PUT", _VMIS, name, self._action(table, 200))
        for resource in (_VMS, _VMIS):
            group.handle("PUT", resource, "evacuate", self._evacuate)
            group.handle("GET", resource, "portforward", self.port_forward)
        for name in ("guestosinfo", "userlist", "filesystemlist"):
            group.handle("GET", _VMIS, name, self.information)
        for name in _UNSIMULATED:
            for method in ("GET", "PUT"):
                group.handle(method, _VMIS, name, _refuse)
        return group

    def ask(self, namespace: str, name: str, options: bytes = b"") -> Ask:
        """What is there, and what is asked."""
        vmi = self.api.find(VMI, namespace, name)
        return Ask(
            namespace=namespace,
            name=name,
            options=decoded(options),
            vm=self.api.find(VM, namespace, name),
            vmi=vmi,
            domain=None if vmi is None else self.domains.get(vmi["metadata"]["uid"]),
            domains=self.domains,
        )

    def act(self, table: Table[Ask], ask: Ask) -> None:
        """Decide and do it as virt-api; raises ApiError to refuse."""
        decision = decide(self.faults.ahead_of(table), ask, float("inf"))
        if ask.dry_run and table is not lifecycle.MIGRATE:
            refusals = [effect for effect in decision.effects if isinstance(effect, Refuse)]
            perform(refusals, self.api, self.callers.api)
            return
        perform(decision.effects, self.api, self.callers.api)

    async def information(self, call: Call) -> Reply:
        """guestosinfo and its like: errors come out as 500 and plain text."""
        ask = self.ask(*_target(call))
        try:
            information.check(ask)
        except ApiError as error:
            return Reply(500, information.as_text(error))
        agent = None if ask.domain is None else self.guests.agent(ask.domain.guest)
        if agent is None:
            return Reply(500, "the guest agent does not answer")
        return Reply(200, _INFORMATION[_subresource(call)](agent))

    async def port_forward(self, call: Call) -> Tunnel:
        """A connection to a port of the guest."""
        namespace, name = _target(call)
        ask = self.ask(namespace, name)
        if call.target is not None and call.target.plural == _VMS:
            _check_started(ask)
        if ask.vmi is None:
            raise vmi_missing(name)
        if ask.has("Paused"):
            raise vmi_conflict(name, "VMI is paused")
        interfaces = (ask.vmi.get("status") or {}).get("interfaces")
        if not interfaces:
            raise bad_request("no network interfaces are present")
        port, protocol = _port(call)
        address = f"{interfaces[0].get('ipAddress', '')}:{port}"
        guest = None if ask.domain is None else ask.domain.guest
        if protocol != "tcp" or not isinstance(guest, GuestMachine):
            raise internal(f"dialing VM: dial {protocol} {address}: connect: connection refused")
        try:
            reader, writer = await connect(guest, port)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise internal(f"dialing VM: dial {protocol} {address}: connect: {why}") from error
        return Tunnel(reader, writer)

    async def _evacuate(self, call: Call) -> Reply:
        if call.target is None or call.target.rest != ("cancel",):
            raise ApiError(404, "NotFound", "the server could not find the requested resource", {})
        ask = self.ask(*_target(call), await call.body())
        if call.target.plural == _VMS:
            _check_started(ask)
        self._check_drain_taint(ask)
        self.act(instances.EVACUATE_CANCEL, ask)
        return Reply(200)

    def _check_drain_taint(self, ask: Ask) -> None:
        """A node that is being drained the old way cannot be told to stop."""
        vmi = ask.vmi or {}
        node = (vmi.get("status") or {}).get("evacuationNodeName") or (node_of(vmi) if vmi else "")
        key = self.config.current.migrations.node_drain_taint_key
        found = self.api.find(NODE, "", node) if node else None
        for taint in (found or {}).get("spec", {}).get("taints") or ():
            if taint.get("key") == key and taint.get("effect") == "NoSchedule":
                raise bad_request(f'Node "{node}" has NodeDrainTaintKey "{key}:NoSchedule"')

    def _action(self, table: Table[Ask], status: int) -> Callable[[Call], Awaitable[Reply]]:
        async def handle(call: Call) -> Reply:
            self.act(table, self.ask(*_target(call), await call.body()))
            return Reply(status)

        return handle


_INFORMATION: Mapping[str, Callable[[Agent], Mapping[str, Any]]] = {
    "guestosinfo": information.guest_os_info,
    "userlist": lambda _: information.user_list(),
    "filesystemlist": lambda _: information.file_systems(),
}


async def _refuse(call: Call) -> Reply:
    raise not_simulated(f"the {_subresource(call)} subresource")


def _check_started(ask: Ask) -> None:
    if ask.vm is None:
        raise vm_missing(ask.name)
    if not (ask.vm.get("status") or {}).get("created"):
        raise vm_conflict(ask.name, "VMI is not started")


def _target(call: Call) -> tuple[str, str]:
    target = call.target
    return ("", "") if target is None else (target.namespace or "", target.name)


def _subresource(call: Call) -> str:
    return "" if call.target is None else call.target.subresource


def _port(call: Call) -> tuple[int, str]:
    rest = () if call.target is None else call.target.rest
    if not rest:
        raise bad_request("port must not be empty")
    if not rest[0].isdecimal() or not 0 < int(rest[0]) < 65536:
        raise internal(f"dialing VM: dial tcp: address {rest[0]}: invalid port")
    return int(rest[0]), rest[1] if len(rest) > 1 else "tcp"
