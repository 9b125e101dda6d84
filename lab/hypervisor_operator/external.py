"""A real operator as the process of the Deployment's pod: started, probed, logged and ended like any other.

It runs in wall time, on this machine and not in a pod. So it has no lease and serves on loopback only, whatever the
Deployment says about that; everything else of its command line and environment is the container's.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.apiserver.api import Api
from lab.hypervisor_operator.logs import Log
from lab.hypervisor_operator.starting import Exited

_GRACE = 10.0  # wall seconds from SIGTERM to SIGKILL: terminationGracePeriodSeconds of the chart
_PATIENCE = 5.0  # wall seconds for an answer to a probe
_LONGEST_LINE = 4 * 1024 * 1024  # bytes
_KEPT = ("PATH", "HOME", "TMPDIR")  # of the lab's own environment
_CANNOT_RUN = 126  # exit code of a shell for a program that cannot be run


@dataclass(frozen=True, slots=True)
class Binary:
    """Makes processes of one program, whatever the image. kubeconfig: of the user it acts as."""

    api: Api
    path: Path
    kubeconfig: Path
    _made: list[External] = field(default_factory=list)

    def __call__(self, _image: str, log: Log, exited: Exited) -> External:
        """A process that is not started yet."""
        made = External(self.api, self.path, self.kubeconfig, log, exited)
        self._made.append(made)
        return made

    async def close(self) -> None:
        """End them all."""
        await asyncio.gather(*(made.close() for made in self._made))


class External:
    """One process. `exited` is called with its exit code when it ends by itself."""

    leader_elect = False

    def __init__(self, api: Api, path: Path, kubeconfig: Path, log: Log, exited: Exited) -> None:
        self._api = api
        self._path = path
        self._kubeconfig = kubeconfig
        self._log = log
        self._exited = exited
        self._port = 0
        self._process: asyncio.subprocess.Process | None = None
        self._life: asyncio.Task[None] | None = None
        self._probes: set[asyncio.Task[None]] = set()
        self._ending = asyncio.Event()
        self._ended: Callable[[], None] | None = None

    def start(self, arguments: Iterable[str], environment: Mapping[str, str]) -> None:
        """Run it."""
        self._port = _free_port()
        own = (
            "--leader-elect=false",
            "--metrics-bind-address=0",
            f"--health-probe-bind-address=127.0.0.1:{self._port}",
        )
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        variables = {**kept, **environment, "KUBECONFIG": str(self._kubeconfig)}
        self._life = asyncio.create_task(self._live((*arguments, *own), variables))

    def lead(self) -> None:
        """It works anyway."""

    def probe(self, answered: Callable[[bool], None]) -> None:
        """Ask its health server."""
        task = asyncio.create_task(self._probe(answered))
        self._probes.add(task)
        task.add_done_callback(self._probes.discard)

    def end(self, ended: Callable[[], None]) -> None:
        """Send SIGTERM; SIGKILL when that does not help."""
        self._ended = ended
        self._ending.set()

    async def close(self) -> None:
        """End it, and tell nobody."""
        self._ended = _nobody
        self._ending.set()
        if self._life is not None:
            await self._life
        for probe in self._probes:
            probe.cancel()

    async def _live(self, arguments: tuple[str, ...], variables: Mapping[str, str]) -> None:
        code = await self._run(arguments, variables)
        if self._ended is not None:
            self._tell(self._ended)
        else:
            self._tell(self._exited, code)

    async def _run(self, arguments: tuple[str, ...], variables: Mapping[str, str]) -> int:
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                self._path,
                *arguments,
                env=variables,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=pipe,
                stderr=asyncio.subprocess.STDOUT,
                limit=_LONGEST_LINE,
            )
        except OSError as error:
            self._log.take(self._api.clock.now(), f"{self._path}: {error.strerror}")
            return _CANNOT_RUN
        watch = asyncio.create_task(self._end(process))
        try:
            assert process.stdout is not None
            async for line in process.stdout:
                self._log.take(self._api.clock.now(), line.decode(errors="replace").rstrip("\n"))
            return await process.wait()
        finally:
            watch.cancel()

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        await self._ending.wait()
        process.terminate()
        await asyncio.sleep(_GRACE)
        process.kill()

    async def _probe(self, answered: Callable[[bool], None]) -> None:
        self._tell(answered, await self._says_ready())

    async def _says_ready(self) -> bool:
        try:
            async with asyncio.timeout(_PATIENCE):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                status = await reader.readline()
                writer.close()
        except (OSError, TimeoutError):
            return False
        return b" 200 " in status

    def _tell(self, callback: Callable[..., None], *arguments: object) -> None:
        """Call it as the clock's, so that what follows has its place in product time."""
        self._api.clock.call_later(0, callback, *arguments)


def _nobody() -> None:
    """Nobody wants to know."""


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
