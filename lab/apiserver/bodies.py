"""Request bodies: where they are sent, which kind they hold, and metadata as a typed server reads it (§2.1, §2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from lab.apiserver.admission import Object
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.resources import Resource

_TEXTS = (
    "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp",
)  # fmt: skip
_NUMBERS = ("generation", "deletionGracePeriodSeconds")
_MAPS = ("labels", "annotations")
_LISTS = ("finalizers", "ownerReferences", "managedFields")
KNOWN = frozenset((*_TEXTS, *_NUMBERS, *_MAPS, *_LISTS))


def at_address(resource: Resource, obj: object, namespace: str, name: str = "") -> Object:
    """A request body as sent to a URL: namespace filled in from it. Raises 400 where the two contradict each other.

    namespace "" is the cluster scope; name "" is a collection (POST).
    """
    if not isinstance(obj, Mapping):
        raise bad_request("the object provided is unrecognized: the body must be a JSON object")
    metadata = obj.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise _undecodable(resource, "metadata", metadata, "v1.ObjectMeta")
    if name and not metadata.get("name"):
        raise bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if name and metadata["name"] != name:
        raise bad_request(f"the name of the object ({metadata['name']}) does not match the name on the URL ({name})")
    if not resource.namespaced:
        return {**obj, "metadata": {key: value for key, value in metadata.items() if key != "namespace"}}
    if metadata.get("namespace") not in (None, "", namespace):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    return {**obj, "metadata": {**metadata, "namespace": namespace}}


def typed(resource: Resource, obj: Object) -> Object:
    """The object with apiVersion and kind filled in; raises 400 when it says something else."""
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    if api_version == resource.api_version and kind == resource.kind:
        return obj
    if api_version and api_version != resource.api_version:
        raise bad_request(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({resource.api_version})"
        )
    if kind and kind != resource.kind:
        raise bad_request(f'{kind} in version "{resource.version}" cannot be handled as a {resource.kind}')
    return {**obj, "apiVersion": resource.api_version, "kind": resource.kind}


def decoded(resource: Resource, obj: Object) -> Object:
    """The object with metadata as a typed server reads it: without nulls and unknown members; 400 on wrong types."""
    metadata = obj.get("metadata")
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, Mapping):
        raise _undecodable(resource, "metadata", metadata, "v1.ObjectMeta")
    found: dict[str, Any] = {}
    for key, value in metadata.items():
        if value is None or key not in KNOWN:
            continue
        if key in _MAPS:
            found[key] = _text_map(resource, key, value)
        elif key in _LISTS:
            found[key] = _list(resource, key, value)
        elif key in _TEXTS and not isinstance(value, str):
            raise _undecodable(resource, f"metadata.{key}", value, "string")
        elif key in _NUMBERS and (isinstance(value, bool) or not isinstance(value, int)):
            raise _undecodable(resource, f"metadata.{key}", value, "int64")
        elif value != "":
            found[key] = value
    return {**obj, "metadata": found}


def unknown_members(metadata: object) -> list[str]:
    """Paths of members of metadata that no object has."""
    return [f"metadata.{key}" for key in metadata if key not in KNOWN] if isinstance(metadata, Mapping) else []


def _text_map(resource: Resource, key: str, value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise _undecodable(resource, f"metadata.{key}", value, "map[string]string")
    for text in value.values():
        if text is not None and not isinstance(text, str):
            raise _undecodable(resource, f"metadata.{key}", text, "string")
    return {name: text or "" for name, text in value.items()} if None in value.values() else value  # type: ignore[return-value]


def _list(resource: Resource, key: str, value: object) -> list[Any]:
    item_type = str if key == "finalizers" else Mapping
    if not isinstance(value, list):
        raise _undecodable(resource, f"metadata.{key}", value, f"[]{'string' if item_type is str else 'object'}")
    for item in value:
        if not isinstance(item, item_type):
            raise _undecodable(resource, f"metadata.{key}", item, "string" if item_type is str else "object")
    return value


def _undecodable(resource: Resource, field: str, value: object, wanted: str) -> ApiError:
    found = {bool: "bool", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    shown = found.get(type(value)) or orjson.dumps(value).decode()
    what = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'
    return bad_request(
        f"{what}: json: cannot unmarshal {shown} into Go struct field ObjectMeta.{field} of type {wanted}"
    )
