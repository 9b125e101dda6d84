"""The weigher `kvm_committed_resource_reservation`, neutral for what Nova sends (Cortex sheet §5, end)."""

from __future__ import annotations

from lab.cortex.scheduling.decoding import Kind
from lab.cortex.scheduling.intents import RESERVE_FOR_FAILOVER, intent_of
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.reserved import COMMITTED, Reservation
from lab.cortex.scheduling.steps import Answered, Asked, Step, everyone

GROUP_HINT = "_cortex_resource_group"
_MEBIBYTE = 2**20


def _weigh(asked: Asked) -> Answered:
    """Prefer hosts with a slot that has the flavor's size left; only where the caller names a group."""
    request = asked.request
    group = request.hint(GROUP_HINT)
    if not group or intent_of(request) == RESERVE_FOR_FAILOVER:
        return everyone(asked)
    found = {each.host for each in asked.view.reservations if _takes(each, request, group)}
    weight = asked.params.get("reservationHostWeight", 1.0), asked.params.get("defaultHostWeight", 0.1)
    return Answered({host: weight[0] if host in found else weight[1] for host in asked.hosts})


def _takes(each: Reservation, request: Request, group: str) -> bool:
    return (
        each.ready
        and each.kind == COMMITTED
        and each.committed is not None
        and each.committed.matches(request.project, group)
        and each.zone == request.zone
        and each.memory - each.expected_memory >= request.flavor.memory_mb * _MEBIBYTE
    )


COMMITTED_RESERVATION = Step(
    "kvm_committed_resource_reservation",
    _weigh,
    {"reservationHostWeight": Kind.NUMBER, "defaultHostWeight": Kind.NUMBER},
)
