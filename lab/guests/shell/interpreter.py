"""Runs a parsed script in a process: the POSIX shell's execution rules as generators."""

from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

from lab.guests.errors import NotSimulatedError
from lab.guests.files import Directory
from lab.guests.kernel import Call, Kernel, decode, perform
from lab.guests.process import Process, Request, Routine, Sleep
from lab.guests.scheduler import ProcessLimitError
from lab.guests.shell import patterns
from lab.guests.shell.arithmetic import ArithmeticFault
from lab.guests.shell.expansion import Expansion
from lab.guests.shell.launching import Launcher, wait_for
from lab.guests.shell.redirection import Redirection
from lab.guests.shell.scope import FunctionExit, LoopExit, Scope, ShellExit, ShellFault
from lab.guests.shell.syntax import (
    AndOr,
    Background,
    Case,
    Command,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Redirect,
    Redirected,
    Sequence,
    Simple,
)
from lab.guests.streams import Capture, Handle, Pipe, Readable, Terminated

_MAX_CALLS = 25
_REMEMBERED_JOBS = 100

Builtin: TypeAlias = Callable[["Shell", list[str]], int | Routine]
"""A command that runs in the shell itself; the list holds its name and arguments."""


class Shell:
    """One shell process. Every `_…` method that runs a command returns its exit status."""

    def __init__(self, kernel: Kernel, process: Process, scope: Scope, builtins: Mapping[str, Builtin]) -> None:
        self.kernel = kernel
        self.process = process
        self.scope = scope
        self.launcher = Launcher(kernel, process, scope)
        self.functions: dict[str, Command] = {}
        self.locals: list[dict[str, str | None]] = []
        self.jobs: dict[int, Process] = {}
        self.loops = 0
        self._builtins = builtins
        self._tested = 0
        self._substituted = 0
        self._expansion = Expansion(scope, self._substitute, self._glob)

    def main(self, command: Command, *, replace: bool) -> Routine:
        """Run a whole script.

        With `replace` the process is there for this command only: a simple one takes the shell's place, as `exec`
        would, and what its redirections replace is closed at once (a kept standard output would hold a session open).
        """
        command = _alone(command) if replace else command
        if replace and isinstance(command, Simple):
            routine = self._simple(command, replace=True)
        elif replace and isinstance(command, Redirected):
            inner = command.command
            routine = self._with_redirects(command.redirects, lambda: self._run(inner), keep=True)
        else:
            routine = self._run(command)
        try:
            return (yield from self.guarded(routine))
        except ShellExit as leaving:
            return leaving.status

    def guarded(self, routine: Routine) -> Routine:
        """Run commands; an error of the shell is printed and raises ShellExit with `fault` set."""
        try:
            return (yield from routine)
        except (LoopExit, FunctionExit):
            return self.scope.status
        except (ShellFault, ArithmeticFault) as fault:
            message, status = str(fault), 1
        except NotSimulatedError as refusal:
            message, status = str(refusal), 2
        except ProcessLimitError:
            message, status = "fork: Resource temporarily unavailable", 254
        self.launcher.complain(message)
        raise ShellExit(status, fault=True)

    def sequence(self, sequence: Sequence) -> Routine:
        """Run commands one after the other."""
        status = 0
        for command in sequence.commands:
            status = yield from _RUNNERS[type(command)](self, command)
            self.scope.status = status
        return status

    def knows(self, name: str) -> bool:
        """Whether the shell runs this name itself."""
        return name in self._builtins or name in self.functions

    def _run(self, command: Command) -> Routine:
        status = yield from _RUNNERS[type(command)](self, command)
        self.scope.status = status
        return status

    def _delay(self) -> Sleep | None:
        """Account a step; what to wait for when the process has used up its steps."""
        now = self.kernel.time.monotonic()
        delay = self.process.allowance.take(now)
        return Sleep(now + delay) if delay else None

    def _simple(self, command: Simple, *, replace: bool = False) -> Routine:
        delay = self._delay()
        if delay is not None:
            yield delay
        self._substituted = 0
        if command.constant is not None:
            argv = list(command.constant)
        else:
            argv = yield from self._expansion.fields(command.words)
        values: dict[str, str] = {}
        for name, word in command.assignments:
            values[name] = yield from self._expansion.text(word)
        if self.scope.trace and argv:
            self.launcher.complain(f"+ {' '.join(argv)}")
        if command.redirects:
            keep = replace or argv[:1] == ["exec"]
            status = yield from self._with_redirects(
                command.redirects, lambda: self._dispatch(argv, values, replace=replace), keep=keep
            )
        else:
            result = self._dispatch(argv, values, replace=replace)
            status = result if isinstance(result, int) else (yield from result)
        if self.process.signalled is not None:
            raise Terminated(self.process.signalled)
        return self._checked(status)

    def _with_redirects(
        self, redirects: tuple[Redirect, ...], act: Callable[[], int | Routine], *, keep: bool = False
    ) -> Routine:
        """Run with redirections, which are undone afterwards unless they are to be kept."""
        redirection = Redirection(self.kernel, self.process)
        try:
            try:
                yield from redirection.install(redirects, self._expansion)
            except OSError as error:
                self.launcher.complain(f"{error.filename}: {error.strerror}")
                return 1
            if keep:
                redirection.keep()
            result = act()
            return result if isinstance(result, int) else (yield from result)
        finally:
            redirection.undo()

    def _dispatch(self, argv: list[str], values: dict[str, str], *, replace: bool) -> int | Routine:
        """Run the command as what its name says: nothing, function, builtin or program."""
        if not argv:
            for name, value in values.items():
                self.scope.assign(name, value)
            return self._substituted
        if argv[0] in self.functions:
            return self._with_values(values, self._call(self.functions[argv[0]], argv[1:]))
        builtin = self._builtins.get(argv[0])
        if builtin is None:
            return self.launcher.run(argv, values, replace=replace)
        result = perform(lambda call: builtin(self, call.argv), Call(self.kernel, self.process, argv))
        return self._with_values(values, result) if values and not isinstance(result, int) else result

    def _with_values(self, values: dict[str, str], routine: Routine) -> Routine:
        """Run with variables that are set for this command only."""
        before = {name: self.scope.values.get(name) for name in values}
        for name, value in values.items():
            self.scope.assign(name, value)
        try:
            return (yield from routine)
        finally:
            self.scope.restore(before)

    def _call(self, body: Command, arguments: list[str]) -> Routine:
        if len(self.locals) >= _MAX_CALLS:
            raise NotSimulatedError(f"calling functions more than {_MAX_CALLS} deep")
        before = self.scope.positional
        self.scope.positional = arguments
        self.locals.append({})
        try:
            return (yield from self._run(body))
        except FunctionExit as leaving:
            return leaving.status
        finally:
            self.scope.positional = before
            self.scope.restore(self.locals.pop())

    def _subshell(
        self, command: Command, replaced: dict[int, Handle] | None = None, *, own: bool = False
    ) -> tuple[Process, Routine]:
        """A forked shell and its life: to run `command`. A lone program needs no shell around it."""
        command = _alone(command)
        if isinstance(command, Simple) and command.lone_program and not self.knows(command.lone_program[0]):
            return self.launcher.replacement(list(command.lone_program), replaced, own=own)
        child = self.launcher.fork(list(self.process.argv), replaced, own=own)
        shell = Shell(self.kernel, child, self.scope.copy(), self._builtins)
        shell.functions = dict(self.functions)
        shell._tested = self._tested
        return child, shell.main(command, replace=True)

    def _substitute(self, body: Sequence) -> Generator[Request, None, str]:
        capture = Capture()
        child, routine = self._subshell(body, {1: capture})
        self.kernel.scheduler.start(child, routine)
        self._substituted = yield from wait_for(child)
        if not capture.complete:
            yield Readable(capture)
        return decode(bytes(capture.data)).replace("\0", "").rstrip("\n")

    def _pipeline(self, command: Pipeline) -> Routine:
        if len(command.commands) == 1:
            self._tested += 1
            try:
                return int(not (yield from self._run(command.commands[0])))
            finally:
                self._tested -= 1
        stages: list[tuple[Process, Routine]] = []
        source: Handle | None = None
        for number, stage in enumerate(command.commands, 1):
            replaced: dict[int, Handle] = {} if source is None else {0: source}
            if number < len(command.commands):
                pipe = Pipe()
                replaced[1], source = pipe.writer, pipe.reader
            try:
                stages.append(self._subshell(stage, replaced))
            except ProcessLimitError:
                for child, _ in stages:
                    self.kernel.scheduler.exit(child, 254)
                raise
        for child, routine in reversed(stages):
            self.kernel.scheduler.queue(child, routine)
        for child, _ in stages:
            status = yield from wait_for(child)
        return int(not status) if command.negated else self._checked(status)

    def _and_or(self, command: AndOr) -> Routine:
        self._tested += 1
        try:
            status = yield from self._run(command.left)
        finally:
            self._tested -= 1
        if (status == 0) == (command.operator == "&&"):
            status = yield from self._run(command.right)
        return status

    def _background(self, command: Background) -> Routine:
        null = self.kernel.files.open("/dev/null", "r", self.process.account)
        child, routine = self._subshell(command.command, {0: null}, own=True)
        if len(self.jobs) >= _REMEMBERED_JOBS:
            self.jobs = {pid: job for pid, job in self.jobs.items() if job.alive}
        self.jobs[child.pid] = child
        self.scope.background = child.pid
        self.kernel.scheduler.start(child, routine)
        delay = self._delay()
        if delay is not None:
            yield delay
        return 0

    def _loop(self, command: Loop) -> Routine:
        status = 0
        self.loops += 1
        try:
            while True:
                delay = self._delay()
                if delay is not None:
                    yield delay
                try:
                    failed = yield from self._condition(command.condition)
                    if failed != command.until:
                        return status
                    status = yield from self.sequence(command.body)
                except LoopExit as leaving:
                    if self._leaves(leaving):
                        return 0
        finally:
            self.loops -= 1

    def _leaves(self, leaving: LoopExit) -> bool:
        """Whether this loop ends; raises on to the loop around when that is meant."""
        if leaving.levels > 1 and self.loops > 1:
            raise LoopExit(leaving.levels - 1, again=leaving.again)
        return not leaving.again

    def _for(self, command: For) -> Routine:
        values = self.scope.positional
        if command.words is not None:
            values = yield from self._expansion.fields(command.words)
        status = 0
        self.loops += 1
        try:
            for value in values:
                delay = self._delay()
                if delay is not None:
                    yield delay
                self.scope.assign(command.name, value)
                try:
                    status = yield from self.sequence(command.body)
                except LoopExit as leaving:
                    if self._leaves(leaving):
                        return 0
        finally:
            self.loops -= 1
        return status

    def _condition(self, condition: Sequence) -> Generator[Request, None, bool]:
        """Whether the condition fails (so that `until` and `while` read alike)."""
        self._tested += 1
        try:
            return (yield from self.sequence(condition)) != 0
        finally:
            self._tested -= 1

    def _if(self, command: If) -> Routine:
        for condition, body in command.branches:
            if not (yield from self._condition(condition)):
                return (yield from self.sequence(body))
        return 0 if command.otherwise is None else (yield from self.sequence(command.otherwise))

    def _case(self, command: Case) -> Routine:
        subject = yield from self._expansion.text(command.subject)
        for choices, body in command.items:
            for choice in choices:
                if patterns.matches((yield from self._expansion.pattern(choice)), subject):
                    return (yield from self.sequence(body))
        return 0

    def _group(self, command: Group) -> Routine:
        if not command.subshell:
            return (yield from self.sequence(command.body))
        child, routine = self._subshell(command.body)
        self.kernel.scheduler.start(child, routine)
        return self._checked((yield from wait_for(child)))

    def _function(self, command: Function) -> Routine:
        delay = self._delay()
        if delay is not None:
            yield delay
        self.functions[command.name] = command.body
        return 0

    def _redirected(self, command: Redirected) -> Routine:
        return self._checked((yield from self._with_redirects(command.redirects, lambda: self._run(command.command))))

    def _checked(self, status: int) -> int:
        """Leave the shell under `set -e` when a command failed that nobody tests."""
        if status and self.scope.exit_on_error and not self._tested:
            raise ShellExit(status)
        return status

    def _glob(self, pattern: str) -> list[str]:
        def names(path: str) -> list[str]:
            node = self.kernel.files.find(Call(self.kernel, self.process, []).path(path))
            return list(node.names()) if isinstance(node, Directory) else []

        return patterns.glob(pattern, self.process.cwd, names)


def _alone(command: Command) -> Command:
    """What there is to run in a process that is there for this command only: `( … )` is a subshell already."""
    if isinstance(command, Sequence) and len(command.commands) == 1:
        command = command.commands[0]
    if isinstance(command, Group):
        return Group(command.body, subshell=False)
    if isinstance(command, Redirected) and isinstance(command.command, Group):
        return Redirected(Group(command.command.body, subshell=False), command.redirects)
    return command


_RUNNERS: Mapping[type[Command], Callable[[Shell, Any], Routine]] = {
    Simple: Shell._simple,
    Pipeline: Shell._pipeline,
    AndOr: Shell._and_or,
    Background: Shell._background,
    Sequence: Shell.sequence,
    Loop: Shell._loop,
    If: Shell._if,
    For: Shell._for,
    Case: Shell._case,
    Group: Shell._group,
    Function: Shell._function,
    Redirected: Shell._redirected,
}
