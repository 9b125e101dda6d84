"""Subresources and kinds that are answered rather than stored: tokens, reviews, finalize, eviction, binding."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from lab.apiserver import namespaces
from lab.apiserver.api import Api
from lab.apiserver.auth.identity import Credentials
from lab.apiserver.auth.reviews import Reviewer
from lab.apiserver.auth.tokens import token_request
from lab.apiserver.binding import bind
from lab.apiserver.bodies import at_address
from lab.apiserver.builtin.kinds import NAMESPACE, POD
from lab.apiserver.eviction import evict
from lab.apiserver.http.bodies import read_object
from lab.apiserver.http.calls import Call
from lab.apiserver.http.objects import not_supported
from lab.apiserver.http.paths import Target
from lab.apiserver.http.queries import options_in_body, write_options
from lab.apiserver.http.replies import json_reply
from lab.apiserver.resources import Resource


@dataclass(frozen=True, slots=True)
class Subresources:
    """Answers them for one server."""

    api: Api
    reviewer: Reviewer
    credentials: Credentials

    async def review(self, call: Call, target: Target, resource: Resource) -> web.Response:
        """A review: the object back, with its status."""
        if call.method != "POST" or target.name:
            raise not_supported(call.method.lower(), resource)
        obj = at_address(resource, await read_object(call), target.namespace or "")
        status = self.reviewer.status(resource, obj, call.user, target.namespace or "", self.api.clock.now())
        metadata = {**obj["metadata"], "creationTimestamp": None}
        kind = {"kind": resource.kind, "apiVersion": resource.api_version}
        return json_reply({**obj, **kind, "metadata": metadata, "status": status}, 201)

    async def token(self, call: Call, target: Target, resource: Resource) -> web.Response:
        """TokenRequest of a service account."""
        if call.method != "POST":
            raise not_supported(call.method.lower(), resource)
        body = await read_object(call)
        return json_reply(token_request(self.api, self.credentials, target.namespace or "", target.name, body), 201)

    async def finalize(self, call: Call, target: Target) -> web.Response:
        """PUT `/finalize` of a namespace."""
        if call.method != "PUT":
            raise not_supported(call.method.lower(), NAMESPACE)
        body = at_address(NAMESPACE, await read_object(call), "", target.name)
        options = write_options(call)
        return json_reply(namespaces.finalize(self.api, target.name, body, caller=call.caller, options=options))

    async def pod(self, call: Call, target: Target) -> web.Response:
        """POST `/eviction` or `/binding` of a pod."""
        if call.method != "POST":
            raise not_supported(call.method.lower(), POD)
        body, namespace, name = await read_object(call), target.namespace or "", target.name
        if target.subresource == "binding":
            options = write_options(call)
            return json_reply(bind(self.api, namespace, name, body, options=options, caller=call.caller), 201)
        how = options_in_body(call, body.get("deleteOptions") or {})
        return json_reply(evict(self.api, namespace, name, body, options=how, caller=call.caller), 201)
