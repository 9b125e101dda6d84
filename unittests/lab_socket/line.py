"""A connection to one server, as a Go program holds it: requests with exactly the headers given, and watches."""

from __future__ import annotations

import gzip
import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 30.0  # wall seconds before a silent server is a failure


@dataclass(frozen=True)
class Reply:
    """Status, headers (names in lower case) and body, decoded if it is JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "")


class Line:
    """Sends requests one after the other; each watch has a connection of its own."""

    def __init__(self, url: str, context: ssl.SSLContext | None = None) -> None:
        self._place = urlsplit(url).netloc
        self._context = context
        self._main: http.client.HTTPConnection | None = None
        self._watches: dict[str, tuple[http.client.HTTPConnection, http.client.HTTPResponse]] = {}

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """One request and its answer."""
        if self._main is None:
            self._main = self._connected()
        self._main.request(method, _without_place(path), body, dict(headers))
        reply = self._main.getresponse()
        told = _told(reply)
        data = reply.read()
        text = gzip.decompress(data) if told.get("content-encoding") == "gzip" else data
        return Reply(reply.status, told, _decoded(text))

    def watch(self, name: str, path: str, headers: Mapping[str, str]) -> Reply:
        """Open a watch; the answer is there before any event."""
        connection = self._connected()
        connection.request("GET", path, headers=dict(headers))
        reply = connection.getresponse()
        self._watches[name] = connection, reply
        return Reply(reply.status, _told(reply), None)

    def event(self, name: str) -> Any:
        """The next event of a watch; fails when it has ended."""
        line = self._watches[name][1].readline()
        assert line, f"the watch of {name} ended"
        return json.loads(line)

    def rest(self, name: str) -> list[Any]:
        """All events up to the clean end of a watch; one that breaks off raises."""
        connection, reply = self._watches.pop(name)
        lines = reply.read().splitlines()
        connection.close()
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        for connection, reply in self._watches.values():
            reply.close()
            connection.close()
        if self._main is not None:
            self._main.close()

    def _connected(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._place, timeout=PATIENCE)
        return http.client.HTTPSConnection(self._place, timeout=PATIENCE, context=self._context)


def _without_place(path: str) -> str:
    """Of a whole URL, as catalogs have them, what follows the server's name."""
    parts = urlsplit(path)
    return parts._replace(scheme="", netloc="").geturl()


def _told(reply: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in reply.getheaders()}


def _decoded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace") or None
