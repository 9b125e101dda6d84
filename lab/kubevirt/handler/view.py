"""What virt-handler sees of a VMI on its node, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.clock import parse_timestamp
from lab.controllers.events import Emit, EventType
from lab.kubevirt.config import KubeVirtConfig
from lab.kubevirt.domains import Domain
from lab.kubevirt.facts import (
    migration_state,
    node_of,
    pod_is_down,
    pod_is_ready,
)
from lab.kubevirt.handler.guests import Agent
from lab.kubevirt.seen import SeenVmi

Json = Mapping[str, Any]
DEFAULT_GRACE = 30.0  # seconds
COMPONENT = "virt-handler"


@dataclass(frozen=True, slots=True)
class HandlerView(SeenVmi):
    """A VMI, its domain and its launcher at one moment."""

    domain: Domain | None
    pod: Json | None
    config: KubeVirtConfig
    agent: Agent | None
    node: Json | None
    volumes: Mapping[str, Json]  # PVCs the VMI uses, by claim name
    start_delay: float
    shutdown_delay: float
    now: float
    stamp: str
    failure: str  # why the last sync with the domain failed, "" if it did not

    @property
    def migrating(self) -> bool:
        """Whether a migration is in progress: the main loop keeps off (sheet §2.4)."""
        state = migration_state(self.vmi)
        started = bool(state.get("startTimestamp")) and not state.get("endTimestamp")
        return started or (self.domain is not None and self.domain.suspended_for_migration)

    @property
    def elsewhere(self) -> bool:
        """Whether VMI and domain do not agree on the node: a hand-over is under way."""
        return self.domain is not None and self.domain.node != node_of(self.vmi)

    @property
    def handed_over(self) -> bool:
        """Whether virt-controller gave the VMI to its node."""
        return self.phase in ("Scheduled", "Running")

    @property
    def launcher_ready(self) -> bool:
        """Whether a domain can be started."""
        return self.pod is not None and pod_is_ready(self.pod)

    @property
    def launcher_gone(self) -> bool:
        """Whether nothing can bring the guest up any more."""
        return self.pod is None or pod_is_down(self.pod)

    @property
    def scheduled_at(self) -> float:
        """Product time at which the VMI was handed over."""
        stamps = (self.vmi.get("status") or {}).get("phaseTransitionTimestamps") or ()
        return next(
            (parse_timestamp(entry["phaseTransitionTimestamp"]) for entry in stamps if entry["phase"] == "Scheduled"),
            0.0,
        )

    @property
    def stopping(self) -> bool:
        """Whether a living guest must go."""
        domain = self.domain
        return domain is not None and not domain.ended and (self.deleting or domain.shutdown_at is not None)

    @property
    def grace(self) -> float:
        """Seconds the guest has to power off."""
        given = self.vmi["spec"].get("terminationGracePeriodSeconds")
        return DEFAULT_GRACE if given is None else float(given)

    @property
    def asked_at(self) -> float | None:
        """Product time at which the guest was asked to power off."""
        return None if self.domain is None else self.domain.shutdown_at

    def event(self, kind: EventType, reason: str, message: str) -> Emit:
        """An event of the VMI's node on the VMI."""
        return Emit(self.vmi, kind, reason, message, COMPONENT, node_of(self.vmi))
