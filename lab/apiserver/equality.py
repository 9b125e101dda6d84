"""When two objects are the same: a write that changes nothing is not committed (kubernetes-api sheet, trap T8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: unlike in Python, `1`, `1.0` and `true` differ. Parts that are shared are not looked at."""
    if one is other:
        return True
    if one != other:
        return False
    return orjson.dumps(one, option=orjson.OPT_SORT_KEYS) == orjson.dumps(other, option=orjson.OPT_SORT_KEYS)


def sharing(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The new object, with the old one's members where they are the same: snapshots share what did not change."""
    return {key: old[key] if key in old and same(value, old[key]) else value for key, value in new.items()}


def unchanged(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """True when two states of an object differ in nothing but the times of managedFields."""
    if not same(_unmanaged(new), _unmanaged(old)):
        return False
    before, after = old["metadata"].get("managedFields"), new["metadata"].get("managedFields")
    return after is before or same(_timeless(after), _timeless(before))


def _unmanaged(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return {**obj, "metadata": metadata}


def _timeless(entries: Any) -> list[dict[str, Any]]:
    return [{key: value for key, value in entry.items() if key != "time"} for entry in entries or ()]
