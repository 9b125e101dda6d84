"""The HTTPS server of one lab: TLS, identities, and the route of each request."""

from __future__ import annotations

from aiohttp import web

from lab.apiserver.api import Api
from lab.apiserver.auth.identity import Credentials, identify
from lab.apiserver.certificates import Authority
from lab.apiserver.errors import ApiError
from lab.apiserver.http.calls import call_of
from lab.apiserver.http.replies import error_reply
from lab.apiserver.http.routes import Router

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Front:
    """Serves one Api over HTTPS on the loopback interface.

    credentials: add tokens to it, also while it runs. authority: its `pem` and `client()` make kubeconfigs.
    """

    def __init__(self, api: Api, credentials: Credentials | None = None, authority: Authority | None = None) -> None:
        self.api = api
        self.credentials = credentials or Credentials()
        self.authority = authority or Authority()
        self.url = ""
        self._router = Router(api)
        self._runner: web.ServerRunner | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen; returns the URL. Port 0 takes a free one. Anything but a loopback address is refused."""
        if host not in _LOOPBACK:
            raise ValueError(f"the lab binds loopback addresses only, not {host}")
        server = web.Server(self._handle, access_log=None, handler_cancellation=True, max_field_size=65536)
        self._runner = web.ServerRunner(server, shutdown_timeout=1.0)
        await self._runner.setup()
        context = self.authority.server_context(("127.0.0.1", "localhost", "::1"))
        await web.TCPSite(self._runner, host, port, ssl_context=context, backlog=1024).start()
        bound = self._runner.addresses[0][1]
        self.url = f"https://{f'[{host}]' if ':' in host else host}:{bound}"
        self._router.address = self.url.removeprefix("https://")
        return self.url

    async def stop(self) -> None:
        """End every watch cleanly, finish what is being answered, and stop listening."""
        self._router.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            transport = request.transport
            certificate = transport.get_extra_info("peercert") if transport is not None else None
            authorization = request.headers.get("Authorization")
            user = identify(self.credentials, authorization, certificate, self.api.clock.now())
            return await self._router.answer(call_of(request, user))
        except ApiError as error:
            return error_reply(error)
        except NotImplementedError as error:
            message = f"the lab does not simulate {request.method} {request.rel_url.raw_path}: {error}"
            return error_reply(ApiError(501, "NotImplemented", message))
