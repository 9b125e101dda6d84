"""Bodies of built-in kinds, read as a typed server does: types checked, null taken for absent, defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from lab.apiserver.admission import Object
from lab.apiserver.custom.schemas.defaults import defaulted
from lab.apiserver.custom.schemas.types import INT_OR_STRING, Schema, child, member
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.resources import Resource
from lab.clock import micro_timestamp, parse_timestamp

# Times a typed server writes as null when they are unset, where other fields are left out.
_NULLABLE = (
    "creationTimestamp", "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "eventTime", "firstTimestamp",
    "lastHeartbeatTime", "lastProbeTime", "lastTimestamp", "lastTransitionTime",
)  # fmt: skip
_GO_TYPES = {
    "string": "string", "integer": "int32", "boolean": "bool", "array": "[]", "object": "object",
    "quantity": "resource.Quantity", "micro-time": "v1.MicroTime", INT_OR_STRING: "intstr.IntOrString",
}  # fmt: skip
_JSON_TYPES: Mapping[type, str] = {
    bool: "bool",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
_EXPECTED: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


def decoded(resource: Resource, shape: Schema, body: Object) -> Object:
    """The body by a shape; metadata and envelope stay as they are. Raises 400 where a value has the wrong type."""
    content = {key: value for key, value in body.items() if key not in ("apiVersion", "kind", "metadata")}
    clean = defaulted(shape, _value(resource, shape, content, ""))
    envelope = {key: body[key] for key in ("apiVersion", "kind", "metadata") if key in body}
    return {**envelope, **clean}


def _value(resource: Resource, schema: Schema | None, value: Any, path: str) -> Any:
    if schema is not None:
        value = _typed(resource, schema, value, path)
    if isinstance(value, dict):
        return {
            key: _value(resource, member(schema, key) if schema else None, item, child(path, key))
            for key, item in value.items()
            if item is not None or key in _NULLABLE or _has_default(schema, key)
        }
    if isinstance(value, list):
        items = schema.get("items") if schema else None
        return [_value(resource, items, _zero(items) if item is None else item, path) for item in value]
    return value


def _zero(schema: Schema | None) -> Any:
    """What null in a list of these stands for."""
    kind = schema.get("type", "") if schema else ""
    return _EXPECTED[kind][0]() if kind in _EXPECTED else None


def _typed(resource: Resource, schema: Schema, value: Any, path: str) -> Any:
    if value is None:
        return None
    kind, format_name = schema.get("type", ""), schema.get("format")
    if schema.get(INT_OR_STRING):
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise _undecodable(resource, path, value, _GO_TYPES[format_name or INT_OR_STRING])
        number = format_name == "quantity" and not isinstance(value, str)
        return orjson.dumps(value).decode() if number else value
    expected = _EXPECTED.get(kind)
    if expected and (not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected)):
        raise _undecodable(resource, path, value, _GO_TYPES[kind])
    if format_name == "micro-time":
        try:
            return micro_timestamp(parse_timestamp(value))
        except ValueError as error:
            raise _undecodable(resource, path, value, _GO_TYPES[format_name]) from error
    return value


def _has_default(schema: Schema | None, key: str) -> bool:
    known = member(schema, key) if schema else None
    return known is not None and "default" in known


def _undecodable(resource: Resource, path: str, value: Any, wanted: str) -> ApiError:
    kind, found = resource.kind, _JSON_TYPES[type(value)]
    return bad_request(
        f'{kind} in version "{resource.version}" cannot be handled as a {kind}: '
        f"json: cannot unmarshal {found} into Go struct field {kind}.{path} of type {wanted}"
    )
