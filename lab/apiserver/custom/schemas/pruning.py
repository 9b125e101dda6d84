"""Pruning: fields a schema does not name are dropped, and can be reported (kubernetes-api sheet §5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.custom.schemas.types import EMBEDDED, ENVELOPE, PRESERVE, Schema, child, member


def pruned(schema: Schema, obj: Mapping[str, Any]) -> dict[str, Any]:
    """The object without unknown fields; the envelope of the root stays whatever the schema says."""
    result: dict[str, Any] = _value(schema, obj, "", [], envelope=True)
    return result


def unknown_fields(schema: Schema, obj: Mapping[str, Any]) -> list[str]:
    """Paths that pruning drops, such as `spec.foo` or `spec.list[0].foo`."""
    unknown: list[str] = []
    _value(schema, obj, "", unknown, envelope=True)
    return unknown


def _value(schema: Schema, value: Any, path: str, unknown: list[str], *, envelope: bool = False) -> Any:
    if isinstance(value, dict):
        return _members(schema, value, path, unknown, envelope or bool(schema.get(EMBEDDED)))
    if isinstance(value, list):
        items = schema.get("items")
        if items is None:
            return value
        return [_value(items, item, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
    return value


def _members(schema: Schema, value: Mapping[str, Any], path: str, unknown: list[str], envelope: bool) -> dict[str, Any]:
    keeps_all = bool(schema.get(PRESERVE)) or schema.get("additionalProperties") is True
    kept: dict[str, Any] = {}
    for key, item in value.items():
        known = member(schema, key)
        if envelope and key in ENVELOPE:
            kept[key] = item
        elif known is not None:
            kept[key] = _value(known, item, child(path, key), unknown)
        elif keeps_all:
            kept[key] = item
        else:
            unknown.append(child(path, key))
    return kept
