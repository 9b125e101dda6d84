"""The same object in each version it is served in: storage keeps one form, requests speak theirs.

A kind without `to_storage`/`from_storage` differs in apiVersion only; its objects are stored under the version they
were created in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from lab.apiserver.admission import Object
from lab.apiserver.resources import Resource
from lab.apiserver.store import Snapshot


def outward(resource: Resource, stored: Mapping[str, Any]) -> Object:
    """A stored object as this version shows it. Shares its parts with the store."""
    if resource.from_storage is None:
        if stored.get("apiVersion") == resource.api_version and stored.get("kind") == resource.kind:
            return dict(stored)
        return {**stored, "apiVersion": resource.api_version, "kind": resource.kind}
    shown = resource.from_storage(stored)
    return {**shown, "apiVersion": resource.api_version, "kind": resource.kind}


def inward(resource: Resource, obj: Object, stored: Mapping[str, Any] | None) -> Object:
    """An object of this version as it is stored; `stored` is the form it replaces."""
    if resource.to_storage is not None:
        return resource.to_storage(obj)
    if stored is None or stored["apiVersion"] == obj["apiVersion"]:
        return obj
    return {**obj, "apiVersion": stored["apiVersion"]}


def raw(resource: Resource, snapshot: Snapshot) -> bytes:
    """The JSON of a stored object in this version: the snapshot's own bytes unless they need converting."""
    stored = snapshot.obj
    plain = resource.from_storage is None
    if plain and stored.get("apiVersion") == resource.api_version and stored.get("kind") == resource.kind:
        return snapshot.raw
    return orjson.dumps(outward(resource, stored))
