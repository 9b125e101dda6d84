"""Field errors as API servers word them: one function per type of cause (kubernetes-api sheet §2.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable

import orjson

from lab.apiserver.errors import Cause


def required(field: str, detail: str = "") -> Cause:
    """The field is missing or empty."""
    return Cause("FieldValueRequired", _body("Required value", detail), field)


def invalid_value(field: str, value: object, detail: str) -> Cause:
    """The value is not acceptable."""
    return Cause("FieldValueInvalid", _body(f"Invalid value: {printed(value)}", detail), field)


def invalid_object(field: str, detail: str) -> Cause:
    """The value, too large to print, is not acceptable."""
    return Cause("FieldValueInvalid", _body("Invalid value", detail), field)


def type_invalid(field: str, value: object, detail: str) -> Cause:
    """The value has the wrong type."""
    return Cause("FieldValueTypeInvalid", _body(f"Invalid value: {printed(value)}", detail), field)


def forbidden_value(field: str, detail: str) -> Cause:
    """The field may not be set, or not be changed."""
    return Cause("FieldValueForbidden", _body("Forbidden", detail), field)


def not_supported(field: str, value: object, supported: Iterable[str]) -> Cause:
    """The value is not one of a fixed set."""
    listed = ", ".join(quoted(item) for item in supported)
    return Cause("FieldValueNotSupported", f"Unsupported value: {printed(value)}: supported values: {listed}", field)


def duplicate(field: str, value: object) -> Cause:
    """The value repeats one that must be unique."""
    return Cause("FieldValueDuplicate", f"Duplicate value: {printed(value)}", field)


def not_found_value(field: str, value: object) -> Cause:
    """The value names something that is not there."""
    return Cause("FieldValueNotFound", f"Not found: {printed(value)}", field)


def too_long(field: str, limit: int) -> Cause:
    """The text has more than `limit` bytes."""
    return Cause("FieldValueTooLong", f"Too long: may not be more than {limit} bytes", field)


def too_many(field: str, count: int, limit: int) -> Cause:
    """The list or map has more than `limit` entries."""
    return Cause("FieldValueTooMany", f"Too many: {count}: must have at most {limit} items", field)


def printed(value: object) -> str:
    """A value as messages show it: strings quoted, null as the string "null", objects as JSON."""
    if value is None:
        return '"null"'
    if isinstance(value, str):
        return quoted(value)
    return orjson.dumps(value).decode()


def quoted(text: str) -> str:
    """A string in double quotes, as Go's %q writes it."""
    return json.dumps(text, ensure_ascii=False)


def _body(head: str, detail: str) -> str:
    return f"{head}: {detail}" if detail else head
