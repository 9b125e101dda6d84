"""One Eviction and its Hypervisor as the controller sees them, and what it does next (operator sheet §2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lab.controllers.answers import says
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.words import DISABLED, EVICTING, PREFLIGHT, value

Json = Mapping[str, Any]


class Stage(StrEnum):
    """What one reconcile does."""

    NOTHING = "nothing"
    BEGIN = "begin"
    TELL_ENABLED = "tell that the service is not disabled"
    WAIT_DISABLED = "wait for the service to be disabled"
    LIST = "list the servers"
    EVICT = "evict"
    LOOK_AGAIN = "look for late arrivals"
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class Case:
    """`hypervisor` is None when there is none of that name (or it belongs to another shard)."""

    eviction: Json
    hypervisor: Json | None

    @property
    def name(self) -> str:
        """Name of the Eviction."""
        return str(self.eviction["metadata"]["name"])

    @property
    def host(self) -> str:
        """`spec.hypervisor`."""
        return str(self.eviction["spec"]["hypervisor"])

    @property
    def host_status(self) -> Json:
        """`status` of the Hypervisor."""
        return (self.hypervisor or {}).get("status") or {}

    @property
    def outstanding(self) -> tuple[str, ...]:
        """The queue: index 0 is its back in the serial form."""
        return tuple((self.eviction.get("status") or {}).get("outstandingInstances") or ())

    @property
    def hypervisor_id(self) -> str:
        """UUID that Nova knows the hypervisor by, "" when it never registered."""
        return str(self.host_status.get("hypervisorId", ""))

    @property
    def registered(self) -> bool:
        """Whether Nova must know the hypervisor."""
        return bool(self.hypervisor_id and self.host_status.get("serviceId"))

    @property
    def still_enabled(self) -> bool:
        """Whether the service has to be disabled first."""
        return self.registered and value(self.hypervisor or {}, DISABLED) != "True"

    @property
    def listed(self) -> bool:
        """Whether the servers were listed."""
        return value(self.eviction, PREFLIGHT) == "True"


def _evicting(status: str) -> Any:
    return lambda case: value(case.eviction, EVICTING) == status


STAGES: Table[Case] = Table(
    "eviction",
    (
        Row("hypervisor unknown", lambda case: case.hypervisor is None, says(Stage.NOTHING)),
        Row("being deleted", lambda case: "deletionTimestamp" in case.eviction["metadata"], says(Stage.NOTHING)),
        Row("new", _evicting(""), says(Stage.BEGIN)),
        Row("finished", _evicting("False"), says(Stage.NOTHING)),
        Row("unknown state", lambda case: value(case.eviction, EVICTING) != "True", says(Stage.NOTHING)),
        Row(
            "found enabled",
            lambda case: not case.listed and case.still_enabled and not value(case.eviction, PREFLIGHT),
            says(Stage.TELL_ENABLED),
        ),
        Row("still enabled", lambda case: not case.listed and case.still_enabled, says(Stage.WAIT_DISABLED)),
        Row("not listed", lambda case: not case.listed, says(Stage.LIST)),
        Row("servers left", lambda case: bool(case.outstanding), says(Stage.EVICT)),
        Row("empty", lambda _: True, says(Stage.FINISH)),
    ),
)
"""Answers a Stage. An Eviction whose Hypervisor is missing waits without a word until it changes itself."""
