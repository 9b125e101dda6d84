"""Cortex and the Kubernetes API beside it as one line: each request goes to the one whose path it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unittests.lab_socket.line import Line, Reply


class Doors:
    """What a Conversation needs of a line."""

    def __init__(self, kubernetes: Line, cortex: Line) -> None:
        self._kubernetes, self._cortex = kubernetes, cortex

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        """One request and its answer."""
        line = self._kubernetes if path.startswith("/apis/") else self._cortex
        return line.send(method, path, headers, body)

    def watch(self, name: str, path: str, headers: Mapping[str, str]) -> Reply:
        """Open a watch of Kubernetes."""
        return self._kubernetes.watch(name, path, headers)

    def event(self, name: str) -> Any:
        """The next event of a watch."""
        return self._kubernetes.event(name)

    def rest(self, name: str) -> list[Any]:
        """All events up to the end of a watch."""
        return self._kubernetes.rest(name)

    def close(self) -> None:
        """End both."""
        self._kubernetes.close()
        self._cortex.close()
