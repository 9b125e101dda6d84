"""PATCH in its four types, on objects, `/status` and `/scale` (kubernetes-api sheet §4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import orjson

from lab.apiserver import scale, versions
from lab.apiserver.admission import Object
from lab.apiserver.bodies import decoded, typed
from lab.apiserver.causes import forbidden_value, required
from lab.apiserver.errors import ApiError, bad_request, conflict, invalid, not_found
from lab.apiserver.patching.apply import Applied, apply, with_last_applied
from lab.apiserver.patching.json_patch import apply_json_patch
from lab.apiserver.patching.managed import Manager
from lab.apiserver.patching.merge import apply_merge_patch
from lab.apiserver.patching.shape import ANYTHING
from lab.apiserver.patching.strategic import apply_strategic_patch
from lab.apiserver.requests import WriteRequest
from lab.apiserver.resources import Resource
from lab.apiserver.store import Snapshot
from lab.apiserver.writes import Writes

if TYPE_CHECKING:
    from lab.apiserver.api import Api

PatchType = Literal["json", "merge", "strategic", "apply"]
PATCH_OPTIONS = Resource("meta.k8s.io", "v1", "patchoptions", "PatchOptions")
_CUSTOM_TYPES = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"


class Patches:
    """Turns a patch and the present state into a replacement, in one critical section."""

    def __init__(self, api: Api, writes: Writes) -> None:
        self._api = api
        self._writes = writes

    def patch(self, request: WriteRequest, namespace: str, name: str, body: Any, kind: PatchType) -> Object:
        """Commit the patched object. Raises 400, 404, 409, 413, 415, 422."""
        resource = request.resource
        if kind == "strategic" and resource.custom:
            message = (
                "the body of the request was in an unknown format - accepted media types include: " + _CUSTOM_TYPES
            )
            raise ApiError(415, "UnsupportedMediaType", message)
        if request.options.force and kind != "apply":
            cause = forbidden_value("force", "may not be specified for non-apply patch")
            raise invalid(PATCH_OPTIONS, "", [cause])
        body = orjson.loads(orjson.dumps(body))
        if kind == "apply":
            return self._apply(request, namespace, name, body)
        snapshot = self._api.store.get(resource.key, namespace, name)
        if snapshot is None:
            raise not_found(resource, name)
        old = versions.outward(resource, snapshot.obj)
        target = scale.view(resource, old) if request.subresource == "scale" else old
        new = self._patched(request, target, body, kind)
        _refuse_renaming(target, new)
        if request.subresource == "scale":
            return self.rescale(request, snapshot, old, new)
        return self._writes.replace(request, snapshot, old, typed(resource, new))

    def rescale(self, request: WriteRequest, snapshot: Snapshot, old: Object, wanted: Mapping[str, Any]) -> Object:
        """Commit the replicas of a Scale; returns the Scale."""
        resource = request.resource
        given = wanted.get("metadata") or {}
        meant = {key: given[key] for key in ("uid", "resourceVersion") if given.get(key)}
        body = scale.scaled(resource, {**old, "metadata": {**old["metadata"], **meant}}, wanted)
        return scale.view(resource, self._writes.replace(request, snapshot, old, body))

    def _patched(self, request: WriteRequest, target: Object, body: Any, kind: PatchType) -> Object:
        if kind == "json":
            return apply_json_patch(target, body)
        if kind == "merge":
            return apply_merge_patch(target, body)
        shape = ANYTHING if request.subresource == "scale" else self._writes.shapes.of(request.resource)
        return apply_strategic_patch(shape, target, body)

    def _apply(self, request: WriteRequest, namespace: str, name: str, body: Any) -> Object:
        resource = request.resource
        if not request.caller.manager:
            raise invalid(PATCH_OPTIONS, "", [required("fieldManager", "is required for apply patch")])
        config = _configuration(request, body, namespace, name)
        snapshot = self._api.store.get(resource.key, namespace, name)
        if snapshot is None:
            return self._apply_new(request, name, config)
        old = versions.outward(resource, snapshot.obj)
        applied = self._applied(request, old, config)
        new = {**applied.obj, "metadata": {**applied.obj["metadata"], **_preconditions(config)}}
        result = self._writes.replace(replace(request, entries=applied.entries), snapshot, old, new)
        return scale.view(resource, result) if request.subresource == "scale" else result

    def _apply_new(self, request: WriteRequest, name: str, config: Object) -> Object:
        resource = request.resource
        if request.subresource:
            raise not_found(resource, name)
        wanted = _preconditions(config)
        if "uid" in wanted:
            why = f"uid mismatch: the provided object specified uid {wanted['uid']}, and no existing object was found"
            raise conflict(resource, name, why)
        if wanted:
            raise conflict(resource, name)
        applied = self._applied(request, {}, config)
        if request.reply is not None:
            request.reply.created = True
        return self._writes.create(replace(request, entries=applied.entries), applied.obj)

    def _applied(self, request: WriteRequest, live: Object, config: Object) -> Applied:
        resource = request.resource
        who = Manager(request.caller.manager, resource.api_version, request.subresource, self._api.clock.stamp())
        entries = live["metadata"].get("managedFields") or () if live else ()
        owned = _owned_part(request, config)
        applied = apply(self._writes.shapes.of(resource), live, entries, owned, who, request.options.force)
        if who.name != "kubectl" or request.subresource:
            return applied
        return Applied(with_last_applied(applied.obj, config), applied.entries)


def _configuration(request: WriteRequest, body: Any, namespace: str, name: str) -> Object:
    """The applied configuration with its address filled in; raises 400 when it is not one."""
    if not isinstance(body, Mapping):
        raise bad_request("the patch is malformed: an applied configuration is an object")
    for key in ("apiVersion", "kind"):
        if not body.get(key):
            raise bad_request(f"Object '{key}' is missing in '{orjson.dumps(body).decode()}'")
    expected = scale.SCALE if request.subresource == "scale" else request.resource
    if body["apiVersion"] != expected.api_version:
        raise bad_request(
            f"Incorrect version specified in apply patch. Specified patch version: {body['apiVersion']}, "
            f"expected: {expected.api_version}"
        )
    if body["kind"] != expected.kind:
        raise bad_request(f'{body["kind"]} in version "{expected.version}" cannot be handled as a {expected.kind}')
    if (body.get("metadata") or {}).get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    config = decoded(expected, dict(body))
    address = {"name": name, **({"namespace": namespace} if request.resource.namespaced else {})}
    _refuse_renaming({"metadata": address}, config)
    return {**config, "metadata": {**config["metadata"], **address}}


def _owned_part(request: WriteRequest, config: Object) -> Object:
    """What an apply takes of the configuration: the status on `/status`, all but the status elsewhere."""
    resource = request.resource
    if request.subresource == "scale":
        return scale.as_config(resource, config, config["metadata"]["name"])
    if request.subresource == "status":
        return {"status": config["status"]} if "status" in config else {}
    if "status" in resource.subresources:
        return {key: value for key, value in config.items() if key != "status"}
    return config


def _preconditions(config: Object) -> Object:
    return {key: config["metadata"][key] for key in ("uid", "resourceVersion") if config["metadata"].get(key)}


def _refuse_renaming(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """400 when a patch names another object."""
    given = new.get("metadata")
    if given is old["metadata"] or not isinstance(given, Mapping):
        return
    name = old["metadata"]["name"]
    if given.get("name") not in (None, "", name):
        raise bad_request(f"the name of the object ({given['name']}) does not match the name on the URL ({name})")
    if given.get("namespace") not in (None, "", old["metadata"].get("namespace")):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
