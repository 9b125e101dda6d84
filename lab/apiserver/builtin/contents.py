"""Secrets and ConfigMaps: their data, and what `immutable` forbids (kubernetes-api sheet §6.1)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.builtin.shapes import FLAG, TEXT, TEXTS, obj, with_default
from lab.apiserver.causes import forbidden_value, invalid_value, required, too_long
from lab.apiserver.errors import Cause, bad_request

SECRET = obj(data=TEXTS, stringData=TEXTS, type=with_default(TEXT, "Opaque"), immutable=FLAG)
CONFIG_MAP = obj(data=TEXTS, binaryData=TEXTS, immutable=FLAG)
LIMIT = 1024 * 1024  # bytes of all values
_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_KEY_PROBLEM = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
    "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_FROZEN = "field is immutable when `immutable` is set"
_NEEDED = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
}


def completed_secret(new: Object, _: Object | None) -> Object:
    """stringData becomes data; raises 400 for data that is not base64."""
    rest = {key: value for key, value in new.items() if key != "stringData"}
    for text in (new.get("data") or {}).values():
        _decoded("Secret", text)
    written = {key: base64.b64encode(text.encode()).decode() for key, text in (new.get("stringData") or {}).items()}
    if written:
        rest["data"] = {**(rest.get("data") or {}), **written}
    return rest


def completed_config_map(new: Object, _: Object | None) -> Object:
    """As sent; raises 400 for binaryData that is not base64."""
    for text in (new.get("binaryData") or {}).values():
        _decoded("ConfigMap", text)
    return new


def secret_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a Secret."""
    data = new.get("data") or {}
    yield from _key_causes("data", data)
    if sum(len(_decoded("Secret", text)) for text in data.values()) > LIMIT:
        yield too_long("data", LIMIT)
    for key in _NEEDED.get(new["type"], ()):
        if key not in data:
            yield required(f"data[{key}]")
    if old is not None:
        if new["type"] != old.get("type"):
            yield invalid_value("type", new["type"], "field is immutable")
        yield from _frozen_causes(new, old, ("data",))


def config_map_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a ConfigMap."""
    data, binary = new.get("data") or {}, new.get("binaryData") or {}
    yield from _key_causes("data", data)
    yield from _key_causes("binaryData", binary)
    for key in data:
        if key in binary:
            yield invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData")
    size = sum(len(text.encode()) for text in data.values())
    if size + sum(len(_decoded("ConfigMap", text)) for text in binary.values()) > LIMIT:
        yield too_long("", LIMIT)
    if old is not None:
        yield from _frozen_causes(new, old, ("data", "binaryData"))


def _key_causes(field: str, data: Mapping[str, str]) -> Iterator[Cause]:
    for key in data:
        if not _KEY.fullmatch(key):
            yield invalid_value(f"{field}[{key}]", key, _KEY_PROBLEM)


def _frozen_causes(new: Object, old: Object, fields: tuple[str, ...]) -> Iterator[Cause]:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_value("immutable", _FROZEN)
    for field in fields:
        if (new.get(field) or {}) != (old.get(field) or {}):
            yield forbidden_value(field, _FROZEN)


def _decoded(kind: str, text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:  # also for characters beyond ASCII
        where = len(re.match(r"[A-Za-z0-9+/]*", text)[0])  # type: ignore[index]  # the pattern matches any text
        reason = f"illegal base64 data at input byte {where}"
        raise bad_request(f'{kind} in version "v1" cannot be handled as a {kind}: {reason}') from error
