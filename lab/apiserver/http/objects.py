"""The verbs on objects and collections (sheet §2)."""

from __future__ import annotations

from typing import Any

import orjson
import yaml
from aiohttp import web

from lab.apiserver.api import Api, PatchType
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.http.calls import Call
from lab.apiserver.http.replies import json_reply, raw_reply
from lab.apiserver.options import DeleteOptions, WriteOptions
from lab.apiserver.resources import Resource

PATCHES: dict[str, PatchType] = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


async def answer(api: Api, call: Call, resource: Resource) -> web.Response:
    """The reply to a verb on an object or a collection."""
    target = call.target
    assert target is not None
    namespace = target.namespace or ""
    if call.method == "GET" and not target.name:
        items = [snapshot.raw for snapshot in api.store.scan(resource.key, target.namespace)]
        head = {
            "kind": resource.list_kind_name,
            "apiVersion": resource.api_version,
            "metadata": {"resourceVersion": str(api.store.revision)},
        }
        return raw_reply(orjson.dumps(head)[:-1] + b',"items":[' + b",".join(items) + b"]}")
    if call.method == "GET":
        return json_reply(api.get(resource, namespace, target.name))
    if call.method == "POST":
        obj = await _read(call)
        if resource.namespaced:
            obj["metadata"] = {**(obj.get("metadata") or {}), "namespace": namespace}
        return json_reply(api.create(resource, obj, caller=call.caller, options=_options(call)), 201)
    if call.method == "PUT":
        obj = await _read(call)
        return json_reply(
            api.update(resource, obj, subresource=target.subresource, caller=call.caller, options=_options(call))
        )
    if call.method == "PATCH":
        patch_type = PATCHES.get(_content_type(call))
        if patch_type is None:
            raise ApiError(415, "UnsupportedMediaType", f"unsupported patch type {_content_type(call)}")
        body = await _read(call)
        return json_reply(
            api.patch(
                resource, namespace, target.name, body, type=patch_type, subresource=target.subresource,
                caller=call.caller, options=_options(call),
            )
        )  # fmt: skip
    if call.method == "DELETE" and target.name:
        return json_reply(api.delete(resource, namespace, target.name, caller=call.caller, options=DeleteOptions()))
    raise ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


def _options(call: Call) -> WriteOptions:
    return WriteOptions("All" in call.texts("dryRun"), call.flag("force"), call.text("fieldValidation") or "Warn")


def _content_type(call: Call) -> str:
    return call.http.headers.get("Content-Type", "").partition(";")[0].strip().lower()


async def _read(call: Call) -> Any:
    body = await call.body()
    try:
        if _content_type(call) in ("application/yaml", "application/apply-patch+yaml"):
            return yaml.safe_load(body)
        return orjson.loads(body)
    except (orjson.JSONDecodeError, yaml.YAMLError) as error:
        raise bad_request(f"the object provided is unrecognized: {error}") from error
