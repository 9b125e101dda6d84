"""Watches over HTTP: one JSON document per line, as the changes come (sheet §3.2, §3.3)."""

from __future__ import annotations

import asyncio

from aiohttp import web

from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.apiserver.http.calls import Call
from lab.apiserver.http.forms import Shape, shape_of
from lab.apiserver.http.queries import watch_options
from lab.apiserver.http.replies import JSON
from lab.apiserver.resources import Resource
from lab.apiserver.watches import Watch, WatchEvent, error_frame

# Wall seconds: they belong to clients, whose time limits are on the wall clock.
_LONGEST = 1800.0
_BOOKMARK_EVERY = 60.0
_LAST_BOOKMARK = 2.85  # before the end of the time; a real server's comes 2 s before it, or a little earlier
_REVISION_PATIENCE = 3.0


async def reached(api: Api, revision: str) -> None:
    """Wait a little for a revision that lies in the future; the list or watch then refuses if it did not come."""
    wanted = int(revision) if revision.isascii() and revision.isdecimal() else 0
    if wanted <= api.store.revision:
        return
    there = asyncio.Event()
    stop = api.store.listen_to_all(lambda change: there.set() if change.revision >= wanted else None)
    try:
        async with asyncio.timeout(_REVISION_PATIENCE):
            await there.wait()
    except TimeoutError:
        pass
    finally:
        stop()


async def stream(api: Api, call: Call, resource: Resource, namespace: str | None) -> web.StreamResponse:
    """Send events until the client goes, its time is over, or the watch is closed."""
    shape = shape_of(call, api.clock.now())
    seconds = call.number("timeoutSeconds") or _LONGEST
    options = watch_options(call)
    await reached(api, options.revision)
    response = web.StreamResponse(headers={"Content-Type": JSON, "Cache-Control": "no-cache, private"})
    response.enable_chunked_encoding()
    try:
        watch = api.watch(resource, namespace, options)
    except ApiError as error:
        if error.code != 410:
            raise
        await response.prepare(call.http)
        await response.write(error_frame(error))
        await response.write_eof()
        return response
    try:
        await response.prepare(call.http)
        await _Stream(api, response, shape).run(watch, seconds)
    finally:
        watch.close()
    if watch.dropped and call.http.transport is not None:
        call.http.transport.abort()  # too slow: the client shall notice and begin again
        return response
    await response.write_eof()
    return response


class _Stream:
    """One open watch on its way to one client."""

    def __init__(self, api: Api, response: web.StreamResponse, shape: Shape) -> None:
        self._api = api
        self._response = response
        self._shape = shape
        self._first = True

    async def run(self, watch: Watch, seconds: float) -> None:
        """Send what comes; bookmarks in between and shortly before the end of the time, for clients that want them."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        last = end - min(_LAST_BOOKMARK, 0.95 * seconds)
        mark = min(last, loop.time() + _BOOKMARK_EVERY)
        while not watch.dropped:
            try:
                async with asyncio.timeout_at(mark):
                    events = await watch.events()
            except TimeoutError:
                if mark >= end:
                    return
                watch.bookmark()
                await self._send(watch.take())
                mark = end if mark >= last else min(last, mark + _BOOKMARK_EVERY)
                continue
            if not events:
                return
            await self._send(events)

    async def _send(self, events: list[WatchEvent]) -> None:
        if not events:
            return
        now = self._api.clock.now()
        lines = []
        for event in events:
            lines.append(self._shape.event(event, now, first=self._first))
            self._first = False
        await self._response.write(b"".join(lines))
