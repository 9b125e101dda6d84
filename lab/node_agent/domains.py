"""Which libvirt domains a host has, told from what Nova knows: a server that moves is a domain on two hosts.

During a live migration the target has the domain from the start of the copy; after a cold migration the source keeps
its switched-off domain until the resize is confirmed or reverted.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.controllers.answers import answer, says
from lab.controllers.decisions import Row, Table
from lab.openstack.compute.records import LIVE, Record, Stage
from lab.openstack.compute.servers import PAUSED, RUNNING, Server
from lab.openstack.compute.state import State

_COPIED = frozenset({Stage.COPYING, Stage.POST_COPY})
_UNCONFIRMED = frozenset({Stage.MOVED, Stage.FINISHED, Stage.CONFIRMING})


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain. Paused ones are active too."""

    server: Server
    active: bool


@dataclass(frozen=True, slots=True)
class Sighting:
    """A server looked for on one host. `record`: its migration that is not over, if any."""

    host: str
    server: Server
    record: Record | None


def _arrives(seen: Sighting) -> bool:
    record = seen.record
    return record is not None and record.kind == LIVE and record.dest_compute == seen.host and record.stage in _COPIED


def _left_behind(seen: Sighting) -> bool:
    record = seen.record
    return (
        record is not None and record.kind != LIVE and record.source_compute == seen.host
        and record.stage in _UNCONFIRMED
    )  # fmt: skip


DOMAINS: Table[Sighting] = Table(
    "node-agent-domains",
    (
        Row("never launched", lambda seen: seen.server.launched is None, says(None)),
        Row("runs here", lambda seen: seen.server.host == seen.host and _runs(seen.server), says(True)),
        Row("switched off here", lambda seen: seen.server.host == seen.host, says(False)),
        Row("arrives", _arrives, says(True)),
        Row("left behind until it is confirmed", _left_behind, says(False)),
    ),
)
"""Answers whether the domain is active; a server for which no row applies has no domain on the host."""


class Domains:
    """The domains of all hosts of one cloud."""

    def __init__(self, state: State, table: Table[Sighting]) -> None:
        self._state = state
        self._table = table
        self._here: dict[str, dict[str, None]] = {}  # ids of servers by host, in the order they came
        for server in state.servers():
            self._follow(None, server)
        state.listen(self._follow)

    def on(self, host: str) -> list[Domain]:
        """Active ones first, as the agent asks libvirt, each in the order the servers were made."""
        moving = {record.server_id: record for record in self._state.open_records()}
        passing = (one for one, record in moving.items() if host in (record.source_compute, record.dest_compute))
        ids = dict.fromkeys((*self._here.get(host, ()), *passing))
        servers = sorted(filter(None, map(self._state.server, ids)), key=lambda server: (server.created, server.id))
        seen = [(one, answer(self._table, Sighting(host, one, moving.get(one.id)))) for one in servers]
        found = [Domain(server, active) for server, active in seen if active is not None]
        return sorted(found, key=lambda domain: not domain.active)

    def _follow(self, before: Server | None, after: Server) -> None:
        was = before.host if before is not None else None
        now = None if after.deleted else after.host
        if was is not None and was != now:
            self._here.get(was, {}).pop(after.id, None)
        if now is not None:
            self._here.setdefault(now, {})[after.id] = None


def concerned(before: Server | None, after: Server) -> frozenset[str]:
    """Hosts whose domains a change of a server may concern."""
    hosts = (before.host if before is not None else None, after.host)
    return frozenset(host for host in hosts if host is not None)


def touched(before: Record | None, after: Record) -> frozenset[str]:
    """Hosts whose domains a change of a migration may concern."""
    if before is not None and before.stage is after.stage:
        return frozenset()
    return frozenset(host for host in (after.source_compute, after.dest_compute) if host is not None)


def _runs(server: Server) -> bool:
    return server.power_state in (RUNNING, PAUSED) and server.vm_state != "suspended"
