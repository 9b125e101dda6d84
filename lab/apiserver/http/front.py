"""The HTTPS server of one lab: TLS, identities, and the route of each request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from aiohttp import ClientConnectionResetError, web

from lab.apiserver.api import Api
from lab.apiserver.auth import defaults
from lab.apiserver.auth.identity import Credentials, User, identify
from lab.apiserver.auth.impersonation import impersonate
from lab.apiserver.certificates import Authority
from lab.apiserver.errors import ApiError
from lab.apiserver.http.aggregated import Aggregated
from lab.apiserver.http.calls import call_of
from lab.apiserver.http.replies import error_reply
from lab.apiserver.http.routes import Router
from lab.apiserver.streams.providers import NoStreams, PodStreams

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHUTDOWN = 0.2  # wall seconds for requests that are being answered, before they are cancelled
_GONE = 499  # what web servers log for it
_HEADER = 64 * 1024  # bytes of one header line: tokens and long queries


class Front:
    """Serves one Api over HTTPS on the loopback interface.

    credentials: add tokens to it, also while it runs. authority: its `pem` and `client()` make kubeconfigs.
    aggregated: groups served by others. streams: what stands behind pods; may be set any time.
    """

    def __init__(
        self,
        api: Api,
        credentials: Credentials | None = None,
        authority: Authority | None = None,
        *,
        aggregated: Iterable[Aggregated] = (),
        streams: PodStreams | None = None,
    ) -> None:
        self.api = api
        self.credentials = credentials or Credentials()
        self.authority = authority or Authority()
        self.aggregated = list(aggregated)
        self.streams: PodStreams = streams or NoStreams()
        self.ready = True
        self.url = ""
        self._router = Router(api, self.credentials, self.aggregated, lambda: self.streams, lambda: self.ready)
        self._runner: web.ServerRunner | None = None
        self._answering: set[asyncio.Task[Any]] = set()

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Create the default roles and listen; returns the URL. Port 0 takes a free one. Loopback addresses only."""
        if host not in _LOOPBACK:
            raise ValueError(f"the lab binds loopback addresses only, not {host}")
        defaults.install(self.api)
        server = web.Server(self._handle, access_log=None, handler_cancellation=True, max_field_size=_HEADER)
        self._runner = web.ServerRunner(server, shutdown_timeout=_SHUTDOWN)
        await self._runner.setup()
        context = self.authority.server_context(_LOOPBACK)
        await web.TCPSite(self._runner, host, port, ssl_context=context, backlog=1024).start()
        bound = self._runner.addresses[0][1]
        self._router.documents.address = f"{f'[{host}]' if ':' in host else host}:{bound}"
        self.url = f"https://{self._router.documents.address}"
        return self.url

    async def stop(self) -> None:
        """End every watch cleanly, finish what is being answered, stop listening, and close every connection."""
        self.api.watches.close()
        runner, self._runner = self._runner, None
        if runner is None or runner.server is None:
            return
        for site in tuple(runner.sites):
            await site.stop()
        if self._answering:
            await asyncio.wait(self._answering, timeout=_SHUTDOWN)
        await _turns()
        for connection in runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()  # a client that is idle would not answer TLS's goodbye
        await runner.cleanup()
        await _turns()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        task = asyncio.current_task()
        if task is not None:
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        return await self._answer(request)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._router.answer(call_of(request, self._user(request)))
        except ApiError as error:
            return error_reply(error)
        except ClientConnectionResetError:
            return web.Response(status=_GONE)  # nobody reads it: the client went while it was answered
        except NotImplementedError as error:
            message = f"the lab does not simulate {request.method} {request.rel_url.raw_path}: {error}"
            return error_reply(ApiError(501, "NotImplemented", message))

    def _user(self, request: web.BaseRequest) -> User:
        transport = request.transport
        certificate = transport.get_extra_info("peercert") if transport is not None else None
        user = identify(self.credentials, request.headers.get("Authorization"), certificate, self.api.clock.now())
        groups = request.headers.getall("Impersonate-Group", [])
        return impersonate(self._router.authorizer, user, request.headers.get("Impersonate-User"), groups)


async def _turns() -> None:
    """Let what has been decided happen: replies are written, aborted connections give back their sockets."""
    for _ in range(3):
        await asyncio.sleep(0)
