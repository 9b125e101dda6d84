"""A port-forward websocket server whose frames a test writes itself, and an SSH server with scripted answers."""

import base64
import hashlib
import itertools
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import paramiko

from lab.apiserver.certificates import Authority
from utilities.guest.tunnel import Gateway

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Frames:
    """The server's side of one websocket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = connection.makefile("rb")

    def send(self, data: bytes, opcode: int = BINARY) -> None:
        """One frame of at most 65535 bytes."""
        self.raw(frame(data, opcode))

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        self._connection.sendall(data)

    def end(self) -> None:
        """Close the connection without a word."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def receive(self) -> tuple[int, bytes]:
        """Opcode and data of the next frame, (CLOSE, b"") when the connection is over."""
        head = self._reader.read(2)
        if len(head) < 2:
            return CLOSE, b""
        size = head[1] & 127
        if size >= 126:
            size = int.from_bytes(self._reader.read(2 if size == 126 else 8), "big")
        mask = self._reader.read(4)
        return head[0] & 15, bytes(a ^ b for a, b in zip(self._reader.read(size), itertools.cycle(mask), strict=False))


def frame(data: bytes, opcode: int = BINARY) -> bytes:
    """An unmasked frame."""
    size = bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2, "big")
    return bytes([0x80 | opcode]) + size + data


class StubGateway:
    """Serves each connection with `serve`; use as a context manager.

    refusal: status and body to answer with instead of opening a websocket.
    """

    def __init__(self, directory, serve: Callable[[Frames], None]) -> None:
        authority = Authority("stub")
        self._tls = authority.server_context()
        (directory / "ca.pem").write_bytes(authority.pem)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._connections: list[socket.socket] = []
        self.serve = serve
        self.refusal: tuple[int, dict] | None = None
        self.requests: list[list[str]] = []
        url = f"https://127.0.0.1:{self._listener.getsockname()[1]}"
        self.gateway = Gateway(url, "a-token", str(directory / "ca.pem"))

    def __enter__(self) -> "StubGateway":
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()
        for thread in self._threads:
            thread.join(10)

    def drop(self) -> None:
        """Cut every connection."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                accepted, _ = self._listener.accept()
                self._start(self._answer, accepted)

    def _answer(self, accepted: socket.socket) -> None:
        with suppress(OSError), self._tls.wrap_socket(accepted, server_side=True) as connection:
            self._connections.append(connection)
            lines = self._request(connection)
            if self.refusal is not None:
                status, body = self.refusal
                data = json.dumps(body).encode()
                head = f"HTTP/1.1 {status} Conflict\r\nContent-Length: {len(data)}\r\n\r\n"
                connection.sendall(head.encode() + data)
                return
            key = next(line.partition(": ")[2] for line in lines if line.lower().startswith("sec-websocket-key"))
            accept = base64.b64encode(hashlib.sha1((key + _MAGIC).encode(), usedforsecurity=False).digest()).decode()
            head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            protocol = "Sec-WebSocket-Protocol: plain.kubevirt.io\r\n"
            connection.sendall(f"{head}{protocol}Sec-WebSocket-Accept: {accept}\r\n\r\n".encode())
            self.serve(Frames(connection))

    def _request(self, connection: socket.socket) -> list[str]:
        received = b""
        while not received.endswith(b"\r\n\r\n"):
            received += connection.recv(4096)
        lines = received.decode().split("\r\n")
        self.requests.append(lines)
        return lines


@dataclass
class SshServer(paramiko.ServerInterface):
    """An SSH server; `answers`: (status, output, errors) by command. Serve a connection with `serve`."""

    answers: dict[str, tuple[int, bytes, bytes]] = field(default_factory=dict)
    host_key: paramiko.PKey = field(default_factory=lambda: paramiko.RSAKey.generate(2048))
    known: set[str] = field(default_factory=set)
    received: dict[str, bytes] = field(default_factory=dict)
    hang_up_on: str = ""

    def serve(self, frames: Frames) -> None:
        """Speak SSH over one websocket until it ends."""
        near, far = socket.socketpair()
        pump = threading.Thread(target=_pump, args=(frames, near))
        back = threading.Thread(target=_pump_back, args=(near, frames))
        transport = paramiko.Transport(far)
        transport.add_server_key(self.host_key)
        pump.start()
        back.start()
        with suppress(paramiko.SSHException, EOFError):
            transport.start_server(server=self)
            while channel := transport.accept(60) if transport.is_active() else None:
                self._answer(channel, transport)
        transport.close()
        frames.end()
        with suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)
        pump.join()
        back.join()
        near.close()

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        known = key.get_base64() in self.known
        return paramiko.AUTH_SUCCESSFUL if known else paramiko.AUTH_FAILED

    def get_allowed_auths(self, username: str) -> str:
        return "publickey"

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        channel.command = command.decode()
        return True

    def _answer(self, channel: paramiko.Channel, transport: paramiko.Transport) -> None:
        given = channel.makefile("rb").read()  # until the client has said all
        if channel.command == self.hang_up_on:
            transport.close()
            return
        self.received[channel.command] = given
        status, output, errors = self.answers.get(channel.command, (127, b"", b"not found"))
        channel.sendall(output)
        channel.sendall_stderr(errors)
        channel.send_exit_status(status)
        channel.close()


def _pump(frames: Frames, near: socket.socket) -> None:
    with suppress(OSError):
        while True:
            opcode, data = frames.receive()
            if opcode == CLOSE:
                break
            if opcode == BINARY:
                near.sendall(data)
    with suppress(OSError):
        near.shutdown(socket.SHUT_RDWR)


def _pump_back(near: socket.socket, frames: Frames) -> None:
    with suppress(OSError):
        while data := near.recv(10240):
            frames.send(data)
