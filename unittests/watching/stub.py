"""A little API server whose connections break on demand: collections, watches, 410s, drops and errors.

It keeps any object under any path, sends every committed change to every open watch of the collection, and does what a
test tells it to: drop connections without a word, end watches in order, forget old versions, answer with errors.
"""

import contextlib
import json
import queue
import socket
import ssl
import threading
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

COLLECTIONS = ("pods", "nodes", "namespaces", "kubevirts", "hyperconvergeds")


@dataclass
class OpenWatch:
    """One watch connection. Items: an event, None for an orderly end, or "drop"."""

    path: str
    name: str | None
    items: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)


@dataclass
class Logged:
    version: int
    path: str
    event: dict


class StubApi(ThreadingHTTPServer):
    """Use as a context manager; `url` is its address."""

    daemon_threads = False

    def __init__(self, tls: ssl.SSLContext | None = None, *, bookmark_after_list: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.RLock()
        self.version = 100
        self.objects: dict[str, dict[str, dict]] = {}
        self.documents: dict[str, dict] = {"/version": {"gitVersion": "v1.36.0"}}
        self.log: list[Logged] = []
        self.forgotten = 0
        self.gone_as_event = True
        self.muted = False
        self.watches: list[OpenWatch] = []
        self.opened = threading.Condition(self.lock)
        self.requests: list[tuple[str, str, dict]] = []
        self.failures: deque[tuple[str, int, str]] = deque()
        self.watch_error: dict | None = None
        self.bookmark_after_list = bookmark_after_list
        self.bookmark_before_end = True
        self._sockets: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.drop()
        with self.lock:
            for sock in self._sockets:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        self.server_close()
        self._thread.join()

    def process_request(self, request, client_address):
        with self.lock:
            self._sockets.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        with self.lock:
            self._sockets.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        """Broken connections are what this server is for."""

    # -- what tests do

    def put(self, path: str, name: str, **content) -> dict:
        """Create or change an object; every open watch of its collection hears of it."""
        with self.lock:
            self.version += 1
            stored = self.objects.setdefault(path, {})
            before = stored.get(name)
            metadata = content.pop("metadata", {})
            uid = before["metadata"]["uid"] if before else f"uid-{name}-{self.version}"
            fixed = {"name": name, "uid": uid, "resourceVersion": str(self.version)}
            if "/namespaces/" in path:
                fixed["namespace"] = path.split("/namespaces/")[1].split("/")[0]
            stored[name] = content | {"metadata": metadata | fixed}
            self._commit(path, "MODIFIED" if before else "ADDED", stored[name])
            return stored[name]

    def remove(self, path: str, name: str) -> None:
        with self.lock:
            self.version += 1
            last = self.objects[path].pop(name)
            last = last | {"metadata": last["metadata"] | {"resourceVersion": str(self.version)}}
            self._commit(path, "DELETED", last)

    def drop(self) -> None:
        """Break every watch connection without a word; what is queued for it is lost."""
        self._end("drop")

    def end(self) -> None:
        """End every watch in order."""
        self._end(None)

    def forget(self) -> None:
        """Remember no change up to now: a watch from an older version gets 410."""
        with self.lock:
            self.forgotten = self.version
            self.log.clear()

    def bookmark(self) -> None:
        with self.lock:
            for watch in () if self.muted else self.watches:  # it never comes before what it vouches for
                watch.items.put(self._bookmark())

    def wait_for_watches(self, count: int, timeout: float = 10) -> None:
        with self.opened:
            assert self.opened.wait_for(lambda: len(self.watches) >= count, timeout)

    def fail(self, method: str, code: int, body: str = "", times: int = 1) -> None:
        """Answer the next requests of a method (WATCH for watches) with a status; 0 closes the connection."""
        with self.lock:
            self.failures.extend([(method, code, body)] * times)

    # -- inside

    def _commit(self, path: str, kind: str, obj: dict) -> None:
        event = {"type": kind, "object": obj}
        self.log.append(Logged(self.version, path, event))
        for watch in self.watches:
            if _matches(watch, path, obj) and not self.muted:
                watch.items.put(event)

    def _bookmark(self) -> dict:
        return {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": str(self.version)}}}

    def _end(self, item) -> None:
        with self.lock:
            for watch in self.watches:
                watch.items.put(item)
            self.watches.clear()


def _matches(watch: OpenWatch, path: str, obj: dict) -> bool:
    return watch.path == path and watch.name in (None, obj["metadata"]["name"])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: StubApi

    def log_message(self, *_):
        """Silent."""

    def do_GET(self):
        self._serve("GET")

    def do_POST(self):
        self._serve("POST")

    def do_PATCH(self):
        self._serve("PATCH")

    def do_DELETE(self):
        self._serve("DELETE")

    def _serve(self, method: str) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method = "WATCH" if query.get("watch") == "true" else method
        server = self.server
        with server.lock:
            server.requests.append((method, url.path, query | {"headers": dict(self.headers)}))
            failure = next((f for f in server.failures if f[0] == method), None)
            if failure:
                server.failures.remove(failure)
        if failure:
            self._fail(failure[1], failure[2])
        elif method == "WATCH":
            self._watch(url.path, query)
        else:
            with server.lock:
                code, answer = getattr(self, f"_{method.lower()}")(url.path, query, json.loads(body) if body else {})
                self._reply(code, answer)
                if method == "GET" and "items" in answer and server.bookmark_after_list:
                    server.bookmark()

    def _fail(self, code: int, body: str) -> None:
        if code:
            self._reply(code, json.loads(body) if body else _status(code, "asked to fail"))
        else:
            self._break()

    def _break(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _reply(self, code: int, answer: dict) -> None:
        data = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _get(self, path: str, query: dict, _: dict) -> tuple[int, dict]:
        stored = self.server.objects
        if path in self.server.documents:
            return 200, self.server.documents[path]
        collection, _, name = path.rpartition("/")
        if name not in COLLECTIONS:
            found = stored.get(collection, {}).get(name)
            return (200, found) if found else (404, _status(404, f'"{name}" not found', "NotFound"))
        wanted = query.get("fieldSelector", "").removeprefix("metadata.name=")
        items = [obj for name, obj in sorted(stored.get(path, {}).items()) if wanted in ("", name)]
        return 200, {"metadata": {"resourceVersion": str(self.server.version)}, "items": items}

    def _post(self, path: str, _: dict, body: dict) -> tuple[int, dict]:
        name = body["metadata"]["name"]
        if name in self.server.objects.get(path, {}):
            return 409, _status(409, f'"{name}" already exists', "AlreadyExists")
        return 201, self.server.put(path, name, **body)

    def _patch(self, path: str, _: dict, body: dict) -> tuple[int, dict]:
        collection, _, name = path.rpartition("/")
        current = self.server.objects.get(collection, {}).get(name)
        if current is None:
            return 404, _status(404, f'"{name}" not found', "NotFound")
        expected = body.get("metadata", {}).pop("resourceVersion", None)
        if expected not in (None, current["metadata"]["resourceVersion"]):
            return 409, _status(409, "the object has been modified", "Conflict")
        merged = merge(current, body)
        return 200, current if merged == current else self.server.put(collection, name, **merged)

    def _delete(self, path: str, _: dict, body: dict) -> tuple[int, dict]:
        collection, _, name = path.rpartition("/")
        current = self.server.objects.get(collection, {}).get(name)
        if current is None:
            return 404, _status(404, f'"{name}" not found', "NotFound")
        wanted = body.get("preconditions", {}).get("uid")
        if wanted not in (None, current["metadata"]["uid"]):
            return 409, _status(409, "Precondition failed", "Conflict")
        if not current["metadata"].get("finalizers"):
            self.server.remove(collection, name)
        return 200, {"kind": "Status", "status": "Success"}

    def _watch(self, path: str, query: dict) -> None:
        server = self.server
        since = int(query["resourceVersion"])
        name = query.get("fieldSelector", "").removeprefix("metadata.name=") or None
        watch = OpenWatch(path, name)
        with server.opened:
            gone = since < server.forgotten
            error = _status(410, f"too old resource version: {since}", "Expired") if gone else server.watch_error
            if error:
                watch.items.put({"type": "ERROR", "object": error})
                watch.items.put(None)
            else:
                for logged in server.log:
                    if logged.version > since and _matches(watch, logged.path, logged.event["object"]):
                        watch.items.put(logged.event)
                if server.bookmark_before_end and int(query.get("timeoutSeconds", 300)) < 5:
                    watch.items.put(server._bookmark())  # its end is near
                server.watches.append(watch)
                server.opened.notify_all()
        if gone and not server.gone_as_event:
            self._reply(410, error)
            return
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._send(watch)
        finally:
            with server.lock:
                if watch in server.watches:
                    server.watches.remove(watch)

    def _send(self, watch: OpenWatch) -> None:
        while (item := watch.items.get()) is not None:
            if item == "drop":
                self._break()
                return
            line = json.dumps(item).encode() + b"\n"
            middle = len(line) // 2  # an event may come in two pieces
            for piece in (line[:middle], line[middle:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")


def merge(target: dict, patch: dict) -> dict:
    merged = dict(target)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            old = merged.get(key)
            merged[key] = merge(old if isinstance(old, dict) else {}, value)
        else:
            merged[key] = value
    return merged


def _status(code: int, message: str, reason: str = "") -> dict:
    return {"kind": "Status", "status": "Failure", "code": code, "message": message, "reason": reason}


def server_tls(directory) -> ssl.SSLContext:
    """A certificate for 127.0.0.1, written with its authority to `ca.pem` in the directory."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stub")])
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (directory / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (directory / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "ca.pem", directory / "key.pem")
    return context
