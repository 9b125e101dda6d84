"""What `/etc/config/conf.json` sets for these controllers, by default as the chart does (cortex sheet §6, §9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

GENERAL_PURPOSE = "kvm-general-purpose-load-balancing"
_PIPELINES = MappingProxyType({"*": GENERAL_PURPOSE})


@dataclass(frozen=True, slots=True)
class Settings:
    """Times in product seconds, 0 where the file leaves a key out.

    active, retry, grace: requeueIntervalActive, …Retry, …GracePeriod. allocation_grace: allocationGracePeriod.
    oversubscription: enableOversubscriptionCheck, eviction: …ReservationEviction; oversubscription_grace and
    oversubscription_check: …GracePeriod, …MinCheckInterval. commitment_retry and commitment_longest: of the
    CommittedResource controller, with max_slots. usage_cooldown: of the usage reconciler. pipelines: by flavor group,
    `*` for the rest. url: where these controllers ask their own scheduler.
    """

    active: float = 300.0
    retry: float = 60.0
    grace: float = 60.0
    allocation_grace: float = 900.0
    oversubscription: bool = True
    eviction: bool = True
    oversubscription_grace: float = 180.0
    oversubscription_check: float = 60.0
    commitment_retry: float = 60.0
    commitment_longest: float = 1800.0
    max_slots: int = 0
    usage_cooldown: float = 300.0
    pipeline_default: str = GENERAL_PURPOSE
    pipelines: Mapping[str, str] = field(default_factory=lambda: _PIPELINES)
    url: str = "http://localhost:8080/scheduler/nova/external"

    def pipeline(self, group: str) -> str:
        """Which pipeline places slots of a flavor group."""
        return self.pipelines.get(group) or self.pipelines.get("*") or self.pipeline_default
