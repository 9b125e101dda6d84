"""KubeVirt's plain streams: every payload is data, both ways (sheet §7)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import WSMsgType, web

from lab.apiserver.streams.handshakes import accept
from lab.apiserver.streams.pumps import pieces, send_all, until_first_ends

_PING_EVERY = 1.0  # wall seconds; KubeVirt's own interval
_PING = b"keep alive"


@dataclass(frozen=True, slots=True)
class Tunnel:
    """An open connection that a client is to be joined with."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def serve_tunnel(request: web.BaseRequest, protocol: str | None, tunnel: Tunnel) -> web.WebSocketResponse:
    """Join a client with a connection until either goes; the end of the connection closes with 1000."""
    try:
        socket = await accept(request, protocol)
        await until_first_ends(_output(socket, tunnel), _input(socket, tunnel), _pings(socket))
    finally:
        tunnel.writer.close()
    return socket


async def _output(socket: web.WebSocketResponse, tunnel: Tunnel) -> None:
    try:
        await send_all(pieces(tunnel.reader), socket.send_bytes)
    except ConnectionError:
        await socket.close(code=1011, message=b"the connection to the guest was lost")
        return
    await socket.close(code=1000)


async def _input(socket: web.WebSocketResponse, tunnel: Tunnel) -> None:
    async for message in socket:
        if message.type is not WSMsgType.BINARY:
            break
        tunnel.writer.write(message.data)
        await tunnel.writer.drain()


async def _pings(socket: web.WebSocketResponse) -> None:
    while not socket.closed:
        await asyncio.sleep(_PING_EVERY)
        await socket.ping(_PING)
