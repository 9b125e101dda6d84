"""POSIX regular expressions in terms of Python's."""

import re

from lab.guests.errors import NotSimulatedError
from lab.guests.kernel import UsageError

_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "space": r"\s", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F", "word": r"\w",
}  # fmt: skip
_SWAPPED = "(){}|+?"


def posix_regex(pattern: str, *, extended: bool, fixed: bool = False, ignore_case: bool = False) -> re.Pattern[str]:
    """Compile a pattern. Raises UsageError(status 2) for a malformed one."""
    source = re.escape(pattern) if fixed else _translated(pattern, extended=extended)
    try:
        return re.compile(source, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError) as error:
        raise UsageError(f"{pattern}: {error}", 2) from error


def _translated(pattern: str, *, extended: bool) -> str:
    out: list[str] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "[":
            bracket, position = _bracket(pattern, position)
            out.append(bracket)
        elif character == "\\" and position < len(pattern):
            following = pattern[position]
            position += 1
            if not extended and following in _SWAPPED:
                out.append(following)
            elif following in "<>":
                out.append(r"\b")
            else:
                out.append("\\" + following)
        elif (not extended and character in _SWAPPED) or (character == "*" and (not out or out[-1] == "^")):
            out.append("\\" + character)
        else:
            out.append(r"\Z" if character == "$" and position == len(pattern) else character)
    return "".join(out)


def _bracket(pattern: str, start: int) -> tuple[str, int]:
    """The bracket expression that begins at `start`, and where it ends."""
    position = start + (pattern[start : start + 1] == "^")
    position += pattern[position : position + 1] == "]"
    out = ["[^" if pattern[start : start + 1] == "^" else "["]
    if pattern[position - 1] == "]" and position > start:
        out.append(r"\]")
    while position < len(pattern) and pattern[position] != "]":
        name = re.compile(r"\[:(\w+):\]").match(pattern, position)
        if name is not None:
            if name[1] not in _CLASSES:
                raise UsageError(f"invalid character class {name[0]}", 2)
            out.append(_CLASSES[name[1]])
            position = name.end()
            continue
        if pattern[position : position + 2] in ("[.", "[="):
            raise NotSimulatedError("a collating element in a regular expression")
        out.append("\\" + pattern[position] if pattern[position] in "\\[" else pattern[position])
        position += 1
    if position >= len(pattern):
        raise UsageError("Unmatched [, [^, [:, [., or [=", 2)
    return "".join(out) + "]", position + 1
