"""The words of a schema: which there are, and what type their values have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.causes import forbidden_value, type_invalid
from lab.apiserver.custom.schemas.types import (
    EMBEDDED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVE,
    RULES,
)
from lab.apiserver.errors import Cause

Types = tuple[type, ...]
_TEXT: Types = (str,)
_FLAG: Types = (bool,)
_COUNT: Types = (int,)
_NUMBER: Types = (int, float)
_SCHEMA: Types = (Mapping,)
_LIST: Types = (list,)
_ANY: Types = (object,)
_WORDS: Mapping[str, Types] = {
    "$schema": _TEXT, "type": _TEXT, "format": _TEXT, "title": _TEXT, "description": _TEXT, "pattern": _TEXT,
    LIST_TYPE: _TEXT, MAP_TYPE: _TEXT, "nullable": _FLAG, "uniqueItems": _FLAG, "exclusiveMinimum": _FLAG,
    "exclusiveMaximum": _FLAG, PRESERVE: _FLAG, EMBEDDED: _FLAG, INT_OR_STRING: _FLAG, "minLength": _COUNT,
    "maxLength": _COUNT, "minItems": _COUNT, "maxItems": _COUNT, "minProperties": _COUNT, "maxProperties": _COUNT,
    "minimum": _NUMBER, "maximum": _NUMBER, "multipleOf": _NUMBER, "properties": _SCHEMA, "items": _SCHEMA,
    "not": _SCHEMA, "externalDocs": _SCHEMA, "additionalProperties": (Mapping, bool), "enum": _LIST, "required": _LIST,
    "allOf": _LIST, "anyOf": _LIST, "oneOf": _LIST, RULES: _LIST, LIST_KEYS: _LIST, "default": _ANY, "example": _ANY,
}  # fmt: skip
_OF_TEXTS = ("required", LIST_KEYS)
_OF_SCHEMAS = ("allOf", "anyOf", "oneOf")
_RULE_WORDS = ("rule", "message", "messageExpression", "reason", "fieldPath")


def malformed(schema: Any, path: str) -> Iterator[Cause]:
    """Words that are not supported, and values of the wrong type, anywhere in a schema."""
    if not isinstance(schema, Mapping):
        yield type_invalid(path, schema, "must be an object")
        return
    for word, value in schema.items():
        where = f"{path}.{word}"
        if word not in _WORDS:
            yield forbidden_value(where, f"{word} is not supported")
        elif not _fits(value, _WORDS[word]):
            names = " or ".join(kind.__name__ for kind in _WORDS[word])
            yield type_invalid(where, value, f"must be of type {names}")
        else:
            yield from _parts(word, value, where)


def _fits(value: Any, types: Types) -> bool:
    if isinstance(value, bool):
        return bool in types or object in types
    return isinstance(value, types)


def _parts(word: str, value: Any, path: str) -> Iterator[Cause]:
    if word == "properties":
        for name, part in value.items():
            yield from malformed(part, f"{path}[{name}]")
    elif word in ("items", "not") or (word == "additionalProperties" and isinstance(value, Mapping)):
        yield from malformed(value, path)
    elif word in _OF_SCHEMAS:
        for index, part in enumerate(value):
            yield from malformed(part, f"{path}[{index}]")
    elif word in _OF_TEXTS:
        for index, name in enumerate(value):
            if not isinstance(name, str):
                yield type_invalid(f"{path}[{index}]", name, "must be of type str")
    elif word == RULES:
        for index, rule in enumerate(value):
            yield from _rule(rule, f"{path}[{index}]")


def _rule(rule: Any, path: str) -> Iterator[Cause]:
    if not isinstance(rule, Mapping):
        yield type_invalid(path, rule, "must be an object")
        return
    for word in _RULE_WORDS:
        if not isinstance(rule.get(word, ""), str):
            yield type_invalid(f"{path}.{word}", rule[word], "must be of type str")
