"""A server as Nova showed it (openstack sheet §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from utilities.history.nova import StateSample
from utilities.nova.connection import Reply

_PREFIX = "OS-EXT-SRV-ATTR:"


class State(StrEnum):
    """States that a test can have a server in; the values are Nova's statuses."""

    ACTIVE = "ACTIVE"
    STOPPED = "SHUTOFF"
    PAUSED = "PAUSED"
    SUSPENDED = "SUSPENDED"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True, repr=False)
class Server:
    """One server as one reply showed it; it was so between `sent` and `received`, UNIX seconds on the cloud's clock.

    host: of its compute service, None while it has none. hypervisor: host name of its hypervisor. fault: why it is in
    ERROR, "" otherwise.
    """

    id: str
    name: str
    status: str
    vm_state: str
    task_state: str | None
    power_state: int
    host: str | None
    hypervisor: str | None
    fault: str
    sent: float
    received: float

    @classmethod
    def of(cls, body: Mapping[str, Any], reply: Reply) -> Self:
        """Of a `server` in a reply. The user must be an administrator: others are not told where servers are."""
        return cls(
            id=body["id"],
            name=body["name"],
            status=body["status"],
            vm_state=body["OS-EXT-STS:vm_state"],
            task_state=body["OS-EXT-STS:task_state"],
            power_state=int(body["OS-EXT-STS:power_state"]),
            host=body[f"{_PREFIX}host"],
            hypervisor=body[f"{_PREFIX}hypervisor_hostname"],
            fault=str((body.get("fault") or {}).get("message", "")),
            sent=reply.sent,
            received=reply.received,
        )

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions."""
        return f"server {self.name}"

    @property
    def state(self) -> str:
        """In words, e.g. `ACTIVE with task migrating on hv-1`, `ERROR on hv-1: it broke`."""
        task = f" with task {self.task_state}" if self.task_state else ""
        fault = f": {self.fault}" if self.fault else ""
        return f"{self.status}{task} on {self.host or 'no host'}{fault}"

    @property
    def sample(self) -> StateSample:
        """The same for histories."""
        return StateSample(
            self.id, self.sent, self.received, self.status, self.task_state, self.host, self.power_state, self.name
        )
