"""The server of all services of one cloud, each below its own path; loopback only."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import orjson
from aiohttp import ClientConnectionResetError, web

from lab.apiserver.certificates import Authority
from lab.controllers.answers import answer
from lab.openstack.cloud import Cloud
from lab.openstack.http.calls import Call
from lab.openstack.http.images import GLANCE
from lab.openstack.http.keystone import KEYSTONE, unauthorized
from lab.openstack.http.microversions import HEADER
from lab.openstack.http.networks import NEUTRON
from lab.openstack.http.nova.service import nova
from lab.openstack.http.placement import PLACEMENT
from lab.openstack.http.replies import HTML, Reply, keystone_form
from lab.openstack.http.requests import REQUESTS, SERVED, Asked, Treatment
from lab.openstack.http.routing import Route, Service
from lab.openstack.identity.tokens import Token
from lab.openstack.refusals import NotSimulatedError, RefusalError

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHUTDOWN = 0.2  # wall seconds for requests that are being answered, before they are cancelled
_GONE = 499
_WITH_CHARSET = "application/json; charset=UTF-8"
_BODY_LIMIT = 1024 * 1024  # bytes
_HEADER_LIMIT = 64 * 1024  # bytes of one line


class Front:
    """Serves a cloud. Without an authority over HTTP, with one over HTTPS: real operators read no OS_CACERT."""

    def __init__(self, cloud: Cloud, *, seed: int = 1, authority: Authority | None = None) -> None:
        self.cloud = cloud
        self.authority = authority
        self.url = ""
        self._services = {one.name: one for one in (KEYSTONE, nova(cloud.shape.nova), PLACEMENT, GLANCE, NEUTRON)}
        self._requests = cloud.faults.ahead_of(REQUESTS)
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._rng = random.Random(f"{seed}/openstack/requests")
        self._runner: web.ServerRunner | None = None

    @property
    def auth_url(self) -> str:
        """Where clients begin."""
        return f"{self.url}/identity/v3"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen; returns the URL. Port 0 takes a free one. Loopback addresses only."""
        if host not in _LOOPBACK:
            raise ValueError(f"the lab binds loopback addresses only, not {host}")
        server = web.Server(self._handle, access_log=None, handler_cancellation=True, max_field_size=_HEADER_LIMIT)
        self._runner = web.ServerRunner(server, shutdown_timeout=_SHUTDOWN)
        await self._runner.setup()
        context = self.authority.server_context(_LOOPBACK) if self.authority is not None else None
        await web.TCPSite(self._runner, host, port, ssl_context=context, backlog=256).start()
        bound = self._runner.addresses[0][1]
        scheme = "http" if self.authority is None else "https"
        self.url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{bound}"
        return self.url

    async def stop(self) -> None:
        """Stop listening, and close every connection."""
        runner, self._runner = self._runner, None
        if runner is None or runner.server is None:
            return
        for site in tuple(runner.sites):
            await site.stop()
        for connection in runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except ClientConnectionResetError:
            return web.Response(status=_GONE)  # nobody reads it: the client went while it was answered

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        parts = tuple(unquote(part) for part in request.rel_url.raw_path.removeprefix("/").split("/"))
        service = self._services.get(parts[0])
        if service is None:
            refusal = NotSimulatedError(f"{request.method} {request.rel_url.raw_path}")
            return _sent(Reply(501, keystone_form(refusal, "")), "")
        request_id = f"req-{uuid.UUID(int=self._rng.getrandbits(128), version=4)}"
        try:
            content = await _content(request)
            reply = await self._serve(service, request, parts[1:] or ("",), content, request_id)
        except RefusalError as refusal:
            reply = self._refused(service, refusal, request_id, request.headers)
        return _sent(reply, request_id)

    async def _serve(
        self, service: Service, request: web.BaseRequest, parts: tuple[str, ...], content: bytes, request_id: str
    ) -> Reply:
        found = service.find(request.method, parts)
        token = self.cloud.tokens.find(request.headers.get("X-Auth-Token", ""))
        if token is None and (found is None or not found[0].open):
            raise unauthorized()
        path = "/" + "/".join(parts)
        treatment = self._treatment(service, request.method, parts, path, content)
        if treatment.held:
            await self._pass(treatment.held)
        if treatment.refusal is not None:
            raise treatment.refusal
        if found is None:
            raise NotSimulatedError(f"{request.method} {request.rel_url.raw_path}")
        reply = self._dispatch(service, request, found, path, content, token, request_id)
        if treatment.lost is not None:
            raise treatment.lost
        return reply

    def _dispatch(
        self,
        service: Service,
        request: web.BaseRequest,
        found: tuple[Route, Mapping[str, str]],
        path: str,
        content: bytes,
        token: Token | None,
        request_id: str,
    ) -> Reply:
        route, names = found
        version = service.versions.asked(request.headers) if service.versions is not None else (0, 0)
        if version[1] < route.since:
            raise RefusalError(404, "The resource could not be found.")
        base = f"{self.url}/{service.name}"
        call = Call(self.cloud, request.method, self.url, base, path, names, request.query, request.headers, content,
                    token, version, request_id)  # fmt: skip
        reply = route.handler(call)
        if service.versions is None or route.open:
            return reply
        return Reply(reply.status, reply.body, {**service.versions.headers(version), **reply.headers})

    def _treatment(self, service: Service, method: str, parts: tuple[str, ...], path: str, content: bytes) -> Treatment:
        action = _action(content) if method == "POST" and parts[-1] == "action" else ""
        key = (service.name, f"{method} {action}", path)
        server = self.cloud.state.server(parts[2]) if len(parts) > 2 and parts[1] == "servers" else None
        asked = Asked(service.name, method, path, action, server, self.cloud.clock.now(), self._seen[key])
        self._seen[key] += 1
        treatment: Treatment = answer(self._requests, asked, SERVED)
        return treatment

    async def _pass(self, seconds: float) -> None:
        """Let product time pass."""
        passed = asyncio.Event()
        timer = self.cloud.clock.call_later(seconds, passed.set)
        try:
            await passed.wait()
        finally:
            timer.cancel()

    def _refused(self, service: Service, refusal: RefusalError, request_id: str, headers: Mapping[str, str]) -> Reply:
        if refusal.status == 401:
            challenge = {"WWW-Authenticate": f'Keystone uri="{self.url}/identity"'}
            return Reply(401, keystone_form(refusal, request_id), challenge)
        shown = service.versions.shown(headers) if service.versions is not None else {}
        kind = {"Content-Type": _WITH_CHARSET} if service.versions is not None else {}
        return Reply(refusal.status, service.form(refusal, request_id), {**shown, **kind})


async def _content(request: web.BaseRequest) -> bytes:
    """The body; refuses with 413 what is too large."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.content.iter_any():
        size += len(chunk)
        if size > _BODY_LIMIT:
            raise RefusalError(413, "Request is too large.")
        chunks.append(chunk)
    return b"".join(chunks)


def _action(content: bytes) -> str:
    """The one key of an action's body, "" for anything else."""
    try:
        body = orjson.loads(content)
    except orjson.JSONDecodeError:
        return ""
    return str(next(iter(body))) if isinstance(body, dict) and len(body) == 1 else ""


def _sent(reply: Reply, request_id: str) -> web.Response:
    headers: dict[str, Any] = {**reply.headers, "X-Openstack-Request-Id": request_id}
    if "compute" in reply.headers.get(HEADER, ""):
        headers["X-Compute-Request-Id"] = request_id
    if reply.body is None:
        return web.Response(status=reply.status, headers=headers)
    if isinstance(reply.body, str):
        return web.Response(status=reply.status, text=reply.body, headers={**headers, "Content-Type": HTML})
    headers.setdefault("Content-Type", "application/json")
    return web.Response(status=reply.status, body=orjson.dumps(reply.body), headers=headers)
