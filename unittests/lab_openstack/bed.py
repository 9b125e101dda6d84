"""A small cloud on a clock that the test moves."""

from __future__ import annotations

import itertools

from lab.clock import ManualClock
from lab.controllers.decisions import Faults
from lab.openstack.cloud import Cloud, build
from lab.openstack.compute.callers import Caller
from lab.openstack.compute.records import Order, Record
from lab.openstack.compute.servers import Server
from lab.openstack.compute.statuses import status_of
from lab.openstack.shape import CloudShape, HostShape, NovaOptions, ServerShape

HOSTS = ("node-1", "node-2", "node-3")
_REQUESTS = itertools.count(1)


class Bed:
    """Three hosts; `vms` servers on the first, called vm-1 and so on."""

    def __init__(self, vms: int = 1, *, seed: int = 1, faults: Faults | None = None, shape: dict | None = None,
                 vm: dict | None = None, **options) -> None:  # fmt: skip
        self.clock = ManualClock()
        servers = (ServerShape(name="vm", count=vms, host=HOSTS[0], **(vm or {})),) if vms else ()
        cloud = {
            "hosts": tuple(HostShape(name=name) for name in HOSTS),
            "servers": servers,
            "nova": NovaOptions(**options),
            **(shape or {}),
        }
        self.cloud: Cloud = build(self.clock, CloudShape(**cloud), seed=seed, faults=faults)
        self.clock.advance(60)  # guests have booted

    def caller(self, *roles: str) -> Caller:
        project = self.cloud.directory.default_project("demo")
        return Caller("someone", project.id, frozenset(roles or ("admin",)), f"req-{next(_REQUESTS)}")

    def vm(self, name: str = "vm") -> Server:
        """The server of that name as it is now."""
        return next(server for server in self.cloud.state.servers() if server.name == name)

    def status(self, name: str = "vm") -> str:
        server = self.vm(name)
        return status_of(server.vm_state, server.task_state)

    def live(self, name: str = "vm", *, host: str = "", block: bool | None = None, wait: bool = False,
             unchecked: bool = False) -> None:  # fmt: skip
        caller = self.caller()
        order = Order(caller.request_id, host, block, unchecked)
        self.cloud.verbs.live_migrate(self.vm(name), order, caller, wait=wait)

    def cold(self, name: str = "vm", host: str = "") -> None:
        caller = self.caller()
        self.cloud.verbs.migrate(self.vm(name), Order(caller.request_id, host), caller)

    def record(self, name: str = "vm") -> Record:
        """The newest record of a server."""
        return self.cloud.state.records_of(self.vm(name).id)[-1]

    def records(self) -> list[Record]:
        return list(self.cloud.state.records())

    def until(self, status: str, name: str = "vm", within: float = 120.0) -> Record:
        """Let time pass until the newest record of a server has that status."""
        for _ in range(int(within * 10)):
            records = self.cloud.state.records_of(self.vm(name).id)
            if records and records[-1].status == status:
                return records[-1]
            self.clock.advance(0.1)
        raise AssertionError(f"{name} never {status}: {self.cloud.state.records_of(self.vm(name).id)}")

    def events(self, action: str, name: str = "vm") -> list[tuple[str, str | None]]:
        """Names and results of the events of a server's newest action of that name."""
        found = [one for one in self.cloud.state.actions_of(self.vm(name).id) if one.name == action]
        return [(event.name, event.result) for event in found[-1].events]

    def held(self, consumer: str) -> dict[str, dict[str, int]]:
        """What a consumer holds, by the name of the host."""
        found = self.cloud.inventories.allocation(consumer)
        names = {host.hypervisor_id: host.name for host in self.cloud.state.hosts.values()}
        return {names[uuid]: dict(amounts) for uuid, amounts in found.resources.items()} if found else {}


def statuses(record: Record) -> list[str]:
    return [status for _, status in record.history]
