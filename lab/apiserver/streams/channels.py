"""exec and attach over `v4.channel.k8s.io` and `v5.channel.k8s.io`: byte 0 of a frame is its channel (sheet §7)."""

from __future__ import annotations

import asyncio

import orjson
from aiohttp import WSMsgType, web

from lab.apiserver.streams.handshakes import V5, accept
from lab.apiserver.streams.providers import Process
from lab.apiserver.streams.pumps import characters, send_all, until_first_ends

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255


async def serve_process(
    request: web.BaseRequest, protocol: str, process: Process, *, stdin: bool, tty: bool
) -> web.WebSocketResponse:
    """Connect a client with a process until that ends; the client going away kills it."""
    try:
        socket = await accept(request, protocol)
        if not stdin:
            process.close_stdin()
        input_done = asyncio.Event()
        await until_first_ends(
            _output(socket, process, tty=tty), _input(socket, process, v5=protocol == V5, done=input_done)
        )
    finally:
        process.kill()
    return socket


async def _output(socket: web.WebSocketResponse, process: Process, *, tty: bool) -> None:
    """Send all output, then how it ended, then close."""
    streams = [send_all(characters(process.stdout), socket.send_bytes, bytes([STDOUT]))]
    if not tty:
        streams.append(send_all(characters(process.stderr), socket.send_bytes, bytes([STDERR])))
    await asyncio.gather(*streams)
    await socket.send_bytes(bytes([ERROR]) + orjson.dumps(_ending(await process.wait())))
    await socket.close(code=1000)


async def _input(socket: web.WebSocketResponse, process: Process, *, v5: bool, done: asyncio.Event) -> None:
    """Pass frames on until the client goes. Text frames are input too: Python sends those."""
    async for message in socket:
        if message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
            break
        data = message.data.encode() if message.type is WSMsgType.TEXT else message.data
        if not data:
            continue
        if data[0] == STDIN and len(data) > 1 and not done.is_set():
            await process.write(data[1:])
        elif v5 and data[0] == CLOSE and data[1:2] == bytes([STDIN]):
            done.set()
            process.close_stdin()


def _ending(code: int) -> dict[str, object]:
    """The frame of the error channel."""
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: exit status {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }
