"""The commands that a shell runs itself."""

import errno
from collections.abc import Mapping

from lab.guests.errors import NotSimulatedError
from lab.guests.files import EXECUTE, Directory
from lab.guests.filesystem import failure
from lab.guests.kernel import Call, Program, UsageError, decode
from lab.guests.process import Routine
from lab.guests.programs.output import echo, printf
from lab.guests.programs.signalling import kill
from lab.guests.shell.conditions import test
from lab.guests.shell.interpreter import Builtin, Shell
from lab.guests.shell.launching import wait_for
from lab.guests.shell.lookup import locate
from lab.guests.shell.parser import parse
from lab.guests.shell.scope import FunctionExit, LoopExit, ShellExit
from lab.guests.shell.syntax import Sequence
from lab.guests.shell.variables import export, local, numeric, read, set_options, shift, unset
from lab.guests.shell.words import ShellSyntaxError
from lab.guests.signals import SIGPIPE, signal_number
from lab.guests.streams import read_all


def colon(_shell: Shell, _argv: list[str]) -> int:
    """`:` and `true`."""
    return 0


def false(_shell: Shell, _argv: list[str]) -> int:
    """`false`."""
    return 1


def exit_shell(shell: Shell, argv: list[str]) -> int:
    """`exit [status]`."""
    raise ShellExit(numeric(argv[1]) & 0xFF if len(argv) > 1 else shell.scope.status)


def return_function(shell: Shell, argv: list[str]) -> int:
    """`return [status]`."""
    raise FunctionExit(numeric(argv[1]) & 0xFF if len(argv) > 1 else shell.scope.status)


def leave_loop(shell: Shell, argv: list[str]) -> int:
    """`break [n]` and `continue [n]`; outside a loop nothing happens."""
    if shell.loops:
        raise LoopExit(numeric(argv[1]) if len(argv) > 1 else 1, again=argv[0] == "continue")
    return 0


def change_directory(shell: Shell, argv: list[str]) -> int:
    """`cd [directory]`, `cd -`."""
    target = argv[1] if len(argv) > 1 else shell.scope.read("HOME") or "/"
    if target == "-":
        target = shell.scope.read("OLDPWD") or "/"
    path = Call(shell.kernel, shell.process, argv).path(target)
    try:
        node = shell.kernel.files.lookup(path)
        if not isinstance(node, Directory):
            raise failure(errno.ENOTDIR)
        node.demand(shell.process.account, EXECUTE)
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from error
    shell.scope.assign("OLDPWD", shell.process.cwd)
    shell.process.cwd = path
    shell.scope.assign("PWD", path)
    if argv[1:] == ["-"]:
        print_directory(shell, argv)
    return 0


def evaluate(shell: Shell, argv: list[str]) -> int | Routine:
    """`eval word…`."""
    return shell.sequence(_parsed(" ".join(argv[1:])))


def source(shell: Shell, argv: list[str]) -> Routine:
    """`. file`."""
    if len(argv) < 2:
        raise UsageError("filename argument required", 2)
    try:
        handle = Call(shell.kernel, shell.process, argv).open(argv[1], "r")
    except OSError as error:
        raise UsageError(f"{argv[1]}: {error.strerror}") from error
    text = yield from read_all(handle)
    try:
        return (yield from shell.sequence(_parsed(decode(text))))
    except FunctionExit as leaving:
        return leaving.status


def execute(shell: Shell, argv: list[str]) -> Routine:
    """`exec [program…]`; the redirections are kept by the interpreter."""
    if len(argv) > 1:
        result = shell.launcher.run(argv[1:], {}, replace=True)
        raise ShellExit(result if isinstance(result, int) else (yield from result))
    return 0


def command(shell: Shell, argv: list[str]) -> int | Routine:
    """`command -v name…`, and `command program…` past functions."""
    if argv[1:2] == ["-v"] or argv[0] == "type":
        names = argv[2:] if argv[0] == "command" else argv[1:]
        return max((_describe(shell, name, argv[0]) for name in names), default=0)
    if not argv[1:] or argv[1].startswith("-"):
        raise NotSimulatedError("this form of command")
    builtin = BUILTINS.get(argv[1])
    return builtin(shell, argv[1:]) if builtin else shell.launcher.run(argv[1:], {}, replace=False)


def _describe(shell: Shell, name: str, how: str) -> int:
    call = Call(shell.kernel, shell.process, [how])
    found = name if shell.knows(name) else locate(shell.kernel, shell.process, name, shell.scope.read("PATH") or "")
    if found is None:
        if how == "type":
            call.err(f"{name}: not found")
        return 1
    if how == "command":
        call.out(f"{found}\n")
    else:
        call.out(f"{name} is {'a shell builtin' if shell.knows(name) else found}\n")
    return 0


def wait(shell: Shell, argv: list[str]) -> Routine:
    """`wait [pid…]`: without a pid for all, status 0; else the status of the last."""
    if len(argv) == 1:
        for job in list(shell.jobs.values()):
            yield from wait_for(job)
        shell.jobs.clear()
        return 0
    status = 0
    for argument in argv[1:]:
        child = shell.jobs.get(numeric(argument))
        if child is None:
            Call(shell.kernel, shell.process, argv).err(f"pid {argument} is not a child of this shell")
            status = 127
        else:
            status = yield from wait_for(child)
    return status


def trap(shell: Shell, argv: list[str]) -> int:
    """`trap '' SIGNAL…` ignores, `trap - SIGNAL…` restores; other actions are not simulated."""
    if len(argv) < 3 or argv[1] not in ("", "-"):
        raise NotSimulatedError("a trap that runs a command")
    numbers = frozenset(signal_number(name) for name in argv[2:])
    if SIGPIPE in numbers:
        raise NotSimulatedError("trap on PIPE")
    ignored = shell.process.ignored
    shell.process.ignored = ignored | numbers if argv[1] == "" else ignored - numbers
    return 0


def print_directory(shell: Shell, argv: list[str]) -> int:
    """`pwd`."""
    Call(shell.kernel, shell.process, argv).out(f"{shell.process.cwd}\n")
    return 0


def umask(_shell: Shell, argv: list[str]) -> int:
    """`umask 022` is what is in force anyway."""
    if argv[1:] not in (["022"], ["0022"]):
        raise NotSimulatedError("a umask other than 022")
    return 0


def _parsed(text: str) -> Sequence:
    try:
        return parse(text)
    except ShellSyntaxError as error:
        raise UsageError(str(error), 2) from error


def _shared(program: Program) -> Builtin:
    """A program that the shell runs itself, in its own process."""
    return lambda shell, argv: program(Call(shell.kernel, shell.process, argv))


BUILTINS: Mapping[str, Builtin] = {
    ":": colon,
    "true": colon,
    "false": false,
    ".": source,
    "source": source,
    "break": leave_loop,
    "continue": leave_loop,
    "cd": change_directory,
    "command": command,
    "type": command,
    "eval": evaluate,
    "exec": execute,
    "exit": exit_shell,
    "export": export,
    "readonly": export,
    "local": local,
    "pwd": print_directory,
    "read": read,
    "return": return_function,
    "set": set_options,
    "shift": shift,
    "trap": trap,
    "umask": umask,
    "unset": unset,
    "wait": wait,
    "[": _shared(test),
    "test": _shared(test),
    "echo": _shared(echo),
    "printf": _shared(printf),
    "kill": _shared(kill),
}
