"""Shell patterns: `*`, `?`, `[…]`, and a backslash before what is to be taken literally."""

import re
from collections.abc import Callable
from functools import lru_cache

from lab.guests.errors import NotSimulatedError

_MAX_TRIMMED = 4096
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "space": r"\s", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F",
}  # fmt: skip


SPECIAL = re.compile(r"[*?\[]")
"""Finds a character that may be special in unquoted text."""


def escape(text: str) -> str:
    """A pattern that matches exactly this text."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", text)


def has_magic(pattern: str) -> bool:
    """Whether the pattern has an active special character."""
    return re.search(r"(?<!\\)(?:\\\\)*[*?\[]", pattern) is not None


def unescape(pattern: str) -> str:
    """The text of a pattern without active special characters."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression for the whole pattern; an impossible range in brackets matches nothing."""
    try:
        return re.compile(_translate(pattern), re.DOTALL)
    except re.error:
        return re.compile("(?!)")


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches all of the text."""
    return compiled(pattern).fullmatch(text) is not None


def remove_prefix(text: str, pattern: str, *, longest: bool) -> str:
    """`${text#pattern}` and `${text##pattern}`."""
    _demand_short(text)
    lengths = range(len(text), -1, -1) if longest else range(len(text) + 1)
    expression = compiled(pattern)
    return next((text[n:] for n in lengths if expression.fullmatch(text, 0, n)), text)


def remove_suffix(text: str, pattern: str, *, longest: bool) -> str:
    """`${text%pattern}` and `${text%%pattern}`."""
    _demand_short(text)
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    expression = compiled(pattern)
    return next((text[:n] for n in starts if expression.fullmatch(text, n)), text)


def _demand_short(text: str) -> None:
    """Trying every length is quadratic."""
    if len(text) > _MAX_TRIMMED:
        raise NotSimulatedError(f"removing a pattern from more than {_MAX_TRIMMED} characters")


def glob(pattern: str, base: str, names: Callable[[str], list[str]]) -> list[str]:
    """The paths a pattern names, sorted; `names` lists a directory ([] where there is none), `base` the current one."""
    absolute = pattern.startswith("/")
    found = ["/"] if absolute else [""]
    for part in filter(None, pattern.split("/")):
        following: list[str] = []
        for prefix in found:
            place = prefix if absolute else f"{base}/{prefix}"
            following += [prefix + name + "/" for name in _entries(part, names(place))]
        found = following
    return sorted(path.rstrip("/") or "/" for path in found)


def _entries(part: str, names: list[str]) -> list[str]:
    if not has_magic(part):
        plain = unescape(part)
        return [plain] if plain in names or plain in (".", "..") else []
    hidden = part.startswith(".")
    return [name for name in names if (hidden or not name.startswith(".")) and matches(part, name)]


def _translate(pattern: str) -> str:
    out: list[str] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "*":
            out.append(".*")
        elif character == "?":
            out.append(".")
        elif character == "\\" and position < len(pattern):
            out.append(re.escape(pattern[position]))
            position += 1
        elif character == "[" and (end := _bracket_end(pattern, position)) is not None:
            out.append(_bracket(pattern[position:end]))
            position = end + 1
        else:
            out.append(re.escape(character))
    return "".join(out)


def _bracket_end(pattern: str, start: int) -> int | None:
    """Where the `]` of a bracket expression is, if there is one."""
    position = start + (pattern[start : start + 1] in ("!", "^"))
    position += pattern[position : position + 1] == "]"
    while position < len(pattern) and pattern[position] != "]":
        if pattern.startswith("[:", position) and (close := pattern.find(":]", position)) > 0:
            position = close + 2
        else:
            position += 2 if pattern[position] == "\\" else 1
    return position if position < len(pattern) else None


def _bracket(inside: str) -> str:
    negated = inside[0] in "!^"
    body = inside[1:] if negated else inside
    body = re.sub(r"\[:(\w+):\]", lambda match: "\0" + match[1] + "\0", body)
    pieces = body.split("\0")
    literal = [re.sub(r"\\(.)", r"\1", piece) for piece in pieces[::2]]
    literal = [re.sub(r"([\\\]\[^])", r"\\\1", piece) for piece in literal]
    classes = [_CLASSES.get(name, "") for name in pieces[1::2]]
    return f"[{'^' if negated else ''}{''.join(literal)}{''.join(classes)}]"
