"""Events in two shapes, stored once as core events: core `v1` and `events.k8s.io/v1` (kubernetes-api sheet §6.4)."""

from __future__ import annotations

from collections.abc import Mapping

_SAME = ("metadata", "action", "eventTime", "reason", "related", "reportingInstance", "series", "type")
_CORE_TO_NEW = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
_NEW_TO_CORE = {new: core for core, new in _CORE_TO_NEW.items()}
# What the core type always writes, even when empty: its times have no omitempty, nor has involvedObject.
_CORE_ALWAYS: Mapping[str, object] = {
    "eventTime": None,
    "firstTimestamp": None,
    "lastTimestamp": None,
    "involvedObject": {},
    "source": {},
    "reportingComponent": "",
    "reportingInstance": "",
}
_NEW_ALWAYS: Mapping[str, object] = {
    "eventTime": None,
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
}


def to_core(event: Mapping[str, object]) -> dict[str, object]:
    """The core form of an events.k8s.io event."""
    return {"apiVersion": "v1", "kind": "Event", **_CORE_ALWAYS, **_renamed(event, _NEW_TO_CORE)}


def from_core(event: Mapping[str, object]) -> dict[str, object]:
    """The events.k8s.io form of a core event."""
    return {"apiVersion": "events.k8s.io/v1", "kind": "Event", **_NEW_ALWAYS, **_renamed(event, _CORE_TO_NEW)}


def _renamed(event: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    return {names.get(key, key): value for key, value in event.items() if key in _SAME or key in names}
