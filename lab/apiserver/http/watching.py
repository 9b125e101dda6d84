"""Watches over HTTP: one JSON document per line, as the changes come (sheet §3.2)."""

from __future__ import annotations

import asyncio

from aiohttp import web

from lab.apiserver.api import Api
from lab.apiserver.http.calls import Call
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change


class Watches:
    """The open watches of one server."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._queues: set[asyncio.Queue[Change | None]] = set()

    def close(self) -> None:
        """End every watch."""
        for queue in self._queues:
            queue.put_nowait(None)

    async def stream(self, call: Call, resource: Resource) -> web.StreamResponse:
        """Send events until the client goes, the time is over, or the server stops."""
        target = call.target
        namespace = target.namespace if target is not None else None
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        revision = call.number("resourceVersion") or 0
        past = [Change("ADDED", None, snapshot) for snapshot in self._api.store.scan(resource.key)]
        if revision:
            past = self._api.store.since(resource.key, revision)
        for seen in past:
            queue.put_nowait(seen)
        stop = self._api.listen(resource, queue.put_nowait)
        self._queues.add(queue)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        seconds = call.number("timeoutSeconds")
        try:
            async with asyncio.timeout(seconds or 3600):
                await response.prepare(call.http)
                while (change := await queue.get()) is not None:
                    if namespace is None or change.new.namespace == namespace:
                        head = f'{{"type":"{change.type}","object":'.encode()
                        await response.write(head + change.new.raw + b"}\n")
        except TimeoutError:
            pass
        finally:
            stop()
            self._queues.discard(queue)
        await response.write_eof()
        return response
