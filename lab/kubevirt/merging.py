"""Merge patches that turn one JSON value into another (RFC 7386)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch from `old` to `new`: what `new` lacks becomes null, lists are replaced whole."""
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if before is value and value is not None:
            continue  # shared with the old state
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            inner = difference(before, value)
            if inner:
                patch[key] = inner
        elif key not in old or before != value:
            patch[key] = value
    return patch
