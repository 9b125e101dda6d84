"""What clients do to a large lab: create, change, list and watch, a few connections at a time."""

from __future__ import annotations

import asyncio
import itertools
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import orjson

from benchmarks.scale_lab import LabProcess

WRITERS = 8
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
VMIS = "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances"
_KINDS = (
    "/api/v1/nodes", "/api/v1/pods", "/api/v1/events", "/api/v1/configmaps", "/api/v1/secrets", "/api/v1/namespaces",
    "/apis/kubevirt.io/v1/virtualmachineinstances",
)  # fmt: skip
_STARTED = "/api/v1/namespaces/default/events?watch=1&fieldSelector=reason=Started,involvedObject.kind="
_PATIENCE = 60.0  # wall seconds in which a watch must say something
_LINE = 2**22  # bytes of one event at most
Json = dict[str, Any]


class Client:
    """One administrator. Every number of events and objects it gives was counted on what came over the wire."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url
        self._touches = itertools.count()

    async def create_configmaps(self, numbers: range) -> None:
        """Small bare objects that nothing in the lab looks at."""
        await _together(numbers, lambda number: self._send("POST", CONFIGMAPS, _configmap(number)))

    async def run_vmis(self, numbers: range) -> None:
        """Create VMIs and wait until each has told that its guest runs."""
        async with self._watch(f"{_STARTED}VirtualMachineInstance") as lines:
            running = asyncio.ensure_future(_take(lines, len(numbers)))
            await _together(numbers, lambda number: self._send("POST", VMIS, _vmi(number)))
            await running

    async def touch(self, numbers: range) -> None:
        """Change one label of each of these ConfigMaps."""
        patch = {"metadata": {"labels": {"touched": str(next(self._touches))}}}
        await _together(numbers, lambda number: self._send("PATCH", f"{CONFIGMAPS}/cm-{number}", patch))

    async def list_whole(self) -> int:
        """All ConfigMaps in one answer; returns the bytes of it."""
        return len(await self._get(CONFIGMAPS))

    async def list_pages(self, limit: int) -> int:
        """All ConfigMaps page by page; returns the number of pages."""
        pages, token = 0, ""
        while token or not pages:
            answer = orjson.loads(await self._get(f"{CONFIGMAPS}?limit={limit}&continue={token}"))
            token = answer["metadata"].get("continue", "")
            pages += 1
        return pages

    async def watched(self, watches: int, touched: range) -> int:
        """Change ConfigMaps while so many watches follow all of them; returns the events that arrived."""
        revision = orjson.loads(await self._get(f"{CONFIGMAPS}?limit=1"))["metadata"]["resourceVersion"]
        path = f"{CONFIGMAPS}?watch=1&resourceVersion={revision}"
        opened = [self._watch(path) for _ in range(watches)]
        streams = await asyncio.gather(*(each.__aenter__() for each in opened))
        try:
            readers = [asyncio.ensure_future(_take(lines, len(touched))) for lines in streams]
            await self.touch(touched)
            return sum(await asyncio.gather(*readers))
        finally:
            await asyncio.gather(*(each.__aexit__(None, None, None) for each in opened))

    async def count(self) -> int:
        """Objects of the kinds of which there are many."""
        return sum([await self._count(path) for path in _KINDS])

    async def _count(self, path: str) -> int:
        answer = orjson.loads(await self._get(f"{path}?limit=1"))
        return len(answer["items"]) + int(answer["metadata"].get("remainingItemCount") or 0)

    async def _get(self, path: str) -> bytes:
        async with self._session.get(self._url + path) as answer:
            return await _body(answer)

    async def _send(self, method: str, path: str, body: Json) -> None:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Content-Type": kind}
        async with self._session.request(method, self._url + path, data=orjson.dumps(body), headers=headers) as answer:
            await _body(answer)

    @asynccontextmanager
    async def _watch(self, path: str) -> AsyncIterator[aiohttp.StreamReader]:
        timeout = aiohttp.ClientTimeout(total=None, sock_read=_PATIENCE)
        async with self._session.get(self._url + path, timeout=timeout) as answer:
            yield answer.content


@asynccontextmanager
async def connected(lab: LabProcess) -> AsyncIterator[Client]:
    """A client of a lab; its address is a loopback one, so its certificate need not be checked."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connector = aiohttp.TCPConnector(ssl=context, limit=0)
    headers = {"Authorization": f"Bearer {lab.token}"}
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(
        headers=headers, connector=connector, timeout=timeout, read_bufsize=_LINE
    ) as session:
        yield Client(session, lab.url)


async def _together(numbers: range, send: Callable[[int], Awaitable[None]]) -> None:
    """Send one after the other over each of the connections."""
    queue = iter(numbers)

    async def writer() -> None:
        for number in queue:
            await send(number)

    await asyncio.gather(*(writer() for _ in range(WRITERS)))


async def _take(lines: aiohttp.StreamReader, wanted: int) -> int:
    """Read so many events; raises when the watch ends before."""
    for number in range(wanted):
        if not await lines.readline():
            raise RuntimeError(f"the watch ended after {number} of {wanted} events")
    return wanted


async def _body(answer: aiohttp.ClientResponse) -> bytes:
    body = await answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"{answer.method} {answer.url.path} answered {answer.status}: {body[:500]!r}")
    return body


def _configmap(number: int) -> Json:
    metadata = {"name": f"cm-{number}", "labels": {"group": str(number % 100)}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": "x" * 200}}


def _vmi(number: int) -> Json:
    spec = {"domain": {"devices": {}, "resources": {"requests": {"memory": "64Mi"}}}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": f"vmi-{number}"},
        "spec": spec,
    }
