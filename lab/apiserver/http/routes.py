"""Which handler answers a request, after it has been authorized."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from lab.apiserver.api import Api
from lab.apiserver.auth.attributes import Attributes, forbidden_text, name_in_selector, verb_of
from lab.apiserver.auth.identity import Credentials
from lab.apiserver.auth.rbac import Authorizer
from lab.apiserver.auth.reviews import Reviewer
from lab.apiserver.builtin.kinds import NAMESPACE, POD, REVIEWS, SERVICE_ACCOUNT
from lab.apiserver.errors import ApiError
from lab.apiserver.http.aggregated import Aggregated
from lab.apiserver.http.calls import Call
from lab.apiserver.http.documents import Documents, not_found
from lab.apiserver.http.objects import Objects
from lab.apiserver.http.paths import Target
from lab.apiserver.http.pods import PodRequests
from lab.apiserver.http.replies import json_reply, text_reply
from lab.apiserver.http.subresources import Subresources
from lab.apiserver.resources import Resource
from lab.apiserver.streams.handshakes import choose_plain
from lab.apiserver.streams.providers import PodStreams
from lab.apiserver.streams.tunnels import Tunnel, serve_tunnel

_POD_STREAMS = ("log", "exec", "attach", "portforward")
_REVIEWS = frozenset(kind.key for kind in REVIEWS)


class Router:
    """Answers the requests of one server."""

    def __init__(
        self,
        api: Api,
        credentials: Credentials,
        others: list[Aggregated],
        streams: Callable[[], PodStreams],
        ready: Callable[[], bool],
    ) -> None:
        self._api = api
        self._others = others
        self.authorizer = Authorizer(api.store)
        self.documents = Documents(api.catalogue, others, ready)
        self._objects = Objects(api)
        self._pods = PodRequests(api, streams)
        self._subresources = Subresources(api, Reviewer(self.authorizer, credentials), credentials)

    async def answer(self, call: Call) -> web.StreamResponse:
        """The reply to a call; raises ApiError to refuse."""
        self._authorize(call)
        if call.target is None:
            return self.documents.answer(call)
        for other in self._others:
            if other.group == call.target.group and call.target.version in other.versions:
                return await self._other(call, call.target, other)
        return await self._resource(call, call.target)

    def _authorize(self, call: Call) -> None:
        wanted = _attributes(call)
        if not self.authorizer.decide(call.user, wanted).allowed:
            raise forbidden_text(call.user.name, wanted)

    async def _other(self, call: Call, target: Target, other: Aggregated) -> web.StreamResponse:
        reply = await other.find(target, call.method)(call)
        if isinstance(reply, Tunnel):
            try:
                protocol = choose_plain(call.http)
            except ApiError:
                reply.writer.close()
                raise
            return await serve_tunnel(call.http, protocol, reply)
        if reply.body is None:
            return web.Response(status=reply.status, headers=reply.headers)
        if isinstance(reply.body, str):
            return text_reply(reply.body, reply.status)
        response = json_reply(reply.body, reply.status)
        response.headers.update(reply.headers)
        return response

    async def _resource(self, call: Call, target: Target) -> web.StreamResponse:
        resource = self._api.catalogue.find(target.group, target.version, target.plural)
        if resource is None:
            known = any((kind.group, kind.version) == (target.group, target.version) for kind in self._api.catalogue)
            return _unknown() if known else not_found()
        if target.namespace is not None and not resource.namespaced:
            return _unknown()
        if resource.key in _REVIEWS:
            return await self._subresources.review(call, target, resource)
        if target.name and target.namespace is None and resource.namespaced:
            return _unknown()
        if target.subresource:
            return await self._subresource(call, target, resource)
        return await self._objects.answer(call, target, resource)

    async def _subresource(self, call: Call, target: Target, resource: Resource) -> web.StreamResponse:
        name = target.subresource
        if name not in resource.subresources or target.rest:
            return _unknown()
        if resource.key == POD.key and name in _POD_STREAMS:
            return await self._pods.answer(call, name, target.namespace or "", target.name)
        if resource.key == POD.key and name in ("eviction", "binding"):
            return await self._subresources.pod(call, target)
        if resource.key == NAMESPACE.key and name == "finalize":
            return await self._subresources.finalize(call, target)
        if resource.key == SERVICE_ACCOUNT.key and name == "token":
            return await self._subresources.token(call, target, resource)
        return await self._objects.answer(call, target, resource)


def _attributes(call: Call) -> Attributes:
    """What the call wants to do, as rules see it."""
    target = call.target
    if target is None:
        return Attributes(verb_of(call.method, named=True, watch=False), path=call.http.rel_url.path)
    namespace, name = target.namespace or "", target.name or name_in_selector(call.text("fieldSelector"))
    if (target.group, target.plural) == ("", "namespaces"):
        namespace = target.name
    verb = verb_of(call.method, named=bool(target.name), watch=call.flag("watch"))
    return Attributes(verb, target.group, target.plural, target.subresource, namespace, name)


def _unknown() -> web.Response:
    """The 404 of a resource path that names no resource."""
    error = ApiError(404, "NotFound", "the server could not find the requested resource", {})
    return json_reply(error.status(), 404)
