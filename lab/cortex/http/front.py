"""Cortex' three addresses: the external scheduler, metrics, health; loopback only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from email.utils import formatdate

from aiohttp import web

from lab.cortex.http.answers import Answers
from lab.cortex.http.replies import Reply
from lab.cortex.scheduling.steps import ProcessDiedError
from lab.listener import Handle, Listener

_GONE = 499
Asked = Callable[[web.BaseRequest], Awaitable[Reply | None]]


class Front:
    """Serves one Cortex. While its process is down, connections break as soon as they are made."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._api = Listener(self._served(self._schedule))
        self._metrics = Listener(self._served(self._measure))
        self._health = Listener(self._served(self._probe))

    @property
    def url(self) -> str:
        """Where the external scheduler answers, without its path."""
        return self._api.url

    @property
    def metrics_url(self) -> str:
        """What Prometheus scrapes."""
        return f"{self._metrics.url}/metrics"

    @property
    def health_url(self) -> str:
        """Below it: healthz and readyz."""
        return self._health.url

    async def start(self) -> None:
        """Listen on free ports."""
        for listener in (self._api, self._metrics, self._health):
            await listener.start()

    async def stop(self) -> None:
        """Stop listening, and close every connection."""
        for listener in (self._api, self._metrics, self._health):
            await listener.stop()

    def answer(self, method: str, path: str, body: bytes) -> Reply | None:
        """What the external scheduler answers a request that came over no socket; None: the connection broke."""
        if not self._answers.process.alive:
            return None
        try:
            return self._answers.api(method, path, body)
        except ProcessDiedError:
            return None

    async def _schedule(self, request: web.BaseRequest) -> Reply | None:
        return self.answer(request.method, request.rel_url.path, await request.content.read())

    async def _measure(self, request: web.BaseRequest) -> Reply | None:
        return self._answers.metrics(request.rel_url.path) if self._answers.process.alive else None

    async def _probe(self, request: web.BaseRequest) -> Reply | None:
        return self._answers.health(request.rel_url.path) if self._answers.process.alive else None

    def _served(self, ask: Asked) -> Handle:
        async def handle(request: web.BaseRequest) -> web.StreamResponse:
            reply = await ask(request)
            if reply is not None:
                date = formatdate(self._answers.clock.now(), usegmt=True)  # of the clock that stamps have, too
                return web.Response(status=reply.status, body=reply.body, headers={**reply.headers, "Date": date})
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=_GONE)  # nobody reads it

        return handle
