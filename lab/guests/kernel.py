"""One boot of a guest: everything that ends with a reboot, and the door through which programs reach the machine."""

import errno
import os
import posixpath
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lab.guests.accounts import ROOT, Account
from lab.guests.clocks import GuestTime
from lab.guests.errors import NotSimulatedError
from lab.guests.filesystem import FileSystem, Mode
from lab.guests.hardware import Hardware
from lab.guests.images import GuestImage
from lab.guests.load import MemoryLoad
from lab.guests.process import Process, Routine
from lab.guests.scheduler import ProcessLimitError, Scheduler
from lab.guests.streams import Handle

PATH = "/usr/local/bin:/usr/bin"


class PowerAction(Enum):
    """What a program may ask of the machine."""

    REBOOT = "reboot"
    POWER_OFF = "poweroff"


@dataclass(slots=True)
class Service:
    """A systemd unit with a long-running process; `installed` but stopped when `process` is None or dead."""

    name: str
    argv: list[str]
    process: Process | None = None

    @property
    def active(self) -> bool:
        """Whether its process lives."""
        return self.process is not None and self.process.alive


@dataclass(slots=True)
class Kernel:
    """A running system. `accounts` maps names; `cores` is what nproc says; `boot_time` is UNIX seconds (utmp)."""

    boot_id: uuid.UUID
    boot_time: float
    hostname: str
    time: GuestTime
    scheduler: Scheduler
    files: FileSystem
    hardware: Hardware
    image: GuestImage
    load: MemoryLoad
    accounts: dict[str, Account]
    programs: "Mapping[str, Program]"
    power: Callable[[PowerAction], None]
    cores: int = 1
    booted: bool = False
    configured: bool = False
    services: dict[str, Service] = field(default_factory=dict)

    def spawn(self, argv: list[str], account: Account = ROOT, *, parent: int = 1, pid: int | None = None) -> Process:
        """A process with a session and steps of its own; without a routine it only exists."""
        process = self.scheduler.fork(self.scheduler.table.get(parent), argv, account, own=True, pid=pid, limited=False)
        process.session = process.pid
        process.cwd = account.home
        process.environment = self.environment_of(account)
        return process

    def start_service(self, name: str) -> bool:
        """Start a unit unless it is active; False where there is no such unit."""
        service = self.services.get(name)
        if service is None:
            return False
        if not service.active:
            service.process = self.spawn(service.argv)
        return True

    def account_of(self, uid: int) -> Account | None:
        """The account with that number."""
        return next((account for account in self.accounts.values() if account.uid == uid), None)

    def environment_of(self, account: Account) -> dict[str, str]:
        """The variables of a fresh login."""
        return {
            "HOME": account.home,
            "LANG": "C.UTF-8",
            "LOGNAME": account.name,
            "PATH": PATH,
            "SHELL": "/bin/sh",
            "USER": account.name,
        }


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a program or builtin: who runs it, and its arguments (`argv[0]` is the name)."""

    kernel: Kernel
    process: Process
    argv: list[str]

    @property
    def name(self) -> str:
        """The program's name for its messages."""
        return posixpath.basename(self.argv[0])

    @property
    def args(self) -> list[str]:
        """The arguments after the name."""
        return self.argv[1:]

    def path(self, path: str) -> str:
        """A path as the process means it: relative to its directory, /proc/self being itself."""
        if path.startswith("/") and "/." not in path and "//" not in path:
            full = path
        else:
            full = posixpath.normpath(posixpath.join(self.process.cwd, path))
        if full.startswith("//"):
            full = full[1:]
        if full == "/proc/self" or full.startswith("/proc/self/"):
            return f"/proc/{self.process.pid}{full[len('/proc/self') :]}"
        return full

    def open(self, path: str, mode: Mode) -> Handle:
        """Open a file with the rights of the process."""
        return self.kernel.files.open(self.path(path), mode, self.process.account)

    def out(self, text: str) -> None:
        """Write to standard output."""
        self._write(1, text)

    def err(self, text: str) -> None:
        """Write a line with the program's name to standard error."""
        self._write(2, f"{self.name}: {text}\n")

    def _write(self, descriptor: int, text: str) -> None:
        handle = self.process.handles.get(descriptor)
        if handle is not None and text:
            handle.write(encode(text))


Program: TypeAlias = Callable[[Call], int | Routine]
"""An executable: returns its exit status at once, or a routine when it has to wait for something."""


class UsageError(Exception):
    """A program ends with a message and a status; the message is printed after the program's name."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def encode(text: str) -> bytes:
    """Text as the bytes it came from."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Bytes as text that `encode` turns back into the same bytes."""
    return data.decode("utf-8", "surrogateescape")


def perform(program: Program, call: Call) -> int | Routine:
    """Run a program; what goes wrong becomes a message on standard error and an exit status."""
    try:
        result = program(call)
    except _FAILURES as error:
        return _failed(call, error)
    return result if isinstance(result, int) else _performed(result, call)


def _performed(routine: Routine, call: Call) -> Routine:
    try:
        return (yield from routine)
    except _FAILURES as error:
        return _failed(call, error)


_FAILURES = (OSError, UsageError, NotSimulatedError, ProcessLimitError)


def _failed(call: Call, error: Exception) -> int:
    if isinstance(error, UsageError):
        call.err(str(error))
        return error.status
    if isinstance(error, NotSimulatedError):
        call.err(str(error))
        return 2
    call.err(error.strerror or str(error) if isinstance(error, OSError) else os.strerror(errno.EAGAIN))
    return 1
