"""Port-forward of pods over `v4.channel.k8s.io`: channel 2i is port i's data, 2i+1 its errors (sheet §7)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from aiohttp import WSMsgType, web

from lab.apiserver.errors import ApiError, bad_request
from lab.apiserver.streams.handshakes import V4, accept
from lab.apiserver.streams.pumps import pieces, send_all, until_first_ends

Connect = Callable[[int], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


def parse_ports(values: Sequence[str]) -> list[int]:
    """The ports of `ports=8080,22` or repeated `ports`; raises 400."""
    words = [word for value in values for word in value.split(",") if word]
    if not words:
        raise bad_request("you must specify at least 1 port")
    for word in words:
        if not (word.isascii() and word.isdecimal() and 0 < int(word) < 65536):
            raise bad_request(f"unable to parse {word!r} as a port")
    return [int(word) for word in words]


async def serve_ports(request: web.BaseRequest, ports: Sequence[int], connect: Connect) -> web.WebSocketResponse:
    """Announce every channel, then carry data both ways until every connection or the client is gone."""
    socket = await accept(request, V4)
    for index, port in enumerate(ports):
        for channel in (2 * index, 2 * index + 1):
            await socket.send_bytes(bytes([channel]) + port.to_bytes(2, "little"))
    readers: dict[int, asyncio.StreamReader] = {}
    writers: dict[int, asyncio.StreamWriter] = {}
    try:
        for index, port in enumerate(ports):
            try:
                readers[2 * index], writers[2 * index] = await connect(port)
            except (OSError, ApiError) as error:
                await socket.send_bytes(bytes([2 * index + 1]) + f"error forwarding port {port}: {error}".encode())
        await until_first_ends(_output(socket, readers), _input(socket, writers))
    finally:
        for writer in writers.values():
            writer.close()
    return socket


async def _output(socket: web.WebSocketResponse, readers: Mapping[int, asyncio.StreamReader]) -> None:
    await asyncio.gather(*(_carry(socket, channel, reader) for channel, reader in readers.items()))
    await socket.close(code=1000)


async def _carry(socket: web.WebSocketResponse, channel: int, reader: asyncio.StreamReader) -> None:
    try:
        await send_all(pieces(reader), socket.send_bytes, bytes([channel]))
    except OSError as error:
        await socket.send_bytes(bytes([channel + 1]) + f"lost connection to pod: {error}".encode())


async def _input(socket: web.WebSocketResponse, writers: Mapping[int, asyncio.StreamWriter]) -> None:
    async for message in socket:
        if message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
            break
        data = message.data.encode() if message.type is WSMsgType.TEXT else message.data
        writer = writers.get(data[0]) if data else None
        if writer is not None and not writer.is_closing():
            writer.write(data[1:])
            await writer.drain()
