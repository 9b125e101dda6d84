"""Logins: a shell of an account with its standard streams connected to the outside."""

from collections.abc import Callable

from lab.guests.accounts import Account
from lab.guests.boot import start
from lab.guests.kernel import Kernel
from lab.guests.process import Process
from lab.guests.signals import SIGHUP, SIGINT
from lab.guests.streams import Outlet, Pipe

_EXPIRED = b"WARNING: Your password has expired.\nPassword change required but no TTY available.\n"


class Session:
    """One login and its shell.

    `status` is None until the shell has ended. `finished` is called once, when the shell has ended and nobody can
    write any more: a background process that keeps standard output open holds the session open, as with a real sshd.
    """

    def __init__(
        self,
        kernel: Kernel,
        account: Account,
        command: str | None,
        *,
        stdout: Callable[[bytes], None],
        stderr: Callable[[bytes], None],
        finished: Callable[[int], None],
        terminal: bool = False,
    ) -> None:
        self.status: int | None = None
        self._kernel = kernel
        self._finished = finished
        self._open_outlets = 2
        self._input = Pipe()
        self._outlets = (Outlet(stdout, self._outlet_closed), Outlet(stderr, self._outlet_closed))
        sshd = kernel.services["sshd"].process
        argv = ["-sh"] if command is None else ["sh", "-c", command]
        process = kernel.spawn(argv, account, parent=sshd.pid if sshd is not None else 1)
        process.terminal = terminal
        process.handles = {0: self._input.reader, 1: self._outlets[0], 2: self._outlets[1]}
        process.on_exit = self._exited
        self._session = process.session
        if account.password_expired:
            self._outlets[1].write(_EXPIRED)
            kernel.scheduler.exit(process, 1)
        else:
            start(kernel, process)

    def feed(self, data: bytes) -> None:
        """Standard input of the shell."""
        if not self._input.broken:
            self._input.feed(data)

    def end_input(self) -> None:
        """End of standard input."""
        self._input.end()

    def signal(self, number: int) -> None:
        """Send a signal to every process of the session."""
        for process in self._members():
            self._kernel.scheduler.signal(process, number)

    def interrupt(self) -> None:
        """Ctrl-C: end what the interactive shell runs, not the shell."""
        for process in self._members():
            if process.pid != self._session:
                self._kernel.scheduler.signal(process, SIGINT)

    def disconnect(self) -> None:
        """The client is gone: input ends, writing fails, and a terminal hangs up."""
        for outlet in self._outlets:
            outlet.broken = True
        if any(process.terminal for process in self._members()):
            self.signal(SIGHUP)
        self.end_input()

    def _members(self) -> list[Process]:
        return [process for process in self._kernel.scheduler if process.session == self._session]

    def _exited(self, process: Process) -> None:
        self.status = process.status
        self._maybe_finished()

    def _outlet_closed(self) -> None:
        self._open_outlets -= 1
        self._maybe_finished()

    def _maybe_finished(self) -> None:
        if self.status is not None and self._open_outlets == 0:
            self._finished(self.status)


class Job:
    """A command run in a guest without a network; collects what it prints.

    For tests and fault hooks. `status` is None while it runs.
    """

    def __init__(self, kernel: Kernel, account: Account, command: str, stdin: bytes = b"") -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.status: int | None = None
        session = Session(
            kernel, account, command, stdout=self.stdout.extend, stderr=self.stderr.extend, finished=self._finish
        )
        session.feed(stdin)
        session.end_input()

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.stdout.decode(errors="replace")

    def _finish(self, status: int) -> None:
        self.status = status
