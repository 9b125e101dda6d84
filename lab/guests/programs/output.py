"""echo and printf."""

import re
from collections.abc import Iterator

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import Call, UsageError, decode
from lab.guests.numerals import whole

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"', "'": "'"}
_CONVERSION = re.compile(r"%([-+ 0#]*)([0-9]+|\*)?(?:\.([0-9]+))?([a-zA-Z%])")
_MAX_WIDTH = 4096
_MAX_DIGITS = 22


def echo(call: Call) -> int:
    """`echo [-n] [-e] word…`; without -e backslashes stay, as in Bash."""
    words = call.args
    newline, escapes = True, False
    while words and words[0].startswith("-") and re.fullmatch(r"-[neE]+", words[0]):
        newline = newline and "n" not in words[0]
        escapes = "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    if escapes:
        text, stop = unescaped(text)
        newline = newline and not stop
    call.out(text + ("\n" if newline else ""))
    return 0


def unescaped(text: str) -> tuple[str, bool]:
    """Backslash escapes resolved; the second is True when `\\c` ended the text."""
    head, stop, _ = text.partition("\\c")

    def resolve(match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] == "x":
            return decode(bytes([int(escape[1:], 16)]))
        if escape[0].isdigit():
            return decode(bytes([int(escape, 8) & 0xFF]))
        return _ESCAPES.get(escape, match[0])

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|0?[0-7]{1,3}|.)", resolve, head, flags=re.DOTALL), bool(stop)


def printf(call: Call) -> int:
    """`printf format argument…`; the format is used again while arguments are left."""
    if not call.args:
        raise UsageError("usage: printf format [arguments]", 2)
    template, stop = unescaped(call.args[0])
    arguments = call.args[1:]
    status = 0
    while True:
        taken = iter(arguments)
        before = len(arguments)
        text, failed = _formatted(call, template, taken)
        call.out(text)
        status = max(status, failed)
        arguments = list(taken)
        if stop or not arguments or len(arguments) == before:
            return status


def _formatted(call: Call, template: str, arguments: Iterator[str]) -> tuple[str, int]:
    """One pass over the format; the second is 1 when an argument was not a number."""
    out: list[str] = []
    position = failed = 0
    for match in _CONVERSION.finditer(template):
        out.append(template[position : match.start()])
        position = match.end()
        flags, width, precision, kind = match.groups()
        if kind == "%":
            out.append("%")
            continue
        if width == "*":
            width = next(arguments, "0")
        sizes = whole(width or "0"), whole(precision or "0")
        if any(size is None or abs(size) > _MAX_WIDTH for size in sizes):
            raise NotSimulatedError(f"a field wider than {_MAX_WIDTH}")
        text, wrong = _converted(call, kind, next(arguments, None), flags, width or "", precision)
        failed |= wrong
        out.append(text)
    out.append(template[position:])
    if re.search(r"%(?!%)", _CONVERSION.sub("", template)):
        raise NotSimulatedError(f"the format {template!r}")
    return "".join(out), failed


def _converted(
    call: Call, kind: str, argument: str | None, flags: str, width: str, precision: str | None
) -> tuple[str, int]:
    point = "" if precision is None else f".{precision}"
    if kind in "sb":
        text = argument or ""
        return f"%{flags.replace('0', '')}{width}{point}s" % (unescaped(text)[0] if kind == "b" else text), 0
    if kind == "c":
        return f"%{flags}{width}s" % (argument or "")[:1], 0
    if kind in "diuxXo":
        number, wrong = _integer(call, argument)
        return f"%{flags}{width}{point}{'d' if kind in 'iu' else kind}" % number, wrong
    if kind in "feEgG":
        try:
            return f"%{flags}{width}{point}{kind}" % float(argument or 0), 0
        except ValueError:
            call.err(f"{argument}: invalid number")
            return f"%{flags}{width}{point}{kind}" % 0.0, 1
    raise NotSimulatedError(f"the conversion %{kind}")


def _integer(call: Call, argument: str | None) -> tuple[int, int]:
    """The number of an argument (decimal, 0x… or 0…; `'c` is a character's code)."""
    text = (argument or "0").strip() or "0"
    if text[0] in "'\"":
        return ord(text[1:2] or "\0"), 0
    match = re.fullmatch(r"([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)(.*)", text, re.DOTALL)
    if match is None or len(match[2]) > _MAX_DIGITS:
        call.err(f"{text}: invalid number")
        return 0, 1
    digits = match[2]
    base = 16 if digits[:2].lower() == "0x" else 8 if digits[0] == "0" else 10
    number = int(digits, base) * (-1 if match[1] == "-" else 1)
    if match[3]:
        call.err(f"{text}: invalid number")
    return number, int(bool(match[3]))
