"""A CommittedResource as its controllers read it (cortex sheet §1.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.builtin.conditions import condition
from lab.clock import parse_timestamp

Json = Mapping[str, Any]
ACTIVE = ("guaranteed", "confirmed")
UUID = re.compile(r"[a-zA-Z0-9-]{6,40}")


@dataclass(frozen=True, slots=True)
class Commitment:
    """One of them at a time, in product seconds since the epoch."""

    obj: Json
    now: float

    @property
    def name(self) -> str:
        """Of the object; its slots are called after it."""
        return str(self.obj["metadata"]["name"])

    @property
    def spec(self) -> Json:
        """What was promised."""
        found: Json = self.obj["spec"]
        return found

    @property
    def status(self) -> Json:
        """What is known of it."""
        return self.obj.get("status") or {}

    @property
    def generation(self) -> int:
        """Of the spec."""
        return int(self.obj["metadata"].get("generation", 0))

    @property
    def ready(self) -> Json:
        """The Ready condition, empty when there is none."""
        return condition(self.status, "Ready") or {}

    @property
    def over(self) -> bool:
        """Whether its end has passed, whatever its state says."""
        end = self.spec.get("endTime")
        return end is not None and parse_timestamp(end) < self.now

    @property
    def early(self) -> bool:
        """Whether its start is still to come."""
        start = self.spec.get("startTime")
        return start is not None and parse_timestamp(start) > self.now

    @property
    def rejected(self) -> bool:
        """Whether this very spec was rejected before."""
        said = tuple(self.ready.get(key) for key in ("status", "reason", "observedGeneration"))
        return said == ("False", "Rejected", self.generation)

    @property
    def may_reject(self) -> bool:
        """Whether somebody waits for yes or no."""
        return bool(self.spec.get("allowRejection"))

    @property
    def well_formed(self) -> bool:
        """Whether its id is one."""
        return UUID.fullmatch(self.spec["commitmentUUID"]) is not None

    @property
    def where(self) -> tuple[str, str]:
        """Flavor group and zone."""
        return str(self.spec["flavorGroupName"]), str(self.spec["availabilityZone"])

    def in_state(self, *states: str) -> bool:
        """Whether the spec says one of these."""
        return self.spec["state"] in states

    @property
    def reserving(self) -> float | None:
        """For how many product seconds it has been Reserving, as it is wanted now; None if it is not."""
        ready = self.ready
        if (ready.get("reason"), ready.get("observedGeneration")) != ("Reserving", self.generation):
            return None
        return self.now - parse_timestamp(ready["lastTransitionTime"])
