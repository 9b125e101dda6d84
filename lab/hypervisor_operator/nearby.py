"""A server in the same process that answers with a coroutine: served at once, in no wall time unless it waits itself.

A request over a socket would cost wall time, and so product time that depends on how busy the machine is. Here the
handler's coroutine is run on the spot; only one that waits (a request that is held back) goes on as a task.
"""

from __future__ import annotations

import asyncio
import random
import types
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from multidict import CIMultiDict, MultiMapping
from yarl import URL

from lab.clock import Clock
from lab.hypervisor_operator.wire import TOOK, Answered, HttpReply, HttpRequest


class Content:
    """The body of a request, in one piece."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def iter_any(self) -> AsyncIterator[bytes]:
        """The piece."""
        yield self._body


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as aiohttp's servers show one to their handlers: no more than they look at."""

    method: str
    rel_url: URL
    headers: CIMultiDict[str]
    content: Content

    @property
    def query(self) -> MultiMapping[str]:
        """Parameters behind the question mark."""
        return self.rel_url.query


def incoming(request: HttpRequest) -> Incoming:
    """The request as a handler gets it."""
    return Incoming(request.method, URL(request.url).relative(), CIMultiDict(request.headers), Content(request.body))


def outgoing(response: web.Response) -> HttpReply:
    """The reply of a handler."""
    body = response.body if isinstance(response.body, bytes) else b""
    return HttpReply(response.status, dict(response.headers), body)


class Near:
    """Nova in this process. `handle`: the coroutine function of its front that answers one request."""

    def __init__(
        self,
        handle: Callable[[Incoming], Coroutine[Any, Any, web.Response]],
        clock: Clock,
        rng: random.Random,
        took: tuple[float, float] = TOOK,
    ) -> None:
        self._handle = handle
        self._clock = clock
        self._rng = rng
        self._took = took
        self._waiting: set[asyncio.Task[None]] = set()

    def send(self, request: HttpRequest, answered: Answered) -> None:
        """It arrives half-way through the time it takes, even if its sender has ended meanwhile."""
        half = self._rng.uniform(*self._took) / 2
        self._clock.call_later(half, self._arrive, request, answered, half)

    def _arrive(self, request: HttpRequest, answered: Answered, half: float) -> None:
        served = self._handle(incoming(request))
        try:
            waits_for = served.send(None)
        except StopIteration as done:
            self._clock.call_later(half, answered, outgoing(done.value))
            return
        task = asyncio.ensure_future(self._later(served, waits_for, answered, half))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _later(
        self, served: Coroutine[Any, Any, web.Response], waits_for: Any, answered: Answered, half: float
    ) -> None:
        response = await _rest(served, waits_for)
        self._clock.call_later(half, answered, outgoing(response))


@types.coroutine
def _rest(served: Coroutine[Any, Any, web.Response], waits_for: Any) -> Generator[Any, Any, web.Response]:
    """The rest of a coroutine that was begun outside a task."""
    yield waits_for
    return (yield from served.__await__())
