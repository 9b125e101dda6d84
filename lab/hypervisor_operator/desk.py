"""What every controller of one operator process works with."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import with_condition
from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.flags import Flags
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.hypervisor_operator.memory import Memory
from lab.hypervisor_operator.session import Session
from lab.hypervisor_operator.status_writes import patch_status
from lab.hypervisor_operator.tables import Tables

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """Made at the start of a process, and gone with it. `tell` writes a line into its log."""

    api: Api
    session: Session
    tables: Tables
    flags: Flags
    memory: Memory
    rng: random.Random
    tell: Callable[[str], None]
    account: str  # user name of the service account

    def caller(self, controller: str) -> Caller:
        """Who a controller is when it writes; its name is the field manager."""
        return Caller(self.account, ("system:masters", "system:authenticated"), controller)

    def hypervisor(self, name: str) -> Json | None:
        """The Hypervisor, None when there is none or the label selector leaves it to another operator."""
        found = self.api.find(HYPERVISOR, "", name)
        return found if found is not None and self.flags.selector.matches(found) else None

    def patch_hypervisor(self, controller: str, name: str, change: Callable[[Json], Json]) -> Talk[None]:
        """Change the status of a Hypervisor under the optimistic lock; raises ApiError."""
        yield from patch_status(self.api, self.caller(controller), self.rng, HYPERVISOR, name, change)

    def say(self, controller: str, name: str, new: Json, **fields: Any) -> Talk[None]:
        """Set one condition of a Hypervisor, and other fields of its status."""
        stamp = self.api.clock.stamp()
        yield from self.patch_hypervisor(
            controller, name, lambda status: {**with_condition(status, new, stamp), **fields}
        )
