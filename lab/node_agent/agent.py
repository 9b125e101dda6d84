"""The agents of all machines as one controller: a change of a domain is reported at once, everything each minute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.resources import Resource
from lab.controllers.decisions import Faults, Row, Table, decide, hold
from lab.controllers.effects import Patch, Ref, perform
from lab.controllers.runtime import Key, Mapper, Runtime, same_object
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.node_agent.domains import DOMAINS, Domains, concerned, touched
from lab.node_agent.machines import Machine
from lab.node_agent.report import changes, report
from lab.openstack.compute.records import Record
from lab.openstack.compute.servers import Server
from lab.openstack.compute.state import State

NAME = "kvm-node-agent"
PERIOD = 60.0  # product seconds between two looks when nothing happens
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Look:
    """One Hypervisor as its agent sees it. `changed`: the fields of the status that do not say what is so.

    since: when that was first seen, in product seconds since the epoch.
    """

    obj: Json
    changed: Json
    since: float

    @property
    def write(self) -> Patch:
        """The agent's fields alone, under the optimistic lock."""
        metadata = self.obj["metadata"]
        ref = Ref(HYPERVISOR, "", metadata["name"])
        return Patch(ref, {"status": dict(self.changed)}, "status", metadata["resourceVersion"])


LOOKS: Table[Look] = Table(
    NAME,
    (
        Row("as it was", lambda look: not look.changed, hold),
        Row("reported", lambda _: True, lambda look: (look.write,)),
    ),
    since=lambda look: look.since,
)


class NodeAgents:
    """Keeps every Hypervisor whose name is a host of Nova in step with that host."""

    name = NAME

    def __init__(self, api: Api, runtime: Runtime, state: State, machine: Machine, faults: Faults) -> None:
        self._api = api
        self._runtime = runtime
        self._state = state
        self._machine = machine
        self._domains = Domains(state, faults.ahead_of(DOMAINS))
        self._looks = faults.ahead_of(LOOKS)
        self._since: dict[str, float] = {}  # hosts whose status does not say what is so
        self._caller = Caller(f"system:serviceaccount:kube-system:{NAME}", ("system:masters",), NAME)
        state.listen(self._follow)
        state.listen_records(self._follow_record)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Hypervisors: each agent looks at every change of its own."""
        return {HYPERVISOR: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Report what is not in the status yet."""
        host, obj = self._state.hosts.get(key[1]), self._api.find(HYPERVISOR, *key)
        if host is None or obj is None:
            return None
        overcommit = obj["spec"].get("overcommit") or {}
        wanted = report(host, self._domains.on(host.name), self._machine, overcommit)
        changed, now = changes(obj.get("status") or {}, wanted), self._api.clock.now()
        since = self._since.setdefault(host.name, now)
        if not changed:
            del self._since[host.name]
        decision = decide(self._looks, Look(obj, changed, since), now)
        perform(decision.effects, self._api, self._caller)
        return now + PERIOD if decision.wake_at is None else decision.wake_at

    def _follow(self, before: Server | None, after: Server) -> None:
        if before is None or _shown(before) != _shown(after):
            self._poke(concerned(before, after))

    def _follow_record(self, before: Record | None, after: Record) -> None:
        self._poke(touched(before, after))

    def _poke(self, hosts: Iterable[str]) -> None:
        for host in sorted(hosts):
            self._runtime.poke(self, ("", host))


def _shown(server: Server) -> tuple[object, ...]:
    """What of a server makes a difference to its domain."""
    return server.host, server.vm_state, server.power_state, server.launched is None, server.deleted, server.flavor
