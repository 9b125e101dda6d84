"""The verbs on objects and collections (sheet §2, §3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from lab.apiserver import deletion
from lab.apiserver.api import Api
from lab.apiserver.bodies import at_address
from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.http.bodies import duplicates, read_object, read_options, read_patch
from lab.apiserver.http.calls import Call
from lab.apiserver.http.forms import shape_of
from lab.apiserver.http.paths import Target
from lab.apiserver.http.queries import delete_options, list_options, write_options
from lab.apiserver.http.replies import json_reply, raw_reply
from lab.apiserver.http.watching import reached, stream
from lab.apiserver.options import WriteOptions
from lab.apiserver.replies import Reply
from lab.apiserver.resources import Resource
from lab.apiserver.scale import SCALE

_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class Objects:
    """Answers the verbs on the objects of one server."""

    api: Api

    async def answer(self, call: Call, target: Target, resource: Resource) -> web.StreamResponse:
        """The reply to a verb on an object, its plain subresource, or a collection; raises ApiError."""
        if target.name:
            return await self._object(call, target, resource)
        return await self._collection(call, target, resource)

    async def _object(self, call: Call, target: Target, resource: Resource) -> web.Response:
        verb = _VERBS.get(call.method, call.method.lower())
        if verb not in resource.verbs or verb == "create" or (target.subresource and verb == "delete"):
            raise not_supported(verb, resource)
        if verb == "get":
            return self._get(call, target, resource)
        if verb == "delete":
            return await self._delete(call, target, resource)
        shape, options, reply = shape_of(call, self.api.clock.now()), write_options(call), Reply()
        namespace, name, subresource = target.namespace or "", target.name, target.subresource
        if verb == "update":
            obj = at_address(resource, await read_object(call), namespace, name)
            await self._check_duplicates(call, options, reply)
            stored = self.api.update(
                resource, obj, subresource=subresource, caller=call.caller, options=options, reply=reply
            )
        else:
            kind, patch = await read_patch(call)
            caller = call.applier if kind == "apply" else call.caller
            stored = self.api.patch(
                resource, namespace, name, patch, type=kind, subresource=subresource, caller=caller, options=options,
                reply=reply,
            )  # fmt: skip
        shown = SCALE if subresource == "scale" else resource
        return warned(shape.one(shown, stored, 201 if reply.created else 200), reply)

    def _get(self, call: Call, target: Target, resource: Resource) -> web.Response:
        shape = shape_of(call, self.api.clock.now())
        namespace, name, subresource = target.namespace or "", target.name, target.subresource
        if shape.kind == "object" and subresource != "scale":
            return raw_reply(self.api.get_raw(resource, namespace, name))
        obj = self.api.get(resource, namespace, name, subresource=subresource)
        return shape.one(SCALE if subresource == "scale" else resource, obj)

    async def _delete(self, call: Call, target: Target, resource: Resource) -> web.Response:
        shape = shape_of(call, self.api.clock.now())
        options = delete_options(call, await read_options(call))
        result = self.api.delete(resource, target.namespace or "", target.name, caller=call.caller, options=options)
        body = deletion.reply(self.api, resource, result)
        waits = options.orphan_dependents is False and body is result
        return shape.one(resource, body, 202 if waits else 200)

    async def _collection(self, call: Call, target: Target, resource: Resource) -> web.StreamResponse:
        everywhere = resource.namespaced and target.namespace is None
        if call.method == "GET" and "list" in resource.verbs:
            if call.flag("watch"):
                return await stream(self.api, call, resource, target.namespace)
            shape, options = shape_of(call, self.api.clock.now()), list_options(call)
            await reached(self.api, options.revision)
            return shape.page(self.api.page(resource, target.namespace, options))
        if call.method == "POST" and "create" in resource.verbs and not everywhere:
            return await self._create(call, target, resource)
        if call.method == "DELETE" and "deletecollection" in resource.verbs and not everywhere:
            return await self._delete_collection(call, target, resource)
        verb = {"GET": "list", "DELETE": "deletecollection"}.get(call.method, _VERBS.get(call.method, call.method))
        raise not_supported(verb, resource)

    async def _create(self, call: Call, target: Target, resource: Resource) -> web.Response:
        shape, options, reply = shape_of(call, self.api.clock.now()), write_options(call), Reply()
        obj = at_address(resource, await read_object(call), target.namespace or "")
        await self._check_duplicates(call, options, reply)
        stored = self.api.create(resource, obj, caller=call.caller, options=options, reply=reply)
        return warned(shape.one(resource, stored, 201), reply)

    async def _delete_collection(self, call: Call, target: Target, resource: Resource) -> web.Response:
        options = delete_options(call, await read_options(call))
        labels, fields = call.text("labelSelector"), call.text("fieldSelector")
        gone = self.api.delete_collection(
            resource, target.namespace, labels=labels, fields=fields, options=options, caller=call.caller
        )
        metadata = {"resourceVersion": str(self.api.store.revision)}
        kinds = {"kind": resource.list_kind_name, "apiVersion": resource.api_version}
        return json_reply({**kinds, "metadata": metadata, "items": gone})

    async def _check_duplicates(self, call: Call, options: WriteOptions, reply: Reply) -> None:
        """Members named twice: warnings, or 400 with fieldValidation Strict."""
        if options.field_validation == "Ignore":
            return
        found = [f'duplicate field "{path}"' for path in await duplicates(call)]
        if found and options.field_validation == "Strict":
            raise bad_request(f"strict decoding error: {', '.join(found)}")
        reply.warnings.extend(found)


def warned(response: web.Response, reply: Reply) -> web.Response:
    """The response with a Warning header for each text."""
    for text in reply.warnings:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.add("Warning", f'299 - "{quoted}"')
    return response


def not_supported(verb: str, resource: Resource) -> ApiError:
    """405."""
    group = {"group": resource.group} if resource.group else {}
    message = f'{verb} is not supported on resources of kind "{resource.qualified}"'
    return ApiError(405, "MethodNotAllowed", message, {**group, "kind": resource.plural})
