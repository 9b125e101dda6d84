"""Merge patches (RFC 7386) and the patches that take them back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def touched(obj: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an object that a merge patch will change: its value at every path of the patch that it has."""
    found: dict[str, Any] = {}
    for key, value in patch.items():
        if key in obj:
            old = obj[key]
            deeper = isinstance(value, Mapping) and isinstance(old, Mapping)
            found[key] = touched(old, value) if deeper else old
    return found


def inverse(before: Mapping[str, Any], patch: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that makes an object as it was.

    before: what `touched` said. now: the object as it is. What the object did not have is removed again (null), with
    the mappings around it that the patch had to make, unless somebody else has put something there meanwhile.
    """
    found: dict[str, Any] = {}
    for key, value in patch.items():
        present = now.get(key)
        if key not in before:
            if isinstance(value, Mapping) and isinstance(present, Mapping) and not _within(present, value):
                found[key] = inverse({}, value, present)
            else:
                found[key] = None
        elif isinstance(value, Mapping) and isinstance(before[key], Mapping):
            found[key] = inverse(before[key], value, present if isinstance(present, Mapping) else {})
        else:
            found[key] = before[key]
    return found


def _within(obj: object, patch: object) -> bool:
    """Whether an object has no key that the patch does not have."""
    if not isinstance(obj, Mapping):
        return True
    return isinstance(patch, Mapping) and all(key in patch and _within(obj[key], patch[key]) for key in obj)
