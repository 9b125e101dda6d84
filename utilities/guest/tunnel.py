"""A socket to a port of a guest, through the API server's port-forward websocket (kubevirt sheet §9.1)."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

import websocket

from utilities.clients import Cluster
from utilities.errors import GuestError

PROTOCOL = "plain.kubevirt.io"
_REST = 0.05  # wall seconds that the rest of a frame may take before others get their turn
_NEXT = "check that the VMI runs, has an address, and that its guest listens on the port"


@dataclass(frozen=True, slots=True)
class Gateway:
    """What a tunnel needs of the cluster: the API's URL, the credentials and the trust anchors."""

    url: str
    token: str | None = field(repr=False)  # pytest shows arguments in tracebacks
    ca_file: str | None
    certificate: tuple[str, str] | None = None  # client certificate and key files

    @classmethod
    def of(cls, cluster: Cluster) -> Gateway:
        """The gateway of a connection, with its credentials."""
        configuration = cluster.dynamic.client.configuration
        token = configuration.get_api_key_with_prefix("authorization")
        files = (configuration.cert_file, configuration.key_file)
        return cls(
            url=cluster.url,
            token=token.removeprefix("Bearer ") if token else None,
            ca_file=configuration.ssl_ca_cert,
            certificate=files if all(files) else None,
        )

    def open(self, namespace: str, vmi: str, port: int, timeout: float) -> Tunnel:
        """Connect to a port of a VMI; `timeout` in wall seconds bounds the connect. Raises GuestError."""
        parts = urlsplit(self.url)
        path = (
            f"/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{vmi}/portforward/{port}"
        )
        address = urlunsplit(("wss", parts.netloc, f"{parts.path.rstrip('/')}{path}/tcp", "", ""))
        options: dict[str, object] = {"cert_reqs": ssl.CERT_REQUIRED, "ca_certs": self.ca_file}
        if self.certificate:
            options |= {"certfile": self.certificate[0], "keyfile": self.certificate[1]}
        header = [f"Authorization: Bearer {self.token}"] if self.token else []
        try:
            connection = websocket.create_connection(
                address,
                timeout=timeout,
                subprotocols=[PROTOCOL],
                header=header,
                sslopt=options,
                enable_multithread=True,
            )
        except (websocket.WebSocketException, OSError) as error:
            raise GuestError(f"no tunnel to port {port} of VMI {namespace}/{vmi}: {error}", next_step=_NEXT) from error
        return Tunnel(connection, timeout)


class Tunnel:
    """A websocket that paramiko can use as its socket.

    Two threads use it: paramiko's reader, and whoever sends or closes. One TLS connection stands neither reads beside
    writes nor a descriptor that is closed (and soon another connection's) while somebody reads from it, so that the
    lock is held for every step that touches it. Waiting for data happens outside, and a frame whose rest is late is
    given up for the moment: nobody who wants to send or to close waits for the other side to speak.

    patience: wall seconds for the other side to take what is sent.
    """

    def __init__(self, connection: websocket.WebSocket, patience: float) -> None:
        self._connection = connection
        self._patience = patience
        self._lock = threading.Lock()
        self._timeout: float | None = None
        self._pending = b""
        self._closed = False  # paramiko looks at this attribute of its socket

    def send(self, data: bytes) -> int:
        """Send everything; returns the number of bytes taken."""
        try:
            with self._lock:
                self._connection.settimeout(self._patience)
                self._connection.send_binary(data)
        except websocket.WebSocketException as error:
            raise OSError(str(error)) from error
        return len(data)

    def recv(self, size: int) -> bytes:
        """Up to `size` bytes, b"" at the end. Raises TimeoutError after the time of `settimeout`."""
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        while not self._pending:
            sock = self._connection.sock
            if self._closed or sock is None:
                return b""
            if not sock.pending() and not _readable(sock, deadline):
                raise TimeoutError
            try:
                with self._lock:
                    self._connection.settimeout(_REST)
                    opcode, data = self._connection.recv_data(control_frame=True)  # also returns after a ping
            except websocket.WebSocketTimeoutException:
                continue  # what has come of the frame is kept
            except (websocket.WebSocketException, OSError):  # also when it was closed while we waited
                return b""
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return b""
            if opcode == websocket.ABNF.OPCODE_BINARY:
                self._pending = data
        taken, self._pending = self._pending[:size], self._pending[size:]
        return taken

    def settimeout(self, seconds: float | None) -> None:
        """Wall seconds that `recv` waits for data; None: for ever."""
        self._timeout = seconds

    def close(self) -> None:
        """Drop the connection, and wake who waits for its data; closing twice is harmless."""
        with self._lock:
            self._closed = True
            if self._connection.sock is not None:  # a lost connection has closed it already
                with suppress(OSError):  # the other side may have been faster
                    self._connection.sock.shutdown(socket.SHUT_RDWR)
                self._connection.shutdown()


def _readable(sock: ssl.SSLSocket, deadline: float | None) -> bool:
    left = None if deadline is None else max(0.0, deadline - time.monotonic())
    try:
        return bool(select.select([sock], [], [], left)[0])
    except (OSError, ValueError):  # closed meanwhile: the next look says so
        return True
