"""Compute hosts: a compute service, its hypervisor, and the servers that Nova lists on it (openstack sheet §6, §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from utilities.errors import NotFound
from utilities.evidence.steps import step
from utilities.nova.connection import Cloud
from utilities.nova.polling import Polls
from utilities.nova.undoing import SERVICE, undone
from utilities.reversible import UNWRITTEN, Entry, Journal


@dataclass(frozen=True, slots=True)
class Host:
    """One compute host. name: of its service, and of the operator's Hypervisor. hypervisor: its longer host name.

    hypervisor_id: also the uuid of its resource provider in Placement. servers: names by uuid; a server that is on its
    way off is among them, one that is on its way to it is not.
    """

    name: str
    hypervisor: str
    hypervisor_id: str
    service_id: str
    enabled: bool
    up: bool
    disabled_reason: str | None
    servers: Mapping[str, str]

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Of a `hypervisor` with details and servers."""
        return cls(
            name=body["service"]["host"],
            hypervisor=body["hypervisor_hostname"],
            hypervisor_id=body["id"],
            service_id=body["service"]["id"],
            enabled=body["status"] == "enabled",
            up=body["state"] == "up",
            disabled_reason=body["service"]["disabled_reason"],
            servers={server["uuid"]: server["name"] for server in body.get("servers") or ()},
        )

    @property
    def state(self) -> str:
        """In words."""
        reason = f" ({self.disabled_reason})" if self.disabled_reason else ""
        word = "enabled" if self.enabled else f"disabled{reason}"
        return f"{word}, {'up' if self.up else 'down'}, {len(self.servers)} servers"


@dataclass(frozen=True, slots=True)
class Hosts:
    """All compute hosts. undo: where changes are written down until they are taken back."""

    cloud: Cloud
    polls: Polls
    undo: Journal = UNWRITTEN

    def all(self) -> tuple[Host, ...]:
        """By name."""
        found = self.cloud.listed("/os-hypervisors/detail", "hypervisors", query={"with_servers": True})
        return tuple(sorted(map(Host.of, found), key=lambda host: host.name))

    def named(self, name: str) -> Host:
        """One of them. Raises NotFound."""
        for host in self.all():
            if host.name == name:
                return host
        raise NotFound(
            f"{self.cloud.url}: Nova has no compute host {name}",
            next_step="check the name; the operator's Hypervisors and Nova's compute services have the same",
            code=404,
        )

    def wait(self, name: str, goal: Callable[[Host], bool], *, expecting: str, within: float) -> Host:
        """Wait until a host meets a goal. within: product seconds. Raises WaitTimeout."""
        return self.polls.wait_for(
            lambda: self.named(name),
            goal,
            subject=f"compute host {name}",
            expecting=expecting,
            within=within,
            describe=lambda host: host.state,
        )

    def enable(self, name: str) -> None:
        """Let the scheduler use a host again, as the operator does when maintenance ends."""
        with step("enable compute service", host=name):
            self._update(self.named(name), {"status": "enabled", "forced_down": False})

    @contextmanager
    def disabled(self, name: str, reason: str = "migration test plans") -> Iterator[Host]:
        """Out of the scheduler's sight for the length of the block, by Nova alone; as before afterwards."""
        before = self.named(name)
        enabled, why = before.enabled, before.disabled_reason
        known = {"name": name, "enabled": enabled, "reason": why}
        entry = Entry(SERVICE, known, f"compute service of {name}: {before.state}")
        with undone(lambda: self.restore(name, enabled, why), entry, self.undo):
            with step("disable compute service", host=name):
                self._update(before, {"status": "disabled", "disabled_reason": reason})
            yield self.named(name)

    def restore(self, name: str, enabled: bool, reason: str | None) -> None:
        """Give a compute service the state back that it had before `disabled`. Raises NotFound."""
        with step("restore compute service", host=name):
            if enabled:
                self._update(self.named(name), {"status": "enabled"})
            else:
                why = {"disabled_reason": reason} if reason else {}
                self._update(self.named(name), {"status": "disabled", **why})

    def _update(self, host: Host, body: Mapping[str, object]) -> None:
        self.cloud.compute("PUT", f"/os-services/{host.service_id}", body=body)
