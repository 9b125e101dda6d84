"""Weighers about failover reservations; neither has an effect on live migrations (Cortex sheet §8)."""

from __future__ import annotations

from collections import Counter

from lab.cortex.scheduling.decoding import Kind
from lab.cortex.scheduling.intents import EVACUATE, RESERVE_FOR_FAILOVER, intent_of
from lab.cortex.scheduling.reserved import FAILOVER
from lab.cortex.scheduling.steps import Answered, Asked, Params, Step, everyone
from lab.cortex.scheduling.weighers.committed import GROUP_HINT

_TOTAL, _PENALTY = "totalCountWeight", "sameSpecPenalty"


def _evacuation(asked: Asked) -> Answered:
    """Prefer, for an evacuation, hosts that hold a failover reservation for the VM."""
    vm = asked.request.vm
    if intent_of(asked.request) != EVACUATE:
        return everyone(asked)
    held = {
        each.host
        for each in asked.view.reservations
        if each.ready and each.kind == FAILOVER and each.failover_group is not None and vm in (each.failover_vms or ())
    }
    weight = asked.params.get("failoverHostWeight", 1.0), asked.params.get("defaultHostWeight", 0.1)
    return Answered({host: weight[0] if host in held else weight[1] for host in asked.hosts})


def _consolidation(asked: Asked) -> Answered:
    """Put failover reservations together, those of one group rather apart."""
    if intent_of(asked.request) != RESERVE_FOR_FAILOVER:
        return everyone(asked)
    group = asked.request.hint(GROUP_HINT)
    placed = [each for each in asked.view.reservations if each.ready and each.kind == FAILOVER and each.host]
    if not placed:
        return everyone(asked)
    total = Counter(each.host for each in placed)
    alike = Counter(each.host for each in placed if group and each.failover_group == group)
    gain, penalty = asked.params.get(_TOTAL, 1.0) / len(placed), asked.params.get(_PENALTY, 0.1) / len(placed)
    return Answered({host: gain * total[host] - penalty * alike[host] for host in asked.hosts})


def _refusal(params: Params) -> str:
    weight, penalty = params.get(_TOTAL, 1.0), params.get(_PENALTY, 0.1)
    if weight < 0 or penalty < 0:
        return f"{_TOTAL if weight < 0 else _PENALTY} must be non-negative"
    if weight == 0 and penalty > 0:
        return "sameSpecPenalty must be zero when totalCountWeight is zero"
    if penalty >= weight > 0:
        return "sameSpecPenalty must be less than totalCountWeight"
    return ""


FAILOVER_EVACUATION = Step(
    "kvm_failover_evacuation", _evacuation, {"failoverHostWeight": Kind.NUMBER, "defaultHostWeight": Kind.NUMBER}
)
CONSOLIDATION = Step(
    "kvm_failover_reservation_consolidation",
    _consolidation,
    {_TOTAL: Kind.NUMBER, _PENALTY: Kind.NUMBER},
    _refusal,
)
