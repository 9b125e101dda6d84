"""Is a schema one the server can work with? What it would not understand it refuses when the definition is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.causes import forbidden_value, invalid_value, not_supported, required
from lab.apiserver.custom.schemas.formats import pattern
from lab.apiserver.custom.schemas.keywords import malformed
from lab.apiserver.custom.schemas.pruning import unknown_fields
from lab.apiserver.custom.schemas.rules import reading_problem
from lab.apiserver.custom.schemas.types import (
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVE,
    RULES,
    Schema,
)
from lab.apiserver.custom.schemas.validation import violations
from lab.apiserver.errors import Cause

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_LIST_TYPES = ("atomic", "map", "set")
_MAP_TYPES = ("atomic", "granular")
_COMBINED = ("allOf", "anyOf", "oneOf")


def problems(schema: Schema, path: str) -> Iterator[Cause]:
    """What keeps a root schema from being structural; `path` is where it stands in the definition."""
    wrong = list(malformed(schema, path))
    if wrong:
        yield from wrong
        return
    if schema.get("type") != "object" and not schema.get(PRESERVE):
        if schema.get("type"):
            yield invalid_value(f"{path}.type", schema["type"], "must be object at the root")
        else:
            yield required(f"{path}.type", "must not be empty at the root")
    yield from _node(schema, path)


def _node(schema: Schema, path: str) -> Iterator[Cause]:
    yield from _keywords(schema, path)
    yield from _rules(schema, path)
    properties: Mapping[str, Any] = schema.get("properties") or {}
    for name, part in properties.items():
        where = f"{path}.properties[{name}]"
        yield from _typed(part, where, "must not be empty for specified object fields")
        yield from _node(part, where)
        if "default" in part:
            yield from _default(part, where)
    additional = schema.get("additionalProperties")
    if additional is not None and properties:
        yield forbidden_value(
            f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive"
        )
    if isinstance(additional, Mapping):
        where = f"{path}.additionalProperties"
        yield from _typed(additional, where, "must not be empty for specified object fields")
        yield from _node(additional, where)
    if isinstance(schema.get("items"), Mapping):
        yield from _typed(schema["items"], f"{path}.items", "must not be empty for specified array items")
        yield from _node(schema["items"], f"{path}.items")
    elif schema.get("type") == "array":
        yield required(f"{path}.items", "must be specified")
    for word in _COMBINED:
        for index, part in enumerate(schema.get(word) or ()):
            yield from _keywords(part, f"{path}.{word}[{index}]")


def _typed(schema: Schema, path: str, why: str) -> Iterator[Cause]:
    if not schema.get("type") and not schema.get(INT_OR_STRING) and not schema.get(PRESERVE):
        yield required(f"{path}.type", why)


def _keywords(schema: Schema, path: str) -> Iterator[Cause]:
    if schema.get("type") and schema["type"] not in _TYPES:
        yield not_supported(f"{path}.type", schema["type"], _TYPES)
    if schema.get("uniqueItems"):
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield forbidden_value(f"{path}.uniqueItems", why)
    if schema.get("pattern"):
        try:
            pattern(schema["pattern"])
        except re.error as error:
            why = f"must be a valid regular expression, but isn't: {error}"
            yield invalid_value(f"{path}.pattern", schema["pattern"], why)
    if MAP_TYPE in schema and schema[MAP_TYPE] not in _MAP_TYPES:
        yield not_supported(f"{path}.{MAP_TYPE}", schema[MAP_TYPE], _MAP_TYPES)
    yield from _list_type(schema, path)


def _list_type(schema: Schema, path: str) -> Iterator[Cause]:
    kind = schema.get(LIST_TYPE)
    if kind is None:
        return
    if kind not in _LIST_TYPES:
        yield not_supported(f"{path}.{LIST_TYPE}", kind, _LIST_TYPES)
    if kind != "map":
        return
    if not schema.get(LIST_KEYS):
        yield required(f"{path}.{LIST_KEYS}", f"must not be empty if {LIST_TYPE} is map")
    items = schema.get("items") or {}
    for index, key in enumerate(schema.get(LIST_KEYS) or ()):
        part = (items.get("properties") or {}).get(key)
        if part is None:
            why = "entries must all be names of item properties"
            yield invalid_value(f"{path}.{LIST_KEYS}[{index}]", key, why)
        elif key not in (items.get("required") or ()) and "default" not in part:
            why = f"this property is in {LIST_KEYS}, so it must have a default or be a required property"
            yield required(f"{path}.items.properties[{key}].default", why)


def _rules(schema: Schema, path: str) -> Iterator[Cause]:
    for index, rule in enumerate(schema.get(RULES) or ()):
        where = f"{path}.{RULES}[{index}]"
        if not rule.get("rule"):
            yield required(f"{where}.rule", "rule is not specified")
            continue
        problem = reading_problem(rule)
        if problem:
            yield invalid_value(f"{where}.rule", rule["rule"], problem)


def _default(schema: Schema, path: str) -> Iterator[Cause]:
    value: Any = schema["default"]
    yield from violations(schema, value, f"{path}.default")
    if isinstance(value, Mapping):
        for field in unknown_fields(schema, value):
            yield invalid_value(f"{path}.default", value, f"must not have unknown fields: {field}")
