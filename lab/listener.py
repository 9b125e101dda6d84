"""An HTTP listener on a loopback address: what answers is given to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from lab.apiserver.certificates import Authority

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHUTDOWN = 0.2  # wall seconds for requests that are being answered, before they are cancelled
_HEADER_LIMIT = 64 * 1024  # bytes of one line: tokens are long
Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Listener:
    """Listens from `start` to `stop`: over HTTP without an authority, over HTTPS with one."""

    def __init__(self, handle: Handle, authority: Authority | None = None) -> None:
        self.url = ""
        self.authority = authority
        self._handle = handle
        self._runner: web.ServerRunner | None = None

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
                connection.transport.abort()  # a client that is idle would not answer
        await runner.cleanup()
