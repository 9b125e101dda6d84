"""The line that `kubectl get -o wide` shows of a commitment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.builtin.conditions import condition
from lab.clock import parse_timestamp

WAITING = "waiting for reservation placement"
_DOT = " · "
_SHOWN = 80  # characters of a message
_FIELDS = {"flavorGroupName": "fg", "availabilityZone": "az", "resourceType": "type"}
Json = Mapping[str, Any]


def summary(spec: Json, status: Json, now: float) -> str:
    """Reason, what changed since it was accepted, what went wrong, VMs, expiry."""
    ready = condition(status, "Ready")
    return "" if ready is None else _DOT.join(_parts(ready, spec, status, now))


def _parts(ready: Json, spec: Json, status: Json, now: float) -> Iterator[str]:
    reason, message = ready["reason"], ready.get("message", "")
    changed = "; ".join(_changes(spec, status.get("acceptedSpec")))
    yield f"{reason} ({changed})" if changed else reason
    if message and message != WAITING and reason in ("Rejected", "Reserving"):
        yield message if len(message) <= _SHOWN else f"{message[: _SHOWN - 3]}..."
    if reason == "Accepted":
        number = len(status.get("assignedInstances") or ())
        yield "1 VM" if number == 1 else f"{number} VMs"
    if reason != "Rejected":
        yield _expiry(spec.get("endTime"), now)


def _changes(spec: Json, accepted: Json | None) -> Iterator[str]:
    if accepted is None:
        return
    if spec["amount"] != accepted["amount"]:
        yield f"amount {accepted['amount']}→{spec['amount']}"
    for field, word in _FIELDS.items():
        if spec[field] != accepted[field]:
            yield f"{word} {accepted[field]}→{spec[field]}"


def _expiry(end: str | None, now: float) -> str:
    if not end:
        return "no expiry"
    left = int(parse_timestamp(end) - now)
    if left <= 0:
        return "expired"
    days, hours, minutes = left // 86400, left // 3600, left // 60
    if left < 60:
        return f"exp in {left}s"
    if left < 3600:
        return f"exp in {minutes}m {left % 60}s"
    if left < 86400:
        return f"exp in {hours}h {minutes % 60}m"
    return f"exp in {days}d {hours % 24}h"
