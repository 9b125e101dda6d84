"""One API server in a thread of its own: what the tests of this room talk to."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from lab.apiserver import namespaces
from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.auth.identity import authenticated
from lab.apiserver.builtin.install import install
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.errors import ApiError
from lab.apiserver.http.front import Front
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.streams.providers import LogLine
from lab.clock import ScaledClock
from lab.controllers.runtime import Runtime

ADMIN, TESTER = "admin-token", "tester-token"
SCALE = 20.0
_ECHOES: set[asyncio.Task[None]] = set()


class LocalProcess:
    """A process of this machine as a container's process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @property
    def stdout(self) -> asyncio.StreamReader:
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def stderr(self) -> asyncio.StreamReader:
        assert self._process.stderr is not None
        return self._process.stderr

    async def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(data)
            await self._process.stdin.drain()

    def close_stdin(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def wait(self) -> int:
        return await self._process.wait()

    def kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()


@dataclass
class LocalStreams:
    """Containers that run `cat`, `echo` and `sh` of this machine, and ports that echo."""

    allowed: tuple[str, ...] = ("cat", "echo", "sh", "true")
    lines: list[LogLine] = field(default_factory=lambda: [LogLine(1_767_225_600.0, "one"), LogLine(9e9, "two")])

    async def exec(self, pod, container: str, command: Sequence[str], *, stdin: bool, tty: bool) -> LocalProcess:
        if command[0] not in self.allowed:
            raise ApiError(500, "InternalError", f"exec: {command[0]!r}: executable file not found in $PATH")
        pipe = asyncio.subprocess.PIPE
        return LocalProcess(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe))

    async def attach(self, pod, container: str, *, stdin: bool, tty: bool) -> LocalProcess:
        return await self.exec(pod, container, ["cat"], stdin=stdin, tty=tty)

    def log(self, pod, container: str, *, previous: bool) -> Sequence[LogLine]:
        return self.lines

    async def follow(self, pod, container: str) -> AsyncIterator[LogLine]:
        yield LogLine(9e9, "three")

    async def connect(self, pod, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if port == 1:
            raise ConnectionRefusedError("connection refused")
        return await echo()


async def echo() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection whose other end sends back what it gets."""
    near, far = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=near)
    try:
        task = asyncio.create_task(_send_back(*await asyncio.open_connection(sock=far)))
    except asyncio.CancelledError:  # the client went meanwhile
        writer.close()
        far.close()
        raise
    _ECHOES.add(task)
    task.add_done_callback(_ECHOES.discard)
    return reader, writer


async def _send_back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
    await writer.wait_closed()


class LabServer:
    """The API of a cluster without nodes. `call` runs a function in its thread, between two requests."""

    def __init__(self, prepare: Callable[[LabServer], None] = lambda _: None) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock: ScaledClock
        self.api: Api
        self.front: Front
        self.runtime: Runtime
        self._prepare = prepare
        self._thread = threading.Thread(target=self._run, name="lab-server", daemon=True)
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._stop = asyncio.Event()

    def __enter__(self) -> LabServer:
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    @property
    def port(self) -> int:
        return int(self.front.url.rpartition(":")[2])

    def call(self, function: Callable, *args: object):
        """The result of a function that ran in the server's thread."""

        async def run():
            return function(*args)

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(10)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
                runner.run(self._serve())
        except BaseException as failure:  # noqa: BLE001  carried over to the test's thread and raised there
            self._failure = failure
        finally:
            self._started.set()

    async def _serve(self) -> None:
        rng = random.Random(1)
        self.clock = ScaledClock(SCALE)
        self.api = Api(
            Store(),
            self.clock,
            Catalogue(BUILTIN),
            Admission(),
            strategies(),
            rng,
            check_namespace=namespaces.check_writable,
        )
        self.runtime = Runtime(self.api, self.clock, rng)
        self.front = Front(self.api, streams=LocalStreams())
        self.front.credentials.add(ADMIN, authenticated("admin", ("system:masters",)))
        self.front.credentials.add(TESTER, authenticated("tester"))
        self.definitions = install(self.api, self.runtime, self.front.authority.pem.decode())
        self._prepare(self)
        driver = asyncio.create_task(self.clock.run())
        await self.front.start()
        self._started.set()
        await self._stop.wait()
        await self.front.stop()
        await asyncio.gather(*_ECHOES)
        driver.cancel()
        await asyncio.gather(driver, return_exceptions=True)
