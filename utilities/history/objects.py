"""Reading Kubernetes objects as plain mappings, without any client library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

Obj = Mapping[str, Any]
"""An API object as decoded from JSON. Shared between readers, so never changed in place."""

VM = "VirtualMachine"
VMI = "VirtualMachineInstance"
VMIM = "VirtualMachineInstanceMigration"
POD = "Pod"
EVENT = "Event"
EVICTION = "Eviction"
HYPERVISOR = "Hypervisor"

_TIMES = ("Time", "Timestamp", "time")


def dig(obj: object, *path: str) -> Any:
    """The value at a path of keys, None as soon as the path ends early."""
    for key in path:
        if not isinstance(obj, Mapping):
            return None
        obj = obj.get(key)
    return obj


def key_of(obj: Obj) -> str:
    """`namespace/name`, or `name` for a cluster-scoped object."""
    namespace, name = dig(obj, "metadata", "namespace"), dig(obj, "metadata", "name")
    return f"{namespace}/{name}" if namespace else str(name)


def condition_of(obj: Obj, condition: str) -> Obj | None:
    """The condition of that type in `status.conditions`, None if the object has none."""
    found = dig(obj, "status", "conditions") or ()
    return next((entry for entry in found if entry.get("type") == condition), None)


def seconds(stamp: str) -> float:
    """UNIX seconds of an RFC 3339 timestamp, e.g. `2026-01-02T03:04:05Z`. Raises ValueError for anything else."""
    moment = datetime.fromisoformat(stamp)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def newest_stamp(obj: Obj) -> float | None:
    """The latest moment that the object tells about itself: the time of its last write, or shortly before it.

    Looks at the times of metadata (creation, deletion request, managedFields), of status, and of Events. Of a graceful
    deletion it counts the request: metadata.deletionTimestamp lies deletionGracePeriodSeconds ahead of it.
    """
    metadata = obj.get("metadata") or {}
    parts: list[object] = [obj.get("status"), obj.get("series"), {k: v for k, v in obj.items() if isinstance(v, str)}]
    parts += [{"time": entry.get("time")} for entry in metadata.get("managedFields") or ()]
    parts += [{"creationTimestamp": metadata.get("creationTimestamp")}]
    found = [stamp for part in parts for stamp in _stamps(part)]
    grace = float(metadata.get("deletionGracePeriodSeconds") or 0)
    found += [stamp - grace for stamp in _stamps(metadata.get("deletionTimestamp"), "deletionTimestamp")]
    return max(found, default=None)


def _stamps(value: object, name: str = "") -> Iterator[float]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _stamps(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _stamps(inner)
    elif isinstance(value, str) and name.endswith(_TIMES):
        try:
            yield seconds(value)
        except ValueError:
            return
