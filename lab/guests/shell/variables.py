"""The builtins that work on variables: export, readonly, local, unset, shift, set, read."""

import re

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import UsageError, decode
from lab.guests.numerals import whole
from lab.guests.process import Routine
from lab.guests.shell.interpreter import Shell
from lab.guests.shell.scope import Scope
from lab.guests.shell.words import NAME
from lab.guests.streams import read_line

_OPTIONS = {"e": "exit_on_error", "u": "unset_is_error", "f": "no_glob", "x": "trace"}


def numeric(text: str) -> int:
    """A count given to a builtin."""
    number = whole(text)
    if number is None or number < 0:
        raise UsageError(f"{text}: numeric argument required", 2)
    return number


def _demand_name(name: str) -> None:
    if NAME.fullmatch(name) is None:
        raise UsageError(f"`{name}': not a valid identifier")


def export(shell: Shell, argv: list[str]) -> int:
    """`export name[=value]…` and `readonly …`."""
    marked = shell.scope.exported if argv[0] == "export" else shell.scope.readonly
    for argument in argv[1:]:
        if argument.startswith("-"):
            raise NotSimulatedError(f"option {argument}")
        name, equals, value = argument.partition("=")
        _demand_name(name)
        if equals:
            shell.scope.assign(name, value)
        marked.add(name)
    return 0


def local(shell: Shell, argv: list[str]) -> int:
    """`local name[=value]…`."""
    if not shell.locals:
        raise UsageError("can only be used in a function")
    for argument in argv[1:]:
        name, equals, value = argument.partition("=")
        _demand_name(name)
        shell.locals[-1].setdefault(name, shell.scope.values.get(name))
        if equals:
            shell.scope.assign(name, value)
        else:
            shell.scope.values.pop(name, None)
    return 0


def unset(shell: Shell, argv: list[str]) -> int:
    """`unset [-v|-f] name…`."""
    names = argv[2:] if argv[1:2] in (["-v"], ["-f"]) else argv[1:]
    for name in names:
        if argv[1] == "-f" or (name in shell.functions and name not in shell.scope.values):
            shell.functions.pop(name, None)
        else:
            shell.scope.unset(name)
    return 0


def shift(shell: Shell, argv: list[str]) -> int:
    """`shift [n]`."""
    count = numeric(argv[1]) if len(argv) > 1 else 1
    if count > len(shell.scope.positional):
        return 1
    del shell.scope.positional[:count]
    return 0


def set_options(shell: Shell, argv: list[str]) -> int:
    """`set [-efux] [+efux] [--] [argument…]`."""
    rest = argv[1:]
    if not rest:
        raise NotSimulatedError("listing variables with set")
    if rest[0] == "-":
        shell.scope.trace = False
        rest.pop(0)
    while rest and rest[0][:1] in ("-", "+") and len(rest[0]) > 1:
        word = rest.pop(0)
        if word == "--":
            shell.scope.positional = rest
            return 0
        set_flags(shell.scope, word)
    if rest:
        shell.scope.positional = rest
    return 0


def set_flags(scope: Scope, word: str) -> None:
    """Apply `-eu` or `+x`. Raises NotSimulatedError for other options."""
    for letter in word[1:]:
        if letter not in _OPTIONS:
            raise NotSimulatedError(f"option {word}")
        setattr(scope, _OPTIONS[letter], word[0] == "-")


def read(shell: Shell, argv: list[str]) -> Routine:
    """`read [-r] name…`: status 1 at the end of the input."""
    names = argv[1:]
    raw = names[:1] == ["-r"]
    names = names[1:] if raw else names
    if names and names[0].startswith("-"):
        raise NotSimulatedError(f"option {names[0]}")
    handle = shell.process.handles.get(0)
    if handle is None:
        return 1
    line = decode((yield from read_line(handle)))
    complete = line.endswith("\n")
    while not raw and re.search(r"(?<!\\)(?:\\\\)*\\\n$", line):
        line = line[:-2] + decode((yield from read_line(handle)))
        complete = line.endswith("\n")
    text = line.removesuffix("\n")
    if not raw:
        text = re.sub(r"\\(.)", r"\1", text)
    _assign_fields(shell.scope, names or ["REPLY"], text)
    return 0 if complete else 1


def _assign_fields(scope: Scope, names: list[str], text: str) -> None:
    """One field a name; the last name takes the rest of the line."""
    separators = scope.separators
    blanks = "".join(character for character in separators if character in " \t\n")
    blank = f"[{re.escape(blanks)}]*" if blanks else ""
    splitter = re.compile(f"{blank}[{re.escape(separators)}]{blank}") if separators else None
    rest = text.strip(blanks)
    for index, name in enumerate(names):
        _demand_name(name)
        parts = splitter.split(rest, maxsplit=1) if splitter and index < len(names) - 1 else [rest]
        scope.assign(name, parts[0])
        rest = parts[1] if len(parts) > 1 else ""
