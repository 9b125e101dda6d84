"""Nova's scheduler: which host takes a server. Deterministic: the emptiest that fits, then by name (sheet §5, §8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.controllers.answers import answer, answering, says
from lab.controllers.decisions import Row, Table
from lab.openstack.compute.hosts import Group, Host
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State
from lab.openstack.placement.providers import DISABLED, Inventories

NO_HOST = "No valid host was found. "
NOT_ENOUGH = "There are not enough hosts available."
_SHARED_NEEDED = (
    "Live migration can not be used without shared storage except a booted from volume VM which does not have a local "
    "disk."
)
_SHARED_REFUSED = "Block migration can not be used with shared storage."


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for. `host`: only that one. `block`: whether disks are copied, None if Nova finds out."""

    server: Server
    exclude: frozenset[str] = frozenset()
    host: str = ""
    live: bool = False
    block: bool | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One host that is looked at."""

    wish: Wish
    host: Host
    traits: frozenset[str]
    fits: bool
    group: Group | None
    members: tuple[str, ...]  # of the server's group that are on this host
    elsewhere: bool  # whether other members of the group are on other hosts


@dataclass(frozen=True, slots=True)
class Choice:
    """The host that was found, or why there is none."""

    host: Host | None
    reason: str = ""


def _affine(candidate: Candidate) -> bool:
    policy = candidate.group.policy if candidate.group is not None else ""
    if policy == "anti-affinity":
        return not candidate.members
    return policy != "affinity" or not candidate.elsewhere


FILTERS: Table[Candidate] = Table(
    "nova-host-filters",
    (
        Row("excluded", lambda c: c.host.name in c.wish.exclude, says("excluded")),
        Row("another host is asked for", lambda c: c.wish.host not in ("", c.host.name), says("not asked for")),
        Row("another zone is asked for", lambda c: c.wish.server.zone not in (None, c.host.zone), says("zone")),
        Row("disabled", lambda c: c.host.disabled or DISABLED in c.traits, says("disabled")),
        Row("down", lambda c: not c.host.alive, says("down")),
        Row("full", lambda c: not c.fits, says("capacity")),
        Row("server group", lambda c: not _affine(c), says("server group")),
    ),
)
"""Each row answers which filter drops the host; a host for which no row applies fits."""

PRE_CHECKS: Table[Candidate] = Table(
    "nova-live-pre-checks",
    (
        Row(
            "local disks stay",
            lambda c: c.wish.live and c.wish.block is False and c.wish.server.disk == "local",
            answering(lambda c: f"{c.host.name} is not on shared storage: {_SHARED_NEEDED}"),
        ),
        Row(
            "shared disks are copied",
            lambda c: c.wish.live and c.wish.block is True and c.wish.server.disk == "shared",
            answering(lambda c: f"{c.host.name} is on shared storage: {_SHARED_REFUSED}"),
        ),
    ),
)
"""Each row answers why the host cannot take a running server."""


def resources_of(server: Server) -> dict[str, int]:
    """What a server needs, in Placement's classes."""
    wanted = {"VCPU": server.flavor.vcpus, "MEMORY_MB": server.flavor.ram}
    if server.disk == "local" and server.flavor.disk:
        wanted["DISK_GB"] = server.flavor.disk
    return wanted


def no_host(wish: Wish, failed: str) -> str:
    """What is said when none was found. failed: the last pre-check, told only where one host was asked for."""
    return f"Migration pre-check error: {failed}" if wish.host and failed else NO_HOST + NOT_ENOUGH


@dataclass(frozen=True, slots=True)
class Scheduler:
    """The scheduler and the pre-checks of one cloud."""

    state: State
    inventories: Inventories
    filters: Table[Candidate]
    pre_checks: Table[Candidate]

    def choose(self, wish: Wish) -> Choice:
        """The emptiest host that fits and passes; a failed pre-check is told only where that host was asked for."""
        failed = ""
        for host, _ in self.weighed(wish):
            failed = self.unfit(wish, host)
            if not failed:
                return Choice(host)
        return Choice(None, no_host(wish, failed))

    def weighed(self, wish: Wish) -> list[tuple[Host, float]]:
        """Hosts that pass the filters, best first, each with its weight: the share of its memory that is free."""
        candidates = [_candidate(self.state, self.inventories, wish, host) for host in self.state.hosts.values()]
        fitting = [candidate.host for candidate in candidates if answer(self.filters, candidate) is None]
        weights = {host.name: 1.0 - _memory_used(self.inventories, host) for host in fitting}
        return [(host, weights[host.name]) for host in sorted(fitting, key=lambda h: (-weights[h.name], h.name))]

    def unfit(self, wish: Wish, host: Host) -> str:
        """Why a host cannot take the running server after all; "" if it can."""
        return str(answer(self.pre_checks, _candidate(self.state, self.inventories, wish, host), ""))

    def fits(self, wish: Wish, host: Host) -> bool:
        """Whether Placement has what the server needs on a host now."""
        return _candidate(self.state, self.inventories, wish, host).fits

    def group_of(self, server: Server) -> tuple[Group | None, tuple[str, ...]]:
        """The group of a server, and the hosts of all its members."""
        group = next((group for group in self.state.groups.values() if server.id in group.members), None)
        found = (self.state.server(member) for member in group.members) if group is not None else ()
        return group, tuple(dict.fromkeys(one.host for one in found if one is not None and one.host is not None))


def _candidate(state: State, inventories: Inventories, wish: Wish, host: Host) -> Candidate:
    provider = inventories.find(host.hypervisor_id)
    group = next((group for group in state.groups.values() if wish.server.id in group.members), None)
    others = _others(state, group, wish.server.id)
    here = tuple(server.id for server in others if server.host == host.name)
    return Candidate(
        wish,
        host,
        provider.traits if provider is not None else frozenset(),
        provider is not None and inventories.fits(provider.uuid, resources_of(wish.server)),
        group,
        here,
        len(here) != len(others),
    )


def _others(state: State, group: Group | None, server_id: str) -> list[Server]:
    ids: Iterable[str] = group.members if group is not None else ()
    found = (state.server(member) for member in ids if member != server_id)
    return [server for server in found if server is not None and server.host is not None]


def _memory_used(inventories: Inventories, host: Host) -> float:
    provider = inventories.provider(host.hypervisor_id)
    capacity = provider.inventories["MEMORY_MB"].capacity
    return inventories.usages(host.hypervisor_id)["MEMORY_MB"] / capacity if capacity else 1.0
