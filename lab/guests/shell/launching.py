"""Starting programs from a shell: finding them, forking, running them in a child or in the shell's own place."""

import errno

from lab.guests.kernel import Call, Kernel, Program, encode, perform
from lab.guests.process import Exited, Process, Routine, Sleep
from lab.guests.shell.lookup import find_program
from lab.guests.shell.scope import Scope
from lab.guests.streams import Handle, Terminated

NOT_FOUND, NOT_EXECUTABLE = 127, 126


class Launcher:
    """What one shell process starts."""

    __slots__ = ("kernel", "process", "scope")

    def __init__(self, kernel: Kernel, process: Process, scope: Scope) -> None:
        self.kernel = kernel
        self.process = process
        self.scope = scope

    def complain(self, message: str) -> None:
        """Print an error of the shell itself."""
        handle = self.process.handles.get(2)
        if handle is not None:
            handle.write(encode(f"{self.scope.name}: {message}\n"))

    def fork(self, argv: list[str], replaced: dict[int, Handle] | None = None, *, own: bool = False) -> Process:
        """A child with this shell's directory and open files; `replaced` ones are handed over to it."""
        parent = self.process
        child = self.kernel.scheduler.fork(parent, argv, parent.account, own=own)
        child.cwd = parent.cwd
        child.environment = parent.environment
        handles = dict(replaced) if replaced else {}
        for number, handle in parent.handles.items():
            if number not in handles:
                handles[number] = handle.retain()
        child.handles = handles
        return child

    def run(self, argv: list[str], values: dict[str, str], *, replace: bool) -> int | Routine:
        """Run a program in a child and wait for it, or in this very process when it may `replace` the shell."""
        program = self._resolved(argv)
        if isinstance(program, int):
            return program
        environment = self.scope.environment() | values
        if replace:
            self.process.argv = argv
            self.process.environment = environment
            return perform(program, Call(self.kernel, self.process, argv))
        child = self.fork(argv)
        child.environment = environment
        try:
            result = perform(program, Call(self.kernel, child, argv))
        except Terminated as end:
            result = 128 + end.signal
        if isinstance(result, int):
            self.kernel.scheduler.exit(child, result)
            return result
        self.kernel.scheduler.start(child, result)
        return child.status if child.status is not None else wait_for(child)

    def replacement(self, argv: list[str], replaced: dict[int, Handle] | None, *, own: bool) -> tuple[Process, Routine]:
        """A child that is nothing but this program: what a subshell around a lone program comes to."""
        child = self.fork(argv, replaced, own=own)
        child.environment = self.scope.environment()
        return child, self._replaced(child)

    def _replaced(self, child: Process) -> Routine:
        now = self.kernel.time.monotonic()
        delay = child.allowance.take(now)
        if delay:
            yield Sleep(now + delay)
        program = self._resolved(child.argv)
        if isinstance(program, int):
            return program
        result = perform(program, Call(self.kernel, child, child.argv))
        return result if isinstance(result, int) else (yield from result)

    def _resolved(self, argv: list[str]) -> Program | int:
        """The program, or the status with which the attempt to run it fails."""
        try:
            program = find_program(self.kernel, self.process, argv, self.scope.values.get("PATH", ""))
        except OSError as error:
            self.complain(f"{argv[0]}: {error.strerror}")
            return NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE
        if program is None:
            self.complain(f"{argv[0]}: command not found")
            return NOT_FOUND
        return program


def wait_for(child: Process) -> Routine:
    """Wait until a process has ended; its exit status."""
    while child.status is None:
        yield Exited(child)
    return child.status
