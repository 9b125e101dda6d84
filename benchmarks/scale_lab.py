"""A lab of any number of nodes as a process of its own, and what the system says that process uses.

`python -m benchmarks.scale_lab DIRECTORY NODES` serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory

import yaml

from lab.choice import Choice
from lab.cluster import Cluster
from lab.garbage import collect_seldom
from lab.profiles import Node, Profile

_ROOT = Path(__file__).parent.parent
_MI = 2**20
_LOOK = 2.0  # wall seconds from one look to the next
_IDLE, _FALLING = 0.05, 0.8  # a lab has settled below that share of a processor, or above that part of the share before
TIME_SCALE = 10.0
"""Guests boot within a wall second, so that few VMIs too are counted for what they cost, not for what they wait."""


@dataclass(frozen=True, slots=True)
class LabProcess:
    """A lab that answers. started: wall seconds until it did."""

    pid: int
    url: str
    token: str
    started: float

    @property
    def cpu(self) -> float:
        """Processor seconds it has used."""
        return cpu_seconds(Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8"), os.sysconf("SC_CLK_TCK"))

    def settle(self) -> float:
        """Wait until it has done what was left to be done, such as a pod on every node.

        Returns the share of a processor that it uses from then on though nobody asks it anything: heartbeats of nodes.
        """
        share, last = self._share(), math.inf
        while share > _IDLE and share < _FALLING * last:
            share, last = self._share(), share
        return share

    def _share(self) -> float:
        before = self.cpu
        time.sleep(_LOOK)
        return (self.cpu - before) / _LOOK

    @property
    def resident(self) -> float:
        """Memory it holds, in MiB."""
        return resident(Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8"), "VmRSS")

    @property
    def most_resident(self) -> float:
        """The most it has held, in MiB."""
        return resident(Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8"), "VmHWM")


@contextmanager
def lab_of(nodes: int) -> Iterator[LabProcess]:
    """A running lab with so many nodes."""
    with TemporaryDirectory(prefix="lab-scale-") as directory:
        begun = time.perf_counter()
        command = [sys.executable, "-m", "benchmarks.scale_lab", directory, str(nodes)]
        with Popen(command, stdin=PIPE, stdout=PIPE, text=True, cwd=_ROOT) as process:
            try:
                path = process.stdout.readline().strip() if process.stdout is not None else ""
                if not path:
                    raise RuntimeError(f"a lab of {nodes} nodes did not start: what it said stands above")
                config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
                (cluster,), (user,) = config["clusters"], config["users"]
                took = time.perf_counter() - begun
                yield LabProcess(process.pid, cluster["cluster"]["server"], user["user"]["token"], took)
            finally:
                process.communicate()


def cpu_seconds(stat: str, ticks: int) -> float:
    """User and system time in the text of `/proc/PID/stat`; the name before may hold blanks and brackets."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / ticks


def resident(status: str, name: str) -> float:
    """One size in the text of `/proc/PID/status`, in MiB."""
    line = next(line for line in status.splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024 / _MI


def _profile(nodes: int) -> Profile:
    shape = tuple(Node(name=f"node-{number:04}") for number in range(nodes))
    return Profile(name="scale", description="as large as asked", nodes=shape)


async def _serve(directory: Path, nodes: int) -> None:
    cluster = Cluster(Choice(_profile(nodes), time_scale=TIME_SCALE))
    try:
        ready = await cluster.start(directory)
        collect_seldom()
        print(ready.users.admin, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    finally:
        await cluster.stop()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
