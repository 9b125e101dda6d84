"""Condition types and reasons, as the operator spells them (operator sheet §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.builtin.conditions import condition

Json = Mapping[str, Any]
EVICTING, PREFLIGHT, MIGRATING = "Evicting", "PreflightChecksSucceeded", "MigratingInstance"
DISABLED, READY, TRAITS_UPDATED, AGGREGATES_UPDATED = (
    "HypervisorDisabled", "Ready", "TraitsUpdated", "AggregatesUpdated",
)  # fmt: skip
ONBOARDING, OFFBOARDED, TERMINATING, TAINTED = "Onboarding", "Offboarded", "Terminating", "Tainted"
RUNNING, FAILED, SUCCEEDED = "Running", "Failed", "Succeeded"
ABORTED, HANDOVER = "Aborted", "Handover"


def entry(kind: str, status: bool, reason: str, message: str) -> Json:
    """A condition without its time."""
    return {"type": kind, "status": "True" if status else "False", "reason": reason, "message": message}


def found(obj: Json, kind: str) -> Json | None:
    """The condition of an object, None when it has none of that type."""
    return condition(obj.get("status") or {}, kind)


def value(obj: Json, kind: str) -> str:
    """Its status, "" when it is not there."""
    return str((found(obj, kind) or {}).get("status", ""))


def reason(obj: Json, kind: str) -> str:
    """Its reason, "" when it is not there."""
    return str((found(obj, kind) or {}).get("reason", ""))


def without_condition(status: Json, kind: str) -> dict[str, Any]:
    """The status without the condition of a type."""
    return {**status, "conditions": [each for each in status.get("conditions") or () if each["type"] != kind]}
