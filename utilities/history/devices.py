"""Who held which extended resource where: from pod records, by the scheduler's rule.

A node's status says how many devices it has, never how many are taken; that is the sum over the pods bound to it that
have not finished (kubevirt sheet §8.1, §8.4).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from utilities.history.intervals import Interval
from utilities.history.objects import POD, Obj, dig
from utilities.history.recording import Recording
from utilities.history.records import Change, Record

CREATED_BY_LABEL = "kubevirt.io/created-by"
"""On launcher pods: uid of the VMI (kubevirt sheet §4.9)."""


@dataclass(frozen=True, slots=True)
class Holding:
    """A pod held `count` devices on `node` during `held` (orders of writes). vmi: uid of the VMI it was for, or ""."""

    pod: str
    node: str
    vmi: str
    count: int
    held: Interval


def holdings(recording: Recording, resource: str, *, vmi: str | None = None) -> tuple[Holding, ...]:
    """Every holding of an extended resource, of one VMI's pods if its uid is given, in the order they began.

    Raises NotEnoughEvidence if a pod may have been missed.
    """
    by_pod: dict[str, list[Record]] = {}
    for record in recording.of_kind(POD):
        by_pod.setdefault(record.uid, []).append(record)
    recording.require_whole(POD)
    found = [holding for records in by_pod.values() if (holding := _holding(records, resource)) is not None]
    return tuple(sorted((h for h in found if vmi in (None, h.vmi)), key=lambda holding: holding.held.start))


def devices_in_use(
    recording: Recording, resource: str, *, vmi: str | None = None, at: float = math.inf
) -> Mapping[str, int]:
    """Devices in use by node, at an order of writes or at the end of the recording. Nodes without any are absent."""
    used: Counter[str] = Counter()
    for holding in holdings(recording, resource, vmi=vmi):
        if holding.held.covers(at) or (math.isinf(at) and math.isinf(holding.held.end)):
            used[holding.node] += holding.count
    return dict(used)


def device_nodes(recording: Recording, resource: str, *, vmi: str) -> tuple[Mapping[str, int], ...]:
    """Devices in use by node for one VMI, each time that changed: e.g. `{a: 1}`, `{a: 1, b: 1}`, `{b: 1}`."""
    held = holdings(recording, resource, vmi=vmi)
    edges = sorted({edge for h in held for edge in (h.held.start, h.held.end) if edge < math.inf})
    found: list[Mapping[str, int]] = []
    for edge in edges:
        used: Counter[str] = Counter()
        for holding in held:
            if holding.held.covers(edge):
                used[holding.node] += holding.count
        if not found or found[-1] != used:
            found.append(dict(used))
    return tuple(found)


def _holding(records: list[Record], resource: str) -> Holding | None:
    count = _requested(records[0].object, resource)
    start, end, node = math.inf, math.inf, ""
    for record in records:
        if record.gone or dig(record.object, "status", "phase") in ("Succeeded", "Failed"):
            end = record.order
            break
        bound = dig(record.object, "spec", "nodeName")
        if bound and not node:
            start, node = (-math.inf if record.change is Change.LISTED else record.order), bound
    if not count or not node:
        return None
    vmi = dig(records[0].object, "metadata", "labels", CREATED_BY_LABEL) or ""
    return Holding(records[0].key, node, vmi, count, Interval(records[0].key, start, end))


def _requested(pod: Obj, resource: str) -> int:
    """Extended resources are whole numbers, and their request equals their limit, which may be given alone."""
    total = 0
    for container in dig(pod, "spec", "containers") or ():
        asked = dig(container, "resources", "requests", resource) or dig(container, "resources", "limits", resource)
        total += int(asked or 0)
    return total
