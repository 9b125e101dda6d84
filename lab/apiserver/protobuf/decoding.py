"""From a protobuf body to the JSON object it stands for (sheet §1.6)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import orjson

from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.protobuf.layouts import Layout, layouts
from lab.apiserver.protobuf.wire import VARINT, WireError, fields, packed, signed
from lab.clock import micro_timestamp, timestamp

MAGIC = b"k8s\x00"
_SCALARS = ("string", "bytes", "bool", "int32", "int64")
_ZERO: dict[str, object] = {"string": "", "bytes": "", "bool": False, "int32": 0, "int64": 0, "intstr.IntOrString": 0}


def decode(body: bytes) -> dict[str, Any]:
    """The object in a body: magic, then `runtime.Unknown`. Raises 400 on malformed bytes, 415 on an unknown kind."""
    if not body.startswith(MAGIC):
        raise bad_request("the object provided is unrecognized: it does not start with the protobuf prefix")
    try:
        unknown = _message("runtime.Unknown", body[len(MAGIC) :], raw_bytes=True)
        api_version, kind = unknown.get("apiVersion", ""), unknown.get("kind", "")
        root = layouts().root(api_version, kind)
        if root is None:
            message = f"the body is protobuf of {api_version} {kind or '(no kind)'}, read as JSON only"
            raise ApiError(415, "UnsupportedMediaType", message)
        return {"apiVersion": api_version, "kind": kind, **_message(root, unknown.get("raw", b""))}
    except (WireError, UnicodeDecodeError, orjson.JSONDecodeError) as error:
        raise bad_request(f"the object provided is unrecognized (protobuf): {error}") from error


def _message(name: str, data: bytes, *, raw_bytes: bool = False) -> dict[str, Any]:
    layout_of = layouts().message(name)
    result: dict[str, Any] = {}
    for number, kind, value in fields(data):
        layout = layout_of.get(number)
        if layout is None:
            continue  # a field of a newer release
        if layout.mapped:
            key, item = _entry(layout, value)
            result.setdefault(layout.name, {})[key] = item
        elif layout.repeated:
            result.setdefault(layout.name, []).extend(_items(layout, kind, value))
        elif raw_bytes and layout.type == "bytes":
            result[layout.name] = value
        else:
            _put(result, layout, _value(layout.type, value))
    return result


def _put(result: dict[str, Any], layout: Layout, value: Any) -> None:
    if layout.inline:
        result.update(value or {})
    elif value is not None and not (layout.omitempty and not layout.pointer and _is_zero(layout.type, value)):
        result[layout.name] = value


def _is_zero(type_: str, value: object) -> bool:
    return type_ in _ZERO and value == _ZERO[type_]


def _items(layout: Layout, kind: int, value: int | bytes) -> list[Any]:
    if layout.type in ("int32", "int64", "bool") and kind != VARINT:
        return [_value(layout.type, number) for number in packed(_bytes(value))]
    return [_value(layout.type, value)]


def _entry(layout: Layout, value: int | bytes) -> tuple[str, Any]:
    key, item = "", _value(layout.type, 0 if layout.type in ("bool", "int32", "int64") else b"")
    for number, _, part in fields(_bytes(value)):
        if number == 1:
            key = _bytes(part).decode()
        elif number == 2:
            item = _value(layout.type, part)
    return key, item


def _value(type_: str, value: int | bytes) -> Any:
    """The JSON value; None stands for null and is dropped."""
    if type_ in _SPECIAL:
        return _SPECIAL[type_](_bytes(value))
    if type_ not in _SCALARS:
        return _message(type_, _bytes(value))
    if type_ == "string":
        return _bytes(value).decode()
    if type_ == "bytes":
        return base64.b64encode(_bytes(value)).decode()
    if not isinstance(value, int):
        raise WireError(f"a number is not sent as {type_}")
    return bool(value) if type_ == "bool" else signed(value)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise WireError("a number where text or a message belongs")
    return value


def _instant(data: bytes) -> float | None:
    parts = {number: signed(value) for number, _, value in fields(data) if isinstance(value, int)}
    return parts.get(1, 0) + parts.get(2, 0) / 1e9 if parts else None


def _time(data: bytes) -> str | None:
    instant = _instant(data)
    return None if instant is None else timestamp(instant)


def _micro_time(data: bytes) -> str | None:
    instant = _instant(data)
    return None if instant is None else micro_timestamp(instant)


def _quantity(data: bytes) -> str:
    return next((_bytes(value).decode() for number, _, value in fields(data) if number == 1), "0")


def _int_or_string(data: bytes) -> int | str:
    parts = {number: value for number, _, value in fields(data)}
    if parts.get(1, 0) == 1:
        return _bytes(parts.get(3, b"")).decode()
    number = parts.get(2, 0)
    return signed(number) if isinstance(number, int) else 0


def _fields_v1(data: bytes) -> Any:
    return next((orjson.loads(_bytes(value)) for number, _, value in fields(data) if number == 1), {})


def _extra_value(data: bytes) -> list[str]:
    return [_bytes(value).decode() for number, _, value in fields(data) if number == 1]


_SPECIAL: dict[str, Callable[[bytes], Any]] = {
    "meta.Time": _time,
    "meta.MicroTime": _micro_time,
    "resource.Quantity": _quantity,
    "intstr.IntOrString": _int_or_string,
    "meta.FieldsV1": _fields_v1,
    "authentication.ExtraValue": _extra_value,
    "authorization.ExtraValue": _extra_value,
}
