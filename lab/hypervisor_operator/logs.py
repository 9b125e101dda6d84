"""What the operator's processes write: zap's console form, read by clients as the log of a pod."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime

from lab.apiserver.errors import ApiError
from lab.apiserver.streams.providers import LogLine, Pod, PodStreams, Process


class Log:
    """The lines of one process, while it runs and afterwards."""

    def __init__(self) -> None:
        self.lines: list[LogLine] = []
        self._followers: list[asyncio.Queue[LogLine | None]] = []
        self._closed = False

    def write(self, at: float, text: str) -> None:
        """Add a line of zap's, with its time; `at` is product time."""
        stamp = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.take(at, f"{stamp}\t{text}")

    def take(self, at: float, text: str) -> None:
        """Add a line as it is."""
        line = LogLine(at, text)
        self.lines.append(line)
        for follower in self._followers:
            follower.put_nowait(line)

    def close(self) -> None:
        """The process has ended."""
        self._closed = True
        for follower in self._followers:
            follower.put_nowait(None)

    async def follow(self) -> AsyncIterator[LogLine]:
        """Lines from now on, until the process ends."""
        if self._closed:
            return
        queue: asyncio.Queue[LogLine | None] = asyncio.Queue()
        self._followers.append(queue)
        try:
            while (line := await queue.get()) is not None:
                yield line
        finally:
            self._followers.remove(queue)


class OperatorStreams:
    """The streams of all pods: logs of the operator's are its own, everything else is left to `others`."""

    def __init__(self, logs_of: Callable[[str], Sequence[Log] | None], others: PodStreams) -> None:
        """logs_of: the logs of a pod by its name, None for other pods."""
        self._logs_of = logs_of
        self._others = others

    async def exec(self, pod: Pod, container: str, command: Sequence[str], *, stdin: bool, tty: bool) -> Process:
        """Leave it to the others."""
        return await self._others.exec(pod, container, command, stdin=stdin, tty=tty)

    async def attach(self, pod: Pod, container: str, *, stdin: bool, tty: bool) -> Process:
        """Leave it to the others."""
        return await self._others.attach(pod, container, stdin=stdin, tty=tty)

    def log(self, pod: Pod, container: str, *, previous: bool) -> Sequence[LogLine]:
        """The lines of the last process, or of the one before; raises 400 when there was none."""
        logs = self._logs_of(pod["metadata"]["name"])
        if logs is None:
            return self._others.log(pod, container, previous=previous)
        if len(logs) < (2 if previous else 1):
            name = pod["metadata"]["name"]
            what = "previous terminated " if previous else ""
            raise ApiError(400, "BadRequest", f'{what}container "{container}" in pod "{name}" not found')
        return list(logs[-2 if previous else -1].lines)

    def follow(self, pod: Pod, container: str) -> AsyncIterator[LogLine]:
        """Lines of the present process, until it ends."""
        logs = self._logs_of(pod["metadata"]["name"])
        return self._others.follow(pod, container) if logs is None else (logs[-1] if logs else Log()).follow()

    async def connect(self, pod: Pod, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Leave it to the others."""
        return await self._others.connect(pod, port)
