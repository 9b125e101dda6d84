"""kill, pkill, pgrep, pidof: finding processes and sending them signals."""

import os
import re
from collections.abc import Callable

from lab.guests.kernel import Call, UsageError
from lab.guests.numerals import whole
from lab.guests.process import Process
from lab.guests.programs.options import parse_options
from lab.guests.programs.regex import posix_regex
from lab.guests.signals import SIGTERM, signal_names, signal_number


def kill(call: Call) -> int:
    """`kill [-SIGNAL | -s SIGNAL] pid…`; a negative pid is the process group (here: the session) of that number."""
    args = call.args
    number = SIGTERM
    if args[:1] == ["-l"]:
        call.out(f"{signal_names()}\n")
        return 0
    if args[:1] in (["-s"], ["-n"]) and len(args) > 1:
        number, args = _signal(args[1]), args[2:]
    elif args and args[0] != "--" and args[0].startswith("-") and len(args[0]) > 1:
        number, args = _signal(args[0][1:]), args[1:]
    if args[:1] == ["--"]:
        args = args[1:]
    if not args:
        raise UsageError("usage: kill [-s sigspec | -n signum | -sigspec] pid", 2)
    return max(_send(call, argument, number) for argument in args)


def _signal(text: str) -> int:
    try:
        return signal_number(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _send(call: Call, argument: str, number: int) -> int:
    pid = whole(argument)
    if pid is None:
        call.err(f"{argument}: arguments must be process or job IDs")
        return 1
    table = call.kernel.scheduler.table
    if pid < 0:
        targets = [process for process in table.values() if process.session == -pid]
    else:
        targets = [table[pid]] if pid in table else []
    if not targets:
        call.err(f"({argument}) - No such process")
        return 1
    for target in targets:
        if not permitted(call, target):
            call.err(f"({argument}) - {os.strerror(1)}")
            return 1
        if not (target.pid == 1 or target.is_kernel_thread):
            call.kernel.scheduler.signal(target, number)
    return 0


def permitted(call: Call, target: Process) -> bool:
    """Whether the caller may signal the target."""
    account = call.process.account
    return account.is_root or account.uid == target.account.uid


def pgrep(call: Call) -> int:
    """`pgrep [-x] [-f] [-l] [-a] [-c] [-n] [-o] [-u user] [-P pid] pattern`."""
    options = parse_options(call, "xflacno", "uP")
    found = _selected(call, options.flags, options.values, options.operands)
    if "c" in options:
        call.out(f"{len(found)}\n")
    else:
        for process in found:
            suffix = f" {' '.join(process.argv)}" if "a" in options else f" {process.name}" if "l" in options else ""
            call.out(f"{process.pid}{suffix}\n")
    return 0 if found else 1


def pkill(call: Call) -> int:
    """`pkill [-SIGNAL] [-x] [-f] [-n] [-o] [-u user] [-P pid] pattern`."""
    args = call.args
    number = SIGTERM
    if args and re.fullmatch(r"-(\d+|[A-Z][A-Z0-9]+)", args[0]):
        number, args = _signal(args[0][1:]), args[1:]
    options = parse_options(Call(call.kernel, call.process, [call.name, *args]), "xfno", "uP")
    found = _selected(call, options.flags, options.values, options.operands)
    signalled = [target for target in found if permitted(call, target)]
    for target in signalled:
        call.kernel.scheduler.signal(target, number)
    return 0 if signalled else 1


def _selected(call: Call, flags: frozenset[str], values: dict[str, str], operands: list[str]) -> list[Process]:
    if len(operands) > 1 or not (operands or values):
        raise UsageError("no matching criteria specified", 2)
    matches = _matcher(operands[0] if operands else "", exact="x" in flags)
    found = []
    for process in call.kernel.scheduler:
        text = " ".join(process.argv) if "f" in flags and not process.is_kernel_thread else process.name
        wanted = process is not call.process and matches(text)
        if "u" in values:
            wanted = wanted and values["u"] in (process.account.name, str(process.account.uid))
        if "P" in values:
            wanted = wanted and process.parent is not None and str(process.parent.pid) == values["P"]
        if wanted:
            found.append(process)
    by_age = sorted(found, key=lambda process: (process.started, process.pid))
    if "n" in flags:
        return by_age[-1:]
    return by_age[:1] if "o" in flags else found


def _matcher(pattern: str, *, exact: bool) -> Callable[[str], bool]:
    expression = posix_regex(pattern, extended=True)
    return lambda text: (expression.fullmatch(text) if exact else expression.search(text)) is not None


def pidof(call: Call) -> int:
    """`pidof name…`: newest first, on one line."""
    options = parse_options(call, "s")
    names = {name.rsplit("/", 1)[-1] for name in options.operands}
    pids = [str(process.pid) for process in call.kernel.scheduler if _program_name(process) in names]
    if "s" in options:
        pids = pids[-1:]
    if pids:
        call.out(" ".join(reversed(pids)) + "\n")
    return 0 if pids else 1


def _program_name(process: Process) -> str:
    return process.argv[0].rsplit("/", 1)[-1]
