"""Moving bytes between a stream and websocket frames."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

FRAME = 16_000  # bytes of payload: a frame with its header fits one TLS record


async def pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """What a stream gives, as it comes, in pieces of at most one frame."""
    while data := await reader.read(FRAME):
        yield data


async def characters(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """As `pieces`, but no UTF-8 character is split between two (some clients decode frame by frame)."""
    held = b""
    while data := await reader.read(FRAME - 4):
        data = held + data
        cut = len(data) - _incomplete(data)
        held = data[cut:]
        if cut:
            yield data[:cut]
    if held:
        yield held


async def until_first_ends(*coroutines: Awaitable[None]) -> None:
    """Run all, end the others when one ends; its error is raised."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def send_all(source: AsyncIterator[bytes], send: Callable[[bytes], Awaitable[None]], prefix: bytes = b"") -> None:
    """Send every piece as one frame, after `prefix`."""
    async for piece in source:
        await send(prefix + piece)


def _incomplete(data: bytes) -> int:
    """Bytes at the end that begin a UTF-8 character and do not end it."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return back if back < needed else 0
    return 0
