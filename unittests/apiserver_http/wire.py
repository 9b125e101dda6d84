"""A client that shows what is on the wire: raw HTTP over TLS, watch lines, TLS records and websocket frames."""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import ssl
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

TIMEOUT = 10.0  # wall seconds before a silent server is a failure


@dataclass(frozen=True)
class Answer:
    """A reply: status, headers (names in lower case), body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Requests as one user; each on the same kept-alive connection."""

    def __init__(self, port: int, context: ssl.SSLContext, token: str | None) -> None:
        self.port = port
        self.context = context
        self.token = token
        self._connection: http.client.HTTPSConnection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, *, kind: str = ""
    ) -> Answer:
        """Send a request. `body`: bytes as they are, anything else as JSON. `kind`: the Content-Type, none if ""."""
        if self._connection is None:
            self._connection = self._connect()
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {**self._authorization(), **({"Content-Type": kind} if kind else {}), **(headers or {})}
        self._connection.request(method, path, data, sent)
        reply = self._connection.getresponse()
        return Answer(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())

    def get(self, path: str, accept: str = "") -> Answer:
        return self.send("GET", path, headers={"Accept": accept} if accept else {})

    def post(self, path: str, body: Any, kind: str = "application/json") -> Answer:
        return self.send("POST", path, body, kind=kind)

    def put(self, path: str, body: Any) -> Answer:
        return self.send("PUT", path, body, kind="application/json")

    def patch(self, path: str, body: Any, kind: str = "merge") -> Answer:
        suffix = "yaml" if kind == "apply" else "json"
        name = {"strategic": "strategic-merge", "json": "json"}.get(kind, kind)
        return self.send("PATCH", path, body, kind=f"application/{name}-patch+{suffix}")

    def delete(self, path: str, body: Any = None) -> Answer:
        return self.send("DELETE", path, body, kind="application/json")

    @contextmanager
    def watch(self, path: str, accept: str = "") -> Iterator[Events]:
        """The events of a watch, on a connection of its own."""
        connection = self._connect()
        connection.request("GET", path, headers={**self._authorization(), **({"Accept": accept} if accept else {})})
        reply = connection.getresponse()
        try:
            yield Events(reply)
        finally:
            reply.close()
            connection.close()

    def upgrade(self, path: str, protocols: str = "", **headers: str) -> WebSocket:
        """Ask for a websocket; the answer may also be a refusal."""
        return WebSocket(self.port, self.context, path, {
            **self._authorization(), "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            **({"Sec-WebSocket-Protocol": protocols} if protocols else {}), **headers,
        })  # fmt: skip

    def _authorization(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if self.token else {}

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=TIMEOUT)


class Events:
    """The lines of one watch."""

    def __init__(self, reply: http.client.HTTPResponse) -> None:
        self.status = reply.status
        self.headers = {k.lower(): v for k, v in reply.getheaders()}
        self._reply = reply

    def next(self) -> dict[str, Any]:
        """The next event; fails when the stream has ended."""
        line = self._reply.readline()
        assert line, "the watch ended"
        assert line.endswith(b"}\n")
        return json.loads(line)

    def take(self, count: int) -> list[dict[str, Any]]:
        return [self.next() for _ in range(count)]

    def rest(self) -> list[dict[str, Any]]:
        """Everything until the clean end of the stream; a broken one raises."""
        return [json.loads(line) for line in self._reply.read().splitlines()]


def kinds(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Type and name of events."""
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


@dataclass(frozen=True)
class Frame:
    """A websocket frame and how many TLS records its bytes touched; `alone`: no other frame shared them."""

    opcode: int
    payload: bytes
    alone: bool

    @property
    def code(self) -> int:
        """The code of a close frame."""
        return struct.unpack(">H", self.payload[:2])[0]


class WebSocket:
    """A websocket read TLS record by TLS record, so that coalesced frames show (trap T4)."""

    def __init__(self, port: int, context: ssl.SSLContext, path: str, headers: Mapping[str, str]) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname="127.0.0.1")
        self._handshake()
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *(f"{k}: {v}" for k, v in headers.items())]
        self._write("\r\n".join([*lines, "", ""]).encode())
        head, _, rest = self._until(b"\r\n\r\n").partition(b"\r\n\r\n")
        first, *fields = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {k.lower(): v.strip() for k, _, v in (field.partition(":") for field in fields)}
        self.leftover = rest
        self.body = rest
        if self.status != 101:
            size = int(self.headers.get("content-length", "0"))
            while len(self.body) < size:
                self.body += self._record()

    def __enter__(self) -> WebSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def json(self) -> Any:
        """The body of a refusal."""
        return json.loads(self.body)

    def send(self, payload: bytes, opcode: int = 2) -> None:
        """Send one masked frame."""
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self._write(bytes([0x80 | opcode]) + length + mask + masked)

    def frame(self) -> Frame:
        """The next frame. A record that holds more than the rest of one frame makes it not `alone`."""
        data, self.leftover = self.leftover, b""
        alone = not data
        while (needed := _frame_size(data)) is None or len(data) < needed:
            data += self._record()
        self.leftover = data[needed:]
        header = needed - _payload_size(data)
        return Frame(data[0] & 0x0F, data[header:needed], alone and not self.leftover)

    def frames(self) -> list[Frame]:
        """Data frames up to the close frame, which is the last; pings are answered."""
        found: list[Frame] = []
        while True:
            frame = self.frame()
            if frame.opcode == 9:
                self.send(frame.payload, opcode=10)
                continue
            found.append(frame)
            if frame.opcode == 8:
                return found

    def data(self) -> bytes:
        """The payload of the next data frame."""
        while (frame := self.frame()).opcode == 9:
            self.send(frame.payload, opcode=10)
        assert frame.opcode == 2, frame
        return frame.payload

    def _handshake(self) -> None:
        while True:
            try:
                self._tls.do_handshake()
                return
            except ssl.SSLWantReadError:
                self._flush()
                self._incoming.write(self._socket.recv(65536))
            finally:
                self._flush()

    def _write(self, data: bytes) -> None:
        self._tls.write(data)
        self._flush()

    def _flush(self) -> None:
        if pending := self._outgoing.read():
            self._socket.sendall(pending)

    def _record(self) -> bytes:
        """The plain text of the next record that carries any."""
        while True:
            head = self._exactly(5)
            self._incoming.write(head + self._exactly(int.from_bytes(head[3:5], "big")))
            try:
                return self._tls.read(65536)
            except ssl.SSLWantReadError:
                continue  # a session ticket

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            assert more, "the connection ended"
            data += more
        return data

    def _until(self, mark: bytes) -> bytes:
        data = b""
        while mark not in data:
            data += self._record()
        return data


def _payload_size(data: bytes) -> int:
    size = data[1] & 0x7F
    if size < 126:
        return size
    return int.from_bytes(data[2:4], "big") if size == 126 else int.from_bytes(data[2:10], "big")


def _frame_size(data: bytes) -> int | None:
    """Bytes of the frame that begins here, None while its length cannot be read."""
    if len(data) < 2:
        return None
    extra = {126: 2, 127: 8}.get(data[1] & 0x7F, 0)
    return None if len(data) < 2 + extra else 2 + extra + _payload_size(data)


def query(**parameters: str) -> str:
    """A query string; `_` stands for nothing special, values are quoted."""
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items())
