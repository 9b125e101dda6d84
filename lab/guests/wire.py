"""A connection to a guest that can stall (the guest is paused) and be cut (the guest has moved)."""

import asyncio
import socket


class _End(asyncio.Protocol):
    """One side of a wire: what arrives here leaves at the other side."""

    def __init__(self, wire: "Wire") -> None:
        self.transport: asyncio.Transport | None = None
        self.other: _End | None = None
        self.congested = False
        self.ended = False
        self._wire = wire

    def itself(self) -> "_End":
        """The protocol factory asyncio asks for."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"a stream transport is expected, not {type(transport).__name__}")
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)

    def eof_received(self) -> bool:
        self.ended = True
        if self.other is not None and self.other.ended:
            self._wire.close()
        elif self.other is not None and self.other.transport is not None and not self.other.transport.is_closing():
            self.other.transport.write_eof()
        return True  # half open until the other side has ended too

    def pause_writing(self) -> None:
        self.congested = True
        self._wire.adjust()

    def resume_writing(self) -> None:
        self.congested = False
        self._wire.adjust()

    def connection_lost(self, _error: Exception | None) -> None:
        self.transport = None
        self._wire.close()


class Wire:
    """Carries bytes between two connected sockets in both directions, with back-pressure; implements `machine.Link`.

    `outside` is the socket to hand to the client, `inside` the one for the server in the guest; `serving` keeps the
    server's task from being collected.
    """

    def __init__(self) -> None:
        self.outside, self._outer = socket.socketpair()
        self.inside, self._inner = socket.socketpair()
        self._ends = (_End(self), _End(self))
        self._ends[0].other, self._ends[1].other = self._ends[1], self._ends[0]
        self.serving: asyncio.Task[None] | None = None
        self._stalled = False

    async def open(self) -> None:
        """Start carrying."""
        loop = asyncio.get_running_loop()
        for end, sock in zip(self._ends, (self._outer, self._inner), strict=True):
            await loop.create_connection(end.itself, sock=sock)
        self.adjust()

    def stall(self) -> None:
        """Carry nothing until `flow`."""
        self._stalled = True
        self.adjust()

    def flow(self) -> None:
        """Carry on."""
        self._stalled = False
        self.adjust()

    def cut(self) -> None:
        """Break the connection at once, with whatever is on its way."""
        for end in self._ends:
            if end.transport is not None:
                end.transport.abort()

    def close(self) -> None:
        """Close both sides after what is on its way has been delivered."""
        for end in self._ends:
            if end.transport is not None:
                end.transport.close()

    def adjust(self) -> None:
        """Read on each side exactly while the wire flows and the other side can take more."""
        for end in self._ends:
            if end.transport is None or end.transport.is_closing() or end.other is None:
                continue
            if self._stalled or end.other.congested:
                end.transport.pause_reading()
            else:
                end.transport.resume_reading()
