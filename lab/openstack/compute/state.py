"""What Nova knows: all servers, hosts, records and actions of one cloud, each an immutable value."""

from __future__ import annotations

import random
import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lab.clock import Clock
from lab.openstack.compute.actions import Action
from lab.openstack.compute.flavors import Flavor
from lab.openstack.compute.hosts import Aggregate, Group, Host
from lab.openstack.compute.records import Record
from lab.openstack.compute.servers import Server

ServerListener = Callable[[Server | None, Server], None]
RecordListener = Callable[[Record | None, Record], None]


class State:
    """The database of one Nova. Servers and records that are deleted stay, marked."""

    def __init__(self, clock: Clock, seed: int) -> None:
        self.clock = clock
        self.hosts: dict[str, Host] = {}
        self.flavors: dict[str, Flavor] = {}
        self.aggregates: dict[int, Aggregate] = {}
        self.groups: dict[str, Group] = {}
        self._servers: dict[str, Server] = {}
        self._past: dict[str, list[tuple[float, Server]]] = {}
        self._records: dict[int, Record] = {}
        self._records_by_server: dict[str, list[int]] = {}
        self._open: set[int] = set()  # numbers of records that are not over
        self._actions: dict[str, dict[str, Action]] = {}  # by server, then by request
        self._rng = random.Random(f"{seed}/openstack/ids")
        self._listeners: list[ServerListener] = []
        self._record_listeners: list[RecordListener] = []

    def new_id(self) -> str:
        """A uuid from the seed."""
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    def listen(self, listener: ServerListener) -> None:
        """Follow all changes of servers."""
        self._listeners.append(listener)

    def listen_records(self, listener: RecordListener) -> None:
        """Follow all changes of migration records."""
        self._record_listeners.append(listener)

    # servers

    def servers(self) -> Iterator[Server]:
        """All servers, deleted ones too, oldest first."""
        return iter(tuple(self._servers.values()))

    def server(self, server_id: str) -> Server | None:
        """A server that is not deleted."""
        found = self._servers.get(server_id)
        return found if found is not None and not found.deleted else None

    def any_server(self, server_id: str) -> Server | None:
        """A server, deleted or not."""
        return self._servers.get(server_id)

    def servers_on(self, host: str) -> list[Server]:
        """Servers whose host this is now."""
        return [server for server in self._servers.values() if server.host == host and not server.deleted]

    def server_at(self, server_id: str, when: float) -> Server | None:
        """The server as it was at that time; its first state for times before it."""
        past = self._past.get(server_id)
        if past is None:
            return None
        index = bisect_right([at for at, _ in past], when) - 1
        return past[max(0, index)][1]

    def past_of(self, server_id: str) -> list[tuple[float, Server]]:
        """Every state a server was in, with the time it began."""
        return list(self._past.get(server_id, ()))

    def add_server(self, server: Server) -> None:
        """A new server."""
        self._save(None, server)

    def change_server(self, server_id: str, fields: Mapping[str, Any]) -> Server:
        """Save a change: `updated` moves, `entered` too when a state changes."""
        before, now = self._servers[server_id], self.clock.now()
        after = replace(before, **fields)
        moved = (before.vm_state, before.task_state) != (after.vm_state, after.task_state)
        after = replace(after, updated=now, entered=now if moved else before.entered)
        self._save(before, after)
        return after

    def _save(self, before: Server | None, after: Server) -> None:
        self._servers[after.id] = after
        past = self._past.setdefault(after.id, [])
        if before is not None and _state(before) == _state(after):
            past[-1] = (past[-1][0], after)  # progress, a lock: the same state
        else:
            past.append((self.clock.now(), after))
        for listener in tuple(self._listeners):
            listener(before, after)

    # migration records

    def records(self) -> Iterator[Record]:
        """All records, hidden ones too, oldest first."""
        return iter(tuple(self._records.values()))

    def record(self, number: int) -> Record | None:
        """A record by its number, hidden or not."""
        return self._records.get(number)

    def next_record(self) -> int:
        """The number of the next record; numbers are never used again."""
        return len(self._records) + 1

    def records_of(self, server_id: str) -> list[Record]:
        """Records of a server, oldest first."""
        return [self._records[number] for number in self._records_by_server.get(server_id, ())]

    def open_records(self) -> list[Record]:
        """Records that are not over, oldest first."""
        return [self._records[number] for number in sorted(self._open)]

    def add_record(self, record: Record) -> None:
        """A new record."""
        added = self._records[record.id] = replace(record, history=((self.clock.now(), record.status),))
        self._records_by_server.setdefault(record.server_id, []).append(record.id)
        self._open.add(record.id)
        self._tell(None, added)

    def change_record(self, number: int, fields: Mapping[str, Any]) -> Record:
        """Save a change: `updated` moves, `entered` too with the stage, and a new status joins the history."""
        before, now = self._records[number], self.clock.now()
        after = replace(before, updated=now, **fields)
        if after.stage is not before.stage:
            after = replace(after, entered=now)
        if after.status != before.status:
            after = replace(after, history=(*before.history, (now, after.status)))
        self._records[number] = after
        if after.over:
            self._open.discard(number)
        self._tell(before, after)
        return after

    def _tell(self, before: Record | None, after: Record) -> None:
        for listener in tuple(self._record_listeners):
            listener(before, after)

    # actions

    def actions_of(self, server_id: str) -> list[Action]:
        """Actions of a server, oldest first; they survive it."""
        return list(self._actions.get(server_id, {}).values())

    def action(self, server_id: str, request_id: str) -> Action | None:
        """One action."""
        return self._actions.get(server_id, {}).get(request_id)

    def put_action(self, action: Action) -> None:
        """A new action, or a new state of one."""
        self._actions.setdefault(action.server_id, {})[action.request_id] = action

    # the rest

    def host_by_hypervisor(self, hypervisor_id: str) -> Host | None:
        """The host with that hypervisor."""
        return next((host for host in self.hosts.values() if host.hypervisor_id == hypervisor_id), None)

    def host_by_service(self, service_id: str) -> Host | None:
        """The host with that service."""
        return next((host for host in self.hosts.values() if host.service_id == service_id), None)

    def change_host(self, name: str, fields: Mapping[str, Any]) -> Host:
        """Save a change of a service."""
        host = self.hosts[name] = replace(self.hosts[name], updated=self.clock.now(), **fields)
        return host


def _state(server: Server) -> tuple[object, ...]:
    """What makes one state of a server another."""
    return server.vm_state, server.task_state, server.power_state, server.host, server.deleted
