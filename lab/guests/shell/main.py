"""The program `sh`: a command line, a script file, or commands from standard input."""

from lab.guests.kernel import Call, UsageError, decode, encode
from lab.guests.process import Routine
from lab.guests.shell.builtins import BUILTINS
from lab.guests.shell.interpreter import Shell
from lab.guests.shell.parser import parse
from lab.guests.shell.scope import Scope, ShellExit
from lab.guests.shell.variables import set_flags
from lab.guests.shell.words import IncompleteError, ShellSyntaxError
from lab.guests.streams import Handle, read_all, read_line


def sh(call: Call) -> Routine:
    """`sh [-efux] [-c text [name]] [-s] [file] [argument…]`."""
    scope = _scope(call)
    args = call.args
    text: str | None = None
    while args and args[0].startswith("-") and args[0] != "-":
        word, args = args[0], args[1:]
        if word == "--":
            break
        if word in ("-c", "-ec", "-uc", "-euc", "-lc"):
            if not args:
                raise UsageError(f"{word}: option requires an argument", 2)
            text, args = args[0], args[1:]
            set_flags(scope, word.replace("c", "").replace("l", ""))
            break
        if word == "-s":
            break
        set_flags(scope, word)
    else:
        if args[:1] == ["-"]:
            args = args[1:]
        elif args:
            return (yield from _file(call, scope, args))
    if text is not None and args:
        scope.name, args = args[0], args[1:]
    scope.positional = args
    shell = Shell(call.kernel, call.process, scope, BUILTINS)
    if text is not None:
        return (yield from _text(shell, text, replace=True))
    return (yield from _input(shell, interactive=call.process.terminal))


def _scope(call: Call) -> Scope:
    """The variables of a new shell: what it inherits, and what every shell sets."""
    process = call.process
    values = dict(process.environment)
    exported = set(values)
    values |= {"IFS": " \t\n", "PWD": process.cwd, "PPID": str(process.parent.pid if process.parent else 0)}
    exported.add("PWD")
    values.setdefault("PATH", "/usr/local/bin:/usr/bin")
    return Scope(call.name.removeprefix("-"), process.pid, [], values, exported)


def _file(call: Call, scope: Scope, args: list[str]) -> Routine:
    try:
        handle = call.open(args[0], "r")
    except OSError as error:
        raise UsageError(f"{args[0]}: {error.strerror}", 127) from error
    text = decode((yield from read_all(handle)))
    scope.name, scope.positional = args[0], args[1:]
    return (yield from _text(Shell(call.kernel, call.process, scope, BUILTINS), text, replace=False))


def _text(shell: Shell, text: str, *, replace: bool) -> Routine:
    try:
        script = parse(text)
    except ShellSyntaxError as error:
        shell.launcher.complain(str(error))
        return 2
    return (yield from shell.main(script, replace=replace))


def _input(shell: Shell, *, interactive: bool) -> Routine:
    """Run standard input command by command: what a command reads is not taken for commands."""
    handle = shell.process.handles.get(0)
    pending = ""
    while handle is not None:
        if interactive:
            _prompt(shell, "> " if pending else f"{'#' if shell.process.account.is_root else '$'} ")
        line = decode((yield from read_line(handle)))
        ended = not line.endswith("\n")
        pending += line
        try:
            script = parse(pending)
        except IncompleteError as error:
            if not ended:
                continue
            shell.launcher.complain(str(error))
            return 2
        except ShellSyntaxError as error:
            shell.launcher.complain(str(error))
            if not interactive:
                return 2
            script = parse("")
        pending = ""
        try:
            shell.scope.status = yield from shell.guarded(shell.sequence(script))
        except ShellExit as leaving:
            if not (interactive and leaving.fault):
                return leaving.status
            shell.scope.status = leaving.status
        if ended:
            break
    return shell.scope.status


def _prompt(shell: Shell, text: str) -> None:
    handle: Handle | None = shell.process.handles.get(2)
    if handle is not None:
        handle.write(encode(text))
