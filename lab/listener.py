"""A plain HTTP listener on a loopback address: what answers is given to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHUTDOWN = 0.2  # wall seconds for requests that are being answered, before they are cancelled
Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Listener:
    """Listens from `start` to `stop`."""

    def __init__(self, handle: Handle) -> None:
        self.url = ""
        self._handle = handle
        self._runner: web.ServerRunner | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen; returns the URL. Port 0 takes a free one. Loopback addresses only."""
        if host not in _LOOPBACK:
            raise ValueError(f"the lab binds loopback addresses only, not {host}")
        server = web.Server(self._handle, access_log=None, handler_cancellation=True)
        self._runner = web.ServerRunner(server, shutdown_timeout=_SHUTDOWN)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, backlog=256).start()
        bound = self._runner.addresses[0][1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{bound}"
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
                connection.transport.abort()  # a client that is idle would not answer
        await runner.cleanup()
