"""What stands behind a pod's streams: injected by whoever simulates containers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lab.apiserver.errors import ApiError

Pod = Mapping[str, Any]


class Process(Protocol):
    """A command in a container. With a tty everything comes out of `stdout`."""

    @property
    def stdout(self) -> asyncio.StreamReader:
        """Output until its end."""

    @property
    def stderr(self) -> asyncio.StreamReader:
        """Errors until their end."""

    async def write(self, data: bytes) -> None:
        """Send to stdin; writing to a process that has ended is harmless."""

    def close_stdin(self) -> None:
        """Let the process see the end of its input."""

    async def wait(self) -> int:
        """The exit status, once it has ended."""

    def kill(self) -> None:
        """End it now; killing twice, or after its end, is harmless."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a container's log, without its newline; `at` is the product time it was written."""

    at: float
    text: str


class PodStreams(Protocol):
    """The streams of pods. Everything may raise ApiError, which the client gets before any upgrade."""

    async def exec(self, pod: Pod, container: str, command: Sequence[str], *, stdin: bool, tty: bool) -> Process:
        """Start a command."""

    async def attach(self, pod: Pod, container: str, *, stdin: bool, tty: bool) -> Process:
        """Join the container's main process."""

    def log(self, pod: Pod, container: str, *, previous: bool) -> Sequence[LogLine]:
        """The log up to now, oldest first."""

    def follow(self, pod: Pod, container: str) -> AsyncIterator[LogLine]:
        """Lines written from now on, until the container ends."""

    async def connect(self, pod: Pod, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to a port of the pod; raises OSError when nobody listens."""


class NoStreams:
    """The provider of a lab without containers: refuses, naming what was asked for."""

    async def exec(self, pod: Pod, container: str, command: Sequence[str], *, stdin: bool, tty: bool) -> Process:
        """Refuse."""
        del stdin, tty
        raise _refusal(pod, f"run {list(command)} in container {container}")

    async def attach(self, pod: Pod, container: str, *, stdin: bool, tty: bool) -> Process:
        """Refuse."""
        del stdin, tty
        raise _refusal(pod, f"attach to container {container}")

    def log(self, pod: Pod, container: str, *, previous: bool) -> Sequence[LogLine]:
        """Refuse."""
        del previous
        raise _refusal(pod, f"show the log of container {container}")

    def follow(self, pod: Pod, container: str) -> AsyncIterator[LogLine]:
        """Refuse."""
        raise _refusal(pod, f"follow the log of container {container}")

    async def connect(self, pod: Pod, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Refuse."""
        raise _refusal(pod, f"connect to port {port}")


def _refusal(pod: Pod, what: str) -> ApiError:
    name = pod["metadata"]["name"]
    return ApiError(501, "NotImplemented", f"the lab does not simulate the containers of pod {name}: cannot {what}")
