"""The upgrade to a websocket: which subprotocol, and what is refused (sheet §7)."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from lab.apiserver.errors import ApiError, bad_request

V4, V5 = "v4.channel.k8s.io", "v5.channel.k8s.io"
PLAIN = "plain.kubevirt.io"
_CLOSE_PATIENCE = 2.0  # wall seconds to wait for the client's close frame


def is_upgrade(request: web.BaseRequest) -> bool:
    """True when the client asks for a websocket."""
    return request.headers.get("Upgrade", "").lower() == "websocket"


def choose(request: web.BaseRequest, offered: Sequence[str]) -> str:
    """The first of `offered` (the server's order) that the client knows; raises 400 (SPDY and all else, trap T17)."""
    if not is_upgrade(request):
        raise bad_request("Upgrade request required")
    wanted = protocols(request)
    for name in offered:
        if name in wanted:
            return name
    if any(name.startswith("SPDY") for name in wanted):
        raise bad_request("Upgrade request required")
    names = ", ".join(wanted) or "none"
    raise ApiError(
        400, "BadRequest", f"no subprotocol in common: the client offers {names}, the server {list(offered)}"
    )


def choose_plain(request: web.BaseRequest) -> str | None:
    """`plain.kubevirt.io`, or None for a client that offers nothing; raises 400 when only others are offered."""
    if not is_upgrade(request):
        raise bad_request("Upgrade request required")
    return choose(request, (PLAIN,)) if protocols(request) else None


def protocols(request: web.BaseRequest) -> list[str]:
    """The subprotocols a client offers."""
    header = request.headers.get("Sec-WebSocket-Protocol", "")
    return [name.strip() for name in header.split(",") if name.strip()]


async def accept(request: web.BaseRequest, protocol: str | None) -> web.WebSocketResponse:
    """Answer 101. Frames are never compressed; aiohttp writes each on its own, which TLS makes a record (trap T4)."""
    socket = web.WebSocketResponse(
        protocols=(protocol,) if protocol else (), compress=False, max_msg_size=0, timeout=_CLOSE_PATIENCE
    )
    await socket.prepare(request)
    return socket
