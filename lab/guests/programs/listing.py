"""ps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import gmtime, strftime

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, Kernel, UsageError
from lab.guests.process import Process
from lab.guests.procfs import parent_pid


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    value: Callable[[Kernel, Process], str]
    width: int = 1
    right: bool = False


def _started(kernel: Kernel, process: Process) -> float:
    """The start on the wall clock as procps computes it: the present minus the process's age."""
    return kernel.time.realtime() - (kernel.time.monotonic() - process.started)


def _age(kernel: Kernel, process: Process) -> int:
    return int(kernel.time.monotonic() - process.started)


def _elapsed(kernel: Kernel, process: Process) -> str:
    minutes, seconds = divmod(_age(kernel, process), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    head = f"{days}-{hours:02}:" if days else f"{hours:02}:" if hours else ""
    return f"{head}{minutes:02}:{seconds:02}"


def _arguments(_kernel: Kernel, process: Process) -> str:
    return " ".join(process.argv)


def _when(template: str) -> Callable[[Kernel, Process], str]:
    return lambda kernel, process: strftime(template, gmtime(_started(kernel, process)))


_COLUMNS: Mapping[str, _Column] = {
    "pid": _Column("PID", lambda _, p: str(p.pid), 7, right=True),
    "ppid": _Column("PPID", lambda _, p: str(parent_pid(p)), 7, right=True),
    "pgid": _Column("PGID", lambda _, p: str(p.session), 7, right=True),
    "sid": _Column("SID", lambda _, p: str(p.session), 7, right=True),
    "user": _Column("USER", lambda _, p: p.account.name, 8),
    "uid": _Column("UID", lambda _, p: str(p.account.uid), 5, right=True),
    "comm": _Column("COMMAND", lambda _, p: p.name),
    "cmd": _Column("CMD", _arguments),
    "args": _Column("COMMAND", _arguments),
    "command": _Column("COMMAND", _arguments),
    "stat": _Column("STAT", lambda _, p: p.state + ("s" if p.session == p.pid else ""), 4),
    "state": _Column("S", lambda _, p: p.state),
    "s": _Column("S", lambda _, p: p.state),
    "tty": _Column("TT", lambda _, p: "pts/0" if p.terminal else "?", 8),
    "time": _Column("TIME", lambda _, __: "00:00:00", 8, right=True),
    "etime": _Column("ELAPSED", _elapsed, 11, right=True),
    "etimes": _Column("ELAPSED", lambda k, p: str(_age(k, p)), 7, right=True),
    "lstart": _Column("STARTED", _when("%a %b %e %H:%M:%S %Y"), 24, right=True),
    "start": _Column("STARTED", _when("%H:%M:%S"), 8, right=True),
    "%cpu": _Column("%CPU", lambda _, __: "0.0", 4, right=True),
    "%mem": _Column("%MEM", lambda _, __: "0.0", 4, right=True),
    "vsz": _Column("VSZ", lambda _, p: "0" if p.is_kernel_thread else "7324", 6, right=True),
    "rss": _Column("RSS", lambda _, p: "0" if p.is_kernel_thread else "3600", 5, right=True),
}
_ALIASES = {"pcpu": "%cpu", "pmem": "%mem", "ucmd": "comm", "euser": "user", "tt": "tty", "pgrp": "pgid"}
_DEFAULT = ("pid", "tty", "time", "comm")
_FULL = ("user", "pid", "ppid", "start", "tty", "time", "cmd")
_BSD = ("pid", "tty", "stat", "time", "args")
_BSD_USER = ("user", "pid", "%cpu", "%mem", "vsz", "rss", "tty", "stat", "start", "time", "args")
_EVERYTHING: Mapping[str, tuple[str, ...]] = {
    "-e": _DEFAULT, "-A": _DEFAULT, "-ef": _FULL, "-eaf": _FULL, "ax": _BSD, "-ax": _BSD,
    "aux": _BSD_USER, "axu": _BSD_USER, "-aux": _BSD_USER, "auxw": _BSD_USER, "auxww": _BSD_USER,
}  # fmt: skip
_SELECTORS = ("--ppid", "--pid", "-p", "-C", "-u", "-U")


@dataclass(slots=True)
class _Wish:
    """What a command line asks for: a process is listed when any selector takes it."""

    shape: tuple[str, ...] = _DEFAULT
    columns: list[tuple[str, str]] = field(default_factory=list)
    selectors: list[Callable[[Process], bool]] = field(default_factory=list)
    headers: bool = True


def ps(call: Call) -> int:
    """`ps [-e | -A] [-f] [-p pids] [-C name] [-u user] [--ppid pids] [-o columns]`, `ps aux`, `ps ax`."""
    wish = _wish(list(call.args))
    if not wish.selectors:
        wish.selectors.append(lambda process: process.session == call.process.session)
    columns = wish.columns or [(name, _COLUMNS[name].title) for name in wish.shape]
    rows = [process for process in call.kernel.scheduler if any(select(process) for select in wish.selectors)]
    titles = [title for _, title in columns]
    table = [titles] if wish.headers and any(titles) else []
    table += [[_COLUMNS[name].value(call.kernel, process) for name, _ in columns] for process in rows]
    call.out(_aligned(table, [_COLUMNS[name] for name, _ in columns]))
    return 0 if rows else 1


def _wish(args: list[str]) -> _Wish:
    wish = _Wish()
    while args:
        word = args.pop(0)
        selector = next((option for option in _SELECTORS if word.startswith(option)), None)
        if word in _EVERYTHING:
            wish.selectors.append(lambda _process: True)
            wish.shape = max(wish.shape, _EVERYTHING[word], key=len)
        elif word == "-f":
            wish.shape = _FULL
        elif word in ("--no-headers", "h"):
            wish.headers = False
        elif word == "-eo":
            wish.selectors.append(lambda _process: True)
            wish.columns += _columns(_value(args, word))
        elif word in ("o", "--format") or word.startswith("-o"):
            wish.columns += _columns(word[2:] if word.startswith("-o") and word != "-o" else _value(args, word))
        elif selector is not None:
            attached = word[len(selector) :].removeprefix("=")
            wish.selectors.append(_selector(selector, attached or _value(args, word)))
        elif word.replace(",", "").isdigit():
            wish.selectors.append(_selector("-p", word))
        elif word not in ("-w", "-ww", "ww"):
            raise NotSimulatedError(f"option {word}")
    return wish


def _value(args: list[str], option: str) -> str:
    if not args:
        raise UsageError(f"error: option {option} requires an argument")
    return args.pop(0)


def _columns(text: str) -> list[tuple[str, str]]:
    """`pid,lstart=,cmd=NAME`: what follows `=` is the column's header, which may be empty."""
    found: list[tuple[str, str]] = []
    for item in text.replace(" ", ",").split(","):
        name, equals, title = item.partition("=")
        column = _ALIASES.get(name, name)
        if column not in _COLUMNS:
            raise UsageError(f'error: unknown user-defined format specifier "{name}"')
        found.append((column, title if equals else _COLUMNS[column].title))
    return found


def _selector(option: str, value: str) -> Callable[[Process], bool]:
    wanted = set(value.replace(" ", ",").split(","))
    if option in ("-p", "--pid", "--ppid") and not all(pid.isdigit() for pid in wanted):
        raise UsageError("error: process ID list syntax error")
    match option:
        case "-p" | "--pid":
            return lambda process: str(process.pid) in wanted
        case "--ppid":
            return lambda process: str(parent_pid(process)) in wanted
        case "-C":
            return lambda process: process.name in {name[:15] for name in wanted}
    return lambda process: process.account.name in wanted or str(process.account.uid) in wanted


def _aligned(table: list[list[str]], columns: list[_Column]) -> str:
    widths = [max([column.width, *(len(row[index]) for row in table)]) for index, column in enumerate(columns)]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append(" ".join(cells).rstrip() + "\n")
    return "".join(lines)
