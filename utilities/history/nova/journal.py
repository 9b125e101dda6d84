"""A lab's journal: what happened on its cloud, exactly. No real cloud has one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from utilities.errors import NotEnoughEvidence
from utilities.history.nova.facts import Request, ServerHistory, ServerState, StatusHistory


@dataclass(frozen=True, slots=True)
class Journal:
    """The exact account, whole from before the recording began until `read` (product seconds)."""

    requests: tuple[Request, ...]
    migrations: tuple[StatusHistory, ...]
    servers: tuple[ServerHistory, ...]
    read: float

    @classmethod
    def of(cls, answer: Mapping[str, Any], names: Mapping[str, str] | None = None) -> Journal:
        """Of the decoded answer to `GET /lab/journal`. names: of servers, by uuid.

        Raises NotEnoughEvidence if it is not what a lab answers.
        """
        try:
            return cls(
                requests=tuple(_request(entry) for entry in answer["requests"] if entry["service"] == "compute"),
                migrations=tuple(_migration(entry) for entry in answer["migrations"]),
                servers=tuple(
                    ServerHistory(uuid, tuple(_state(entry) for entry in states), (names or {}).get(uuid, ""))
                    for uuid, states in answer["servers"].items()
                ),
                read=float(answer["now"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise NotEnoughEvidence(
                f"the answer is no journal of a lab: {type(error).__name__} {error}",
                next_step="use a suite and a lab of one version; for a real cloud set no journal in the site file",
            ) from error


def _request(entry: Mapping[str, Any]) -> Request:
    parts = str(entry["path"]).split("/")
    about = parts.index("servers") + 1 if "servers" in parts else len(parts)
    server = parts[about] if about < len(parts) and parts[about] != "detail" else ""
    return Request(
        at=float(entry["at"]),
        method=entry["method"],
        path=entry["path"],
        status=int(entry["status"]),
        served=bool(entry["served"]),
        server=server,
        action=entry["action"],
        id=entry["request_id"],
    )


def _migration(entry: Mapping[str, Any]) -> StatusHistory:
    return StatusHistory(
        id=int(entry["id"]),
        uuid=entry["uuid"],
        server=entry["server"],
        kind=entry["type"],
        source=entry["source"],
        target=entry["target"],
        request=entry["request_id"],
        statuses=tuple((float(at), status) for at, status in entry["history"]),
    )


def _state(entry: list[Any]) -> ServerState:
    at, vm_state, task_state, power_state, host = entry
    return ServerState(float(at), vm_state, task_state, host, int(power_state))
