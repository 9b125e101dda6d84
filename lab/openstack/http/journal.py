"""`/lab/journal`: what happened, exactly. No real cloud has it: here it proves what stamps of 1 s cannot."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from lab.openstack.compute.records import Record
from lab.openstack.http.calls import Call, Handler
from lab.openstack.http.replies import Reply, keystone_form
from lab.openstack.http.routing import Route, Service
from lab.openstack.refusals import RefusalError


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that was answered: when (product seconds since the epoch), what, and with which status.

    served: whether the service did what was asked for; a reply that was lost on the way has another status.
    """

    at: float
    service: str
    method: str
    path: str
    action: str
    status: int
    served: bool
    request_id: str


@dataclass(slots=True)
class Log:
    """All requests of a run, in order."""

    heard: list[Heard] = field(default_factory=list)

    def service(self) -> Service:
        """The routes of the journal."""
        return Service("lab", keystone_form, (Route("GET", "journal", self._handler()),))

    def _handler(self) -> Handler:
        def journal(call: Call) -> Reply:
            if "admin" not in call.demand_token().roles:
                raise RefusalError(403, "only an administrator reads the lab's journal")
            since = _since(call)
            state = call.cloud.state
            return Reply(
                200,
                {
                    "now": call.cloud.clock.now(),
                    "requests": [asdict(one) for one in self.heard if one.at >= since],
                    "external_scheduler": [asdict(one) for one in call.cloud.searches.asked if one.at >= since],
                    "migrations": [_record(record) for record in state.records()],
                    "servers": {server.id: _states(call, server.id) for server in state.servers()},
                },
            )

        return journal


def _since(call: Call) -> float:
    try:
        return float(call.query.get("since", "0"))
    except ValueError as error:
        raise RefusalError(400, "since: product seconds since the epoch are wanted") from error


def _record(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "uuid": record.uuid,
        "server": record.server_id,
        "type": record.kind,
        "request_id": record.order.request_id,
        "source": record.source_compute,
        "target": record.dest_compute,
        "hidden": record.hidden,
        "history": [list(entry) for entry in record.history],
    }


def _states(call: Call, server_id: str) -> list[list[Any]]:
    """Each change of a server: when, vm_state, task_state, power_state, host."""
    return [
        [at, server.vm_state, server.task_state, server.power_state, server.host]
        for at, server in call.cloud.state.past_of(server_id)
    ]
