"""Lists of VM and VMI conditions, changed the way KubeVirt's condition managers change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
Conditions = list[Json]


def make(
    kind: str, status: bool, reason: str = "", message: str = "", *, transition: str | None, probe: str | None = None
) -> dict[str, Any]:
    """A condition; unset times are written as null, an unset reason or message is left out."""
    texts = {key: text for key, text in (("reason", reason), ("message", message)) if text}
    times = {"lastProbeTime": probe, "lastTransitionTime": transition}
    return {"type": kind, "status": "True" if status else "False", **times, **texts}


def of(obj: Json) -> Conditions:
    """`status.conditions` of an object."""
    return list((obj.get("status") or {}).get("conditions") or ())


def find(conditions: Sequence[Json], kind: str) -> Json | None:
    """The condition of a type, None if it is absent."""
    return next((entry for entry in conditions if entry["type"] == kind), None)


def is_true(conditions: Sequence[Json], kind: str) -> bool:
    """Whether a condition is there and True."""
    found = find(conditions, kind)
    return found is not None and found["status"] == "True"


def same(one: Json | None, other: Json) -> bool:
    """Whether status, reason and message agree; times do not count."""
    return one is not None and all(one.get(key, "") == other.get(key, "") for key in ("status", "reason", "message"))


def updated(conditions: Sequence[Json], new: Json) -> Conditions:
    """With `new` in the place of its type, or at the end; unchanged when it says the same as before."""
    old = find(conditions, new["type"])
    if same(old, new):
        return list(conditions)
    if old is None:
        return [*conditions, new]
    return [new if entry["type"] == new["type"] else entry for entry in conditions]


def moved_to_end(conditions: Sequence[Json], new: Json) -> Conditions:
    """With `new` at the end; unchanged when it says the same as before."""
    if same(find(conditions, new["type"]), new):
        return list(conditions)
    return [*without(conditions, new["type"]), new]


def without(conditions: Sequence[Json], *kinds: str) -> Conditions:
    """Without these types."""
    return [entry for entry in conditions if entry["type"] not in kinds]
