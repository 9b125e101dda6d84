"""Programs that wait, and programs that run others: sleep, nohup, setsid, sudo, env, timeout."""

import re

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, UsageError, perform
from lab.guests.process import Routine, Sleep
from lab.guests.shell.lookup import find_program
from lab.guests.signals import SIGHUP

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def sleep(call: Call) -> Routine:
    """`sleep NUMBER[smhd]…`, fractions allowed, or `infinity`."""
    if not call.args:
        raise UsageError("missing operand")
    seconds = sum(_seconds(argument) for argument in call.args)
    yield Sleep(call.kernel.time.monotonic() + seconds)
    return 0


def _seconds(text: str) -> float:
    if text in ("infinity", "inf"):
        return 1e9
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smhd]?)", text)
    if match is None:
        raise UsageError(f"invalid time interval '{text}'")
    return float(match[1]) * _UNITS[match[2]]


def become(call: Call, argv: list[str]) -> int | Routine:
    """Replace the program of the process by another, as exec(2)."""
    try:
        program = find_program(call.kernel, call.process, argv, call.process.environment.get("PATH", ""))
    except OSError as error:
        raise UsageError(f"failed to run command '{argv[0]}': {error.strerror}", 126) from error
    if program is None:
        raise UsageError(f"failed to run command '{argv[0]}': No such file or directory", 127)
    call.process.argv = argv
    return perform(program, Call(call.kernel, call.process, argv))


def nohup(call: Call) -> int | Routine:
    """`nohup program…`: the process survives its terminal; output to a terminal goes to nohup.out."""
    if not call.args:
        raise UsageError("missing operand", 125)
    call.process.ignored |= {SIGHUP}
    if call.process.terminal:
        output = call.open("nohup.out", "a")
        call.err("ignoring input and appending output to 'nohup.out'")
        for number, handle in ((1, output), (2, output.retain())):
            before = call.process.handles.pop(number, None)
            if before is not None:
                before.release()
            call.process.handles[number] = handle
    return become(call, call.args)


def setsid(call: Call) -> int | Routine:
    """`setsid [-f] [-w] program…`: in a session of its own, without a terminal."""
    args = call.args
    fork = False
    while args and args[0].startswith("-"):
        if args[0] not in ("-f", "--fork", "-w", "--wait"):
            raise NotSimulatedError(f"option {args[0]}")
        fork = fork or args[0] in ("-f", "--fork")
        args = args[1:]
    if not args:
        raise UsageError("no command specified")
    if not fork and call.process.session != call.process.pid:
        call.process.session = call.process.pid
        call.process.terminal = False
        return become(call, args)
    scheduler = call.kernel.scheduler
    child = scheduler.fork(call.process, args, call.process.account, own=True)
    child.session, child.terminal, child.cwd = child.pid, False, call.process.cwd
    child.environment = call.process.environment
    child.handles = {number: handle.retain() for number, handle in call.process.handles.items()}
    result = become(Call(call.kernel, child, call.argv), args)
    if isinstance(result, int):
        scheduler.exit(child, result)
    else:
        scheduler.queue(child, result)
    return 0


def sudo(call: Call) -> int | Routine:
    """`sudo [-n] [-E] [-S] [-H] [-u user] [NAME=value…] program…`; nobody is asked for a password."""
    args = call.args
    user = "root"
    while args and args[0].startswith("-"):
        option, args = args[0], args[1:]
        if option == "--":
            break
        if option == "-u" and args:
            user, args = args[0], args[1:]
        elif option not in ("-n", "-E", "-S", "-H"):
            raise NotSimulatedError(f"option {option}")
    account = call.kernel.accounts.get(user)
    if account is None:
        raise UsageError(f"unknown user {user}")
    environment = {**call.kernel.environment_of(account), "SUDO_USER": call.process.account.name}
    while args and re.match(r"[A-Za-z_]\w*=", args[0]):
        name, _, value = args.pop(0).partition("=")
        environment[name] = value
    if not args:
        raise UsageError("usage: sudo [-n] [-u user] command")
    call.process.account = account
    call.process.environment = environment
    try:
        return become(call, args)
    except UsageError as error:
        if error.status != 127:
            raise
        raise UsageError(f"{args[0]}: command not found") from error


def env(call: Call) -> int | Routine:
    """`env [-i] [NAME=value…] [program…]`; without a program the environment is printed."""
    args = call.args
    environment = dict(call.process.environment)
    if args[:1] in (["-i"], ["-"]):
        environment, args = {}, args[1:]
    while args and "=" in args[0] and not args[0].startswith("-"):
        name, _, value = args.pop(0).partition("=")
        environment[name] = value
    if args and args[0].startswith("-"):
        raise NotSimulatedError(f"option {args[0]}")
    if args:
        call.process.environment = environment
        return become(call, args)
    call.out("".join(f"{name}={value}\n" for name, value in environment.items()))
    return 0


def printenv(call: Call) -> int:
    """`printenv [name]`."""
    environment = call.process.environment
    if not call.args:
        call.out("".join(f"{name}={value}\n" for name, value in environment.items()))
        return 0
    if call.args[0] not in environment:
        return 1
    call.out(environment[call.args[0]] + "\n")
    return 0
