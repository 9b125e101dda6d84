"""A real external scheduler behind a URL. It knows no product time: Nova waits its ten seconds by the wall clock."""

from __future__ import annotations

import asyncio

import aiohttp

from lab.openstack.compute.external.doors import Answer, Answered

TIMEOUT = 10.0  # wall seconds: [filter_scheduler]external_scheduler_timeout


class FarScheduler:
    """Posts to a URL, such as `http://127.0.0.1:8080/scheduler/nova/external`."""

    timeout = None

    def __init__(self, url: str, *, patience: float = TIMEOUT) -> None:
        """patience: wall seconds until there is no answer any more."""
        self.url = url
        self._patience = aiohttp.ClientTimeout(total=patience)
        self._session: aiohttp.ClientSession | None = None
        self._asking: set[asyncio.Task[None]] = set()

    def send(self, body: bytes, answered: Answered) -> None:
        """As the protocol says; product time goes on while the service thinks."""
        task = asyncio.ensure_future(self._ask(body, answered))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def stop(self) -> None:
        """End every question that is open, and the connections."""
        for task in tuple(self._asking):
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def _ask(self, body: bytes, answered: Answered) -> None:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=self._patience)
        headers = {"Content-Type": "application/json"}
        try:
            async with self._session.post(self.url, data=body, headers=headers) as reply:
                answer = Answer(reply.status, await reply.read())
        except (aiohttp.ClientError, TimeoutError) as error:
            answer = Answer(0, problem=str(error) or type(error).__name__)
        answered(answer)
