"""A process of the guest, and what a process can wait for."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias

from lab.guests.accounts import Account
from lab.guests.limits import Allowance
from lab.guests.streams import Handle, Readable


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait until the guest's monotonic clock reads `until`."""

    until: float


@dataclass(frozen=True, slots=True)
class Exited:
    """Wait until the process has ended."""

    process: "Process"


Request: TypeAlias = Sleep | Exited | Readable
Routine: TypeAlias = Generator[Request, None, int]
"""The life of a process: yields what it waits for, returns its exit status."""


class Process:
    """One entry of the process table.

    `started` is the monotonic reading at the fork. `status` is None while the process lives, then 0-255 as a shell
    reports it (128 + signal number when killed). `session` is the pid of the session leader.
    """

    __slots__ = (
        "account", "allowance", "argv", "children", "cwd", "environment", "handles", "ignored", "on_exit", "parent",
        "pid", "routine", "session", "signalled", "started", "status", "stopped", "terminal", "waiting", "watchers",
        "woken",
    )  # fmt: skip

    def __init__(
        self,
        pid: int,
        parent: "Process | None",
        argv: list[str],
        *,
        started: float,
        account: Account,
        allowance: Allowance,
        cwd: str = "/",
        environment: dict[str, str] | None = None,
        handles: dict[int, Handle] | None = None,
    ) -> None:
        self.pid = pid
        self.parent = parent
        self.argv = argv
        self.started = started
        self.account = account
        self.allowance = allowance
        self.cwd = cwd
        self.environment = environment or {}
        self.handles = handles or {}
        self.children: set[Process] = set()
        self.ignored: frozenset[int] = parent.ignored if parent else frozenset()
        self.session: int = parent.session if parent else pid
        self.terminal: bool = parent.terminal if parent else False
        self.routine: Routine | None = None
        self.waiting: Request | None = None
        self.watchers: list[Process] = []
        self.on_exit: Callable[[Process], None] | None = None
        self.status: int | None = None
        self.signalled: int | None = None
        self.stopped = False
        self.woken = False

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self.status is None

    @property
    def name(self) -> str:
        """The command name as the kernel keeps it: at most 15 characters."""
        head = self.argv[0]
        return head[1:-1][:15] if self.is_kernel_thread else head.rsplit("/", 1)[-1].split(": ", 1)[0][:15]

    @property
    def is_kernel_thread(self) -> bool:
        """Whether this is a kernel thread, which ps shows in brackets."""
        return self.argv[0].startswith("[")

    @property
    def state(self) -> str:
        """The state letter of ps: R, S or T, and I for an idle kernel thread."""
        if self.stopped:
            return "T"
        if self.is_kernel_thread:
            return "I"
        return "S" if self.waiting is not None or self.routine is None else "R"
