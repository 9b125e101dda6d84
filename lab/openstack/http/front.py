"""The server of all services of one cloud, each below its own path; loopback only."""

from __future__ import annotations

import random
import uuid
from collections.abc import AsyncIterator, Mapping
from email.utils import formatdate
from typing import Any, Protocol
from urllib.parse import unquote

import orjson
from aiohttp import ClientConnectionResetError, web
from multidict import MultiMapping
from yarl import URL

from lab.apiserver.certificates import Authority
from lab.listener import Listener
from lab.openstack.cloud import Cloud
from lab.openstack.http.desk import Desk, Incoming
from lab.openstack.http.images import GLANCE
from lab.openstack.http.keystone import KEYSTONE
from lab.openstack.http.microversions import HEADER
from lab.openstack.http.networks import NEUTRON
from lab.openstack.http.nova.service import nova
from lab.openstack.http.placement import PLACEMENT
from lab.openstack.http.replies import HTML, Reply
from lab.openstack.refusals import RefusalError

_GONE = 499
_BODY_LIMIT = 1024 * 1024  # bytes


class Content(Protocol):
    """The body of a request, as it comes in."""

    def iter_any(self) -> AsyncIterator[bytes]:
        """Its pieces."""


class Request(Protocol):
    """What is looked at of a request; those of aiohttp have it, and so can one that came over no socket."""

    @property
    def method(self) -> str:
        """Such as GET."""

    @property
    def rel_url(self) -> URL:
        """Path and query."""

    @property
    def query(self) -> MultiMapping[str]:
        """Parameters behind the question mark."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By name, whatever its case."""

    @property
    def content(self) -> Content:
        """The body."""


class Front:
    """Serves a cloud. Without an authority over HTTP, with one over HTTPS: real operators read no OS_CACERT."""

    def __init__(self, cloud: Cloud, *, seed: int = 1, authority: Authority | None = None) -> None:
        self._clock = cloud.clock
        self.desk = Desk(cloud, (KEYSTONE, nova(cloud.shape.nova), PLACEMENT, GLANCE, NEUTRON))
        self._rng = random.Random(f"{seed}/openstack/requests")
        self._listener = Listener(self._handle, authority)

    @property
    def authority(self) -> Authority | None:
        """Who vouches for it."""
        return self._listener.authority

    @property
    def url(self) -> str:
        """Where it listens, "" before it does."""
        return self._listener.url

    @property
    def auth_url(self) -> str:
        """Where clients begin."""
        return f"{self.url}/identity/v3"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen; returns the URL. Port 0 takes a free one. Loopback addresses only."""
        return await self._listener.start(host, port)

    async def stop(self) -> None:
        """Stop listening, and close every connection."""
        await self._listener.stop()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self.answer(request)
        except ClientConnectionResetError:
            return web.Response(status=_GONE)  # nobody reads it: the client went while it was answered

    async def answer(self, request: Request) -> web.Response:
        """The response to one request."""
        content = await _content(request)
        incoming = self._incoming(request, content or b"")
        if content is None:
            reply = self.desk.refused(incoming, RefusalError(413, "Request is too large."))
        else:
            reply = await self.desk.answer(incoming)
        response = _sent(reply, incoming.request_id)
        response.headers["Date"] = formatdate(self._clock.now(), usegmt=True)  # of the clock that stamps have, too
        return response

    def _incoming(self, request: Request, content: bytes) -> Incoming:
        raw = request.rel_url.raw_path
        first, *parts = (unquote(part) for part in raw.removeprefix("/").split("/"))
        return Incoming(
            method=request.method,
            root=self.url,
            service=first,
            parts=tuple(parts) or ("",),
            raw_path=raw,
            query=request.query,
            headers=request.headers,
            content=content,
            request_id=f"req-{uuid.UUID(int=self._rng.getrandbits(128), version=4)}",
        )


async def _content(request: Request) -> bytes | None:
    """The body; None when it is too large."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.content.iter_any():
        size += len(chunk)
        if size > _BODY_LIMIT:
            return None
        chunks.append(chunk)
    return b"".join(chunks)


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
