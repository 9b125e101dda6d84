"""Writing the status of an Eviction."""

from __future__ import annotations

from lab.hypervisor_operator.conversations import Talk
from lab.hypervisor_operator.desk import Desk
from lab.hypervisor_operator.eviction.case import Case
from lab.hypervisor_operator.eviction.draft import Draft
from lab.hypervisor_operator.kinds import EVICTION
from lab.hypervisor_operator.status_writes import patch_status

CONTROLLER = "eviction"


def write(desk: Desk, case: Case, draft: Draft) -> Talk[None]:
    """Write the draft under the optimistic lock; raises ApiError."""
    yield from patch_status(desk.api, desk.caller(CONTROLLER), desk.rng, EVICTION, case.name, draft.onto)
