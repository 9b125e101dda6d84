"""The filter `filter_quota_enforcement`: commitments first, then what a project pays as it goes (Cortex sheet §7).

A live migration takes nothing new: it is counted as `accept_skipped_intent_migration`, and all hosts stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from lab.clock import parse_timestamp
from lab.cortex.scheduling.amounts import MEMORY, amount
from lab.cortex.scheduling.decoding import Kind
from lab.cortex.scheduling.intents import (
    CAPACITY_PROBE,
    EVACUATE,
    LIVE_MIGRATION,
    RESERVE_FOR_COMMITTED,
    RESERVE_FOR_FAILOVER,
    REUSE_FAILOVER,
    intent_of,
)
from lab.cortex.scheduling.placement import ACTIVE
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.steps import Answered, Asked, Count, Step, everyone
from lab.cortex.scheduling.view import View

Json = Mapping[str, Any]
FAMILY = "cortex_nova_filter_quota_enforcement_decisions_total"
_ENFORCE = "enforce"
_SKIPPED: Mapping[str | None, str] = {
    **dict.fromkeys((EVACUATE, LIVE_MIGRATION), "accept_skipped_intent_migration"),
    **dict.fromkeys((RESERVE_FOR_FAILOVER, REUSE_FAILOVER, RESERVE_FOR_COMMITTED), "accept_skipped_intent_internal"),
    CAPACITY_PROBE: "accept_skipped",
}
_GIBIBYTE = 2**30


@dataclass(frozen=True, slots=True)
class _Ruling:
    """What is counted: labels `decision`, `resource`, `availability_zone` and `flavor_group`."""

    decision: str
    resource: str = ""
    zone: str = ""
    group: str = ""


def _quota_enforcement(asked: Asked) -> Answered:
    """Without `enforce` the ruling is only counted."""
    enforced = bool(asked.params.get(_ENFORCE))
    ruling = _rule(asked.request, asked.view)
    labels = {
        "mode": "enforce" if enforced else "shadow",
        "decision": ruling.decision,
        "resource": ruling.resource,
        "availability_zone": ruling.zone,
        "flavor_group": ruling.group,
    }
    rejected = enforced and ruling.decision == "reject"
    return Answered({} if rejected else everyone(asked).activations, counts=(Count(FAMILY, labels),))


def _rule(request: Request, view: View) -> _Ruling:
    skipped = _SKIPPED.get(intent_of(request))
    if skipped is not None:
        return _Ruling(skipped)
    zone, group = request.zone, request.hardware
    if not (request.project and zone and group):
        return _Ruling("accept_skipped_missing_data", "", zone, group)
    memory = ceil(request.flavor.memory_mb * max(request.instances, 1) / 1024)
    commitments = [each for each in view.commitments if _covers(_accepted(each), request, view.now)]
    if any(_amount(each) - _used(each) >= memory for each in commitments):
        return _Ruling("accept_cr", "ram", zone, group)
    quota = view.quotas.get(f"quota-{request.project}-{zone}")
    if quota is None:
        return _Ruling("accept_no_quota", "", zone, group)
    short = _short(quota, request, memory, sum(map(_amount, commitments)))
    return _Ruling("reject", short, zone, group) if short else _Ruling("accept_payg", "", zone, group)


def _accepted(commitment: Json) -> Json:
    """The spec as accepted last, so that one that changes is not miscounted."""
    accepted: Json = (commitment.get("status") or {}).get("acceptedSpec") or commitment["spec"]
    return accepted


def _covers(spec: Json, request: Request, now: float) -> bool:
    """Whether a commitment of memory is in force for the request's project, zone and flavor group."""
    begins, ends = spec.get("startTime"), spec.get("endTime")
    return (
        spec.get("projectID") == request.project
        and spec.get("availabilityZone") == request.zone
        and spec.get("flavorGroupName") == request.hardware
        and spec.get("resourceType") == MEMORY
        and spec.get("state") in ACTIVE
        and (begins is None or parse_timestamp(begins) <= now)
        and (ends is None or parse_timestamp(ends) >= now)
    )


def _amount(commitment: Json) -> int:
    return _gibibytes(_accepted(commitment).get("amount"))


def _used(commitment: Json) -> int:
    return _gibibytes(((commitment.get("status") or {}).get("usedResources") or {}).get(MEMORY))


def _gibibytes(quantity: object) -> int:
    return 0 if quantity is None else ceil(ceil(amount(quantity)) / _GIBIBYTE)


def _short(quota: Json, request: Request, memory: int, committed: int) -> str:
    """The first resource that the project's quota does not cover, "" if it covers all it tells."""
    count = max(request.instances, 1)
    asked = (
        ("ram", memory, committed),
        ("cores", request.flavor.vcpus * count, 0),
        ("instances", count, 0),
    )
    limits = quota["spec"].get("quota") or {}
    usage = (quota.get("status") or {}).get("paygUsage") or {}
    for label, wanted, reserved in asked:
        name = f"hw_version_{request.hardware}_{label}"
        if name in limits and limits[name] - reserved - usage.get(name, 0) < wanted:
            return label
    return ""


QUOTA_ENFORCEMENT = Step("filter_quota_enforcement", _quota_enforcement, {_ENFORCE: Kind.FLAG})
