"""Conditions in a status: found and set by type; the time moves only when the status value does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.admission import Object


def condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    """The condition of this type, None when it is not there."""
    found: list[Mapping[str, Any]] = status.get("conditions") or []
    return next((entry for entry in found if entry.get("type") == kind), None)


def with_condition(status: Mapping[str, Any], new: Mapping[str, Any], stamp: str) -> Object:
    """The status with `new` in place of the condition of its type; `stamp` dates it when its status value changed."""
    old = condition(status, new["type"])
    since = stamp if old is None or old.get("status") != new["status"] else old.get("lastTransitionTime", stamp)
    dated = {**new, "lastTransitionTime": since}
    entries: list[Mapping[str, Any]] = status.get("conditions") or []
    if old is None:
        return {**status, "conditions": [*entries, dated]}
    return {**status, "conditions": [dated if entry.get("type") == new["type"] else entry for entry in entries]}
