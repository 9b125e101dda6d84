"""Defaulting, top-down: a default `{}` lets the defaults below it apply (kubernetes-api sheet §5.2).

Defaults are shared, not copied: objects are never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.custom.schemas.types import Schema, member


def defaulted(schema: Schema, value: Any) -> Any:
    """The value with defaults filled in; null where it is not allowed becomes the default, or goes."""
    if isinstance(value, dict):
        return _members(schema, value)
    if isinstance(value, list) and schema.get("items"):
        items: Schema = schema["items"]
        return [_element(items, item) for item in value]
    return value


def _members(schema: Schema, value: Mapping[str, Any]) -> dict[str, Any]:
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    result: dict[str, Any] = {}
    for key, item in value.items():
        known = member(schema, key)
        if known is None:
            result[key] = item
        elif item is not None or known.get("nullable") or key not in properties:
            result[key] = _element(known, item)
    for key, known in properties.items():
        if key not in result and "default" in known:
            result[key] = defaulted(known, known["default"])
    return result


def _element(schema: Schema, item: Any) -> Any:
    if item is None and not schema.get("nullable") and "default" in schema:
        return defaulted(schema, schema["default"])
    return defaulted(schema, item)
