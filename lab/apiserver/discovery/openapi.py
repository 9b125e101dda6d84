"""OpenAPI v2 and v3, as much as kubectl needs: patch operations of every kind, schemas of custom ones (sheet §1.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import orjson

from lab.apiserver.resources import Resource

Json = dict[str, object]
V2_PROTOBUF = bytes.fromhex("0a03322e30120c0a036c6162120576312e33324200")  # swagger 2.0, title lab, no paths
V2_CONTENT_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"  # the dot form (trap T5)
_INFO = {"title": "lab", "version": "v1.33"}
_PATCH_PARAMETERS = ("dryRun", "fieldManager", "fieldValidation", "force")


def v2() -> Json:
    """The v2 document: without definitions kubectl leaves validation to the server."""
    return {"swagger": "2.0", "info": _INFO, "paths": {}, "definitions": {}}


def wants_protobuf(accept: str | None) -> bool:
    """True when a client asks for v2 as protobuf, in either spelling."""
    return "proto-openapi.spec.v2" in (accept or "")


class Documents:
    """The v3 documents, one per group and version, made again only when its kinds have changed."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[tuple[Resource, ...], bytes]] = {}

    def root(self, resources: Iterable[Resource]) -> Json:
        """The body of `/openapi/v3`: where each document is, under a hash of its content."""
        paths = {}
        for path, kinds in _by_path(resources).items():
            digest = hashlib.sha256(self._document(path, kinds)).hexdigest().upper()
            paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
        return {"paths": paths}

    def document(self, path: str, resources: Iterable[Resource]) -> bytes | None:
        """The document at a path such as `apis/apps/v1`, None if there is none."""
        kinds = _by_path(resources).get(path)
        return None if kinds is None else self._document(path, kinds)

    def _document(self, path: str, kinds: tuple[Resource, ...]) -> bytes:
        made_for, made = self._made.get(path, ((), b""))
        if len(made_for) == len(kinds) and all(one is other for one, other in zip(made_for, kinds, strict=True)):
            return made
        body = {"openapi": "3.0.0", "info": _INFO, "paths": _paths(path, kinds), "components": _components(kinds)}
        made = orjson.dumps(body)
        self._made[path] = (kinds, made)
        return made


def _by_path(resources: Iterable[Resource]) -> dict[str, tuple[Resource, ...]]:
    found: dict[str, tuple[Resource, ...]] = {}
    for resource in resources:
        path = f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"
        found[path] = (*found.get(path, ()), resource)
    return found


def _paths(path: str, kinds: tuple[Resource, ...]) -> Json:
    found: Json = {}
    for kind in kinds:
        collection = f"/{path}/{'namespaces/{namespace}/' if kind.namespaced else ''}{kind.plural}"
        found[collection] = {"get": _operation("list", kind)}
        if "patch" in kind.verbs:
            parameters = [{"name": name, "in": "query"} for name in _PATCH_PARAMETERS]
            found[f"{collection}/{{name}}"] = {"patch": {**_operation("patch", kind), "parameters": parameters}}
    return found


def _operation(action: str, kind: Resource) -> Json:
    return {"x-kubernetes-action": action, "x-kubernetes-group-version-kind": _gvk(kind), "responses": {}}


def _components(kinds: tuple[Resource, ...]) -> Json:
    schemas = {
        f"{'.'.join(reversed(kind.group.split('.')))}.{kind.version}.{kind.kind}": {
            **kind.schema,
            "x-kubernetes-group-version-kind": [_gvk(kind)],
        }
        for kind in kinds
        if kind.schema is not None
    }
    return {"schemas": schemas}


def _gvk(kind: Resource) -> Json:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}
