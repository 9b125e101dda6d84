"""date, and the programs that tell how long the system has run: uptime, who -b."""

import re
from datetime import UTC, datetime
from time import gmtime, strftime

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, UsageError

_DEFAULT = "%a %b %e %H:%M:%S UTC %Y"
_PLAIN = "aAbBdDeFHIjlmMpRSTuUwWyYchxXZ"


def date(call: Call) -> int:
    """`date [-u] [-I[seconds]] [-R] [-d @SECONDS] [+FORMAT]`; the guest's time zone is UTC."""
    template = _DEFAULT
    moment = call.kernel.time.realtime()
    args = list(call.args)
    while args:
        word = args.pop(0)
        if word.startswith("+"):
            template = word[1:]
        elif word in ("-u", "--utc"):
            continue
        elif word in ("-Iseconds", "--iso-8601=seconds"):
            template = "%Y-%m-%dT%H:%M:%S+00:00"
        elif word == "-I":
            template = "%Y-%m-%d"
        elif word == "-R":
            template = "%a, %d %b %Y %H:%M:%S +0000"
        elif word == "-d" and args and re.fullmatch(r"@\d+(\.\d+)?", args[0]):
            moment = float(args.pop(0)[1:])
        elif word.startswith("-"):
            raise NotSimulatedError(f"option {word}{f' {args[0]}' if args else ''}")
        else:
            raise UsageError("cannot set date: Operation not permitted")
    call.out(formatted(template, moment) + "\n")
    return 0


def formatted(template: str, moment: float) -> str:
    """A UNIX time in the format of date(1); %N is always nine digits, %3N three."""
    nanoseconds = round(moment * 1e6) * 1000
    seconds, fraction = divmod(nanoseconds, 10**9)

    def directive(match: re.Match[str]) -> str:
        modifier, digits, letter = match.groups()
        if letter == "N":
            return f"{fraction:09}"[: int(digits or 9)]
        if letter == "s":
            return str(seconds)
        if letter == "z":
            return "+0000"
        if letter in "nt%":
            return {"n": "\n", "t": "\t", "%": "%"}[letter]
        if letter not in _PLAIN or digits or modifier not in ("", "-"):
            raise NotSimulatedError(f"date format {match[0]}")
        text = datetime.fromtimestamp(seconds, UTC).strftime(f"%{letter}")
        return text.lstrip("0 ") or "0" if modifier else text

    return re.sub(r"%([-_0^#]?)([0-9]{0,2})(.)", directive, template)


def uptime(call: Call) -> int:
    """`uptime [-s] [-p]`."""
    up = call.kernel.time.monotonic()
    if call.args == ["-s"]:
        call.out(strftime("%Y-%m-%d %H:%M:%S", gmtime(call.kernel.time.realtime() - up)) + "\n")
        return 0
    minutes = int(up // 60)
    if call.args == ["-p"]:
        call.out(f"up {minutes} minute{'' if minutes == 1 else 's'}\n")
        return 0
    if call.args:
        raise NotSimulatedError(f"option {call.args[0]}")
    clock = strftime("%H:%M:%S", gmtime(call.kernel.time.realtime()))
    age = f"{minutes // 60:2}:{minutes % 60:02}" if minutes >= 60 else f"{minutes} min"
    call.out(f" {clock} up {age},  1 user,  load average: 0.00, 0.00, 0.00\n")
    return 0


def who(call: Call) -> int:
    """`who -b`: the boot time as it was recorded at boot; a pause does not change it."""
    if call.args not in (["-b"], ["--boot"]):
        raise NotSimulatedError("who without -b")
    booted = strftime("%Y-%m-%d %H:%M", gmtime(call.kernel.boot_time))
    call.out(f"         system boot  {booted}\n")
    return 0
