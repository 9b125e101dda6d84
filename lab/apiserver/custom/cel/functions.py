"""The functions and methods expressions may call; anything else is refused when a rule is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from lab.apiserver.custom.cel.errors import EvaluationError, no_such_overload
from lab.apiserver.custom.cel.values import TypeValue, equal, type_name

T = TypeVar("T")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"[-+]?(?:0|(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+")
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


def parse_duration(text: str) -> timedelta:
    """Go's duration syntax, such as `1h30m`; raises ValueError."""
    if not _DURATION.fullmatch(text):
        raise ValueError(f"invalid duration {text!r}")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return timedelta(seconds=-seconds if text.startswith("-") else seconds)


def parse_moment(text: str) -> datetime:
    """An RFC 3339 timestamp; raises ValueError."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00").replace("z", "+00:00"))
    if moment.tzinfo is None or "T" not in text.upper():
        raise ValueError(f"invalid timestamp {text!r}")
    return moment.astimezone(UTC)


def size(value: Any) -> int:
    """Characters of a string, elements of a list, keys of a map."""
    if isinstance(value, (str, bytes, list, dict)):
        return len(value)
    raise no_such_overload(f"size({type_name(value)})")


def _int(value: Any) -> int:
    try:
        if isinstance(value, datetime):
            return int(value.timestamp())
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return int(value)
    except (ValueError, OverflowError) as error:
        raise EvaluationError(f"type conversion error from '{value}' to 'int'") from error
    raise no_such_overload(f"int({type_name(value)})")


def _double(value: Any) -> float:
    try:
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return float(value)
    except ValueError as error:
        raise EvaluationError(f"type conversion error from '{value}' to 'double'") from error
    raise no_such_overload(f"double({type_name(value)})")


def _string(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
    if isinstance(value, (int, str)):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return f"{_string(value.total_seconds())}s"
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    raise no_such_overload(f"string({type_name(value)})")


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "True", "TRUE", "t", "1", "false", "False", "FALSE", "f", "0"):
        return str(value)[0] in "tT1"
    raise EvaluationError(f"type conversion error from '{value}' to 'bool'")


def _duration(value: Any) -> timedelta:
    if isinstance(value, timedelta):
        return value
    return _converted(value, parse_duration, "duration")


def _timestamp(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    return _converted(value, parse_moment, "timestamp")


def _converted(value: Any, parse: Callable[[str], T], name: str) -> T:
    try:
        return parse(_text(value, name))
    except ValueError as error:
        raise EvaluationError(f"type conversion error from '{value}' to '{name}'") from error


def _text(value: Any, function: str) -> str:
    if not isinstance(value, str):
        raise no_such_overload(f"{type_name(value)}.{function}()")
    return value


def _on_text(function: str, apply: Callable[..., Any]) -> Callable[..., Any]:
    """A method of strings whose string arguments must be strings."""

    def call(target: Any, *args: Any) -> Any:
        _text(target, function)
        try:
            return apply(target, *args)
        except (TypeError, AttributeError) as error:
            raise no_such_overload(f"string.{function}({', '.join(map(type_name, args))})") from error

    return call


@lru_cache(maxsize=512)
def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise EvaluationError(f"error parsing regexp: {error}") from error


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if not separator:
        return list(text) if limit < 0 else [*text[: limit - 1], text[limit - 1 :]]
    return text.split(separator, -1 if limit < 0 else limit - 1)


def _substring(text: str, start: int, end: int | None = None) -> str:
    stop = len(text) if end is None else end
    if not 0 <= start <= stop <= len(text):
        raise EvaluationError(f"index out of range: {start if end is None else end}")
    return text[start:stop]


def _character(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise EvaluationError(f"index out of range: {index}")
    return text[index : index + 1]


def _join(values: Any, separator: str = "") -> str:
    if not isinstance(values, list):
        raise no_such_overload(f"{type_name(values)}.join()")
    return separator.join(_text(value, "join") for value in values)


def _index_of(target: Any, part: Any) -> int:
    if isinstance(target, list):
        return next((index for index, value in enumerate(target) if equal(value, part)), -1)
    return _text(target, "indexOf").find(_text(part, "indexOf"))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "bool": _bool,
    "double": _double,
    "duration": _duration,
    "dyn": lambda value: value,
    "int": _int,
    "matches": lambda text, pattern: METHODS["matches"](text, pattern),
    "size": size,
    "string": _string,
    "timestamp": _timestamp,
    "type": lambda value: TypeValue(type_name(value)),
}
METHODS: Mapping[str, Callable[..., Any]] = {
    "charAt": _on_text("charAt", _character),
    "contains": _on_text("contains", lambda text, part: part in text),
    "endsWith": _on_text("endsWith", lambda text, end: text.endswith(_text(end, "endsWith"))),
    "indexOf": _index_of,
    "join": _join,
    "lowerAscii": _on_text("lowerAscii", lambda text: "".join(c.lower() if c.isascii() else c for c in text)),
    "matches": _on_text("matches", lambda text, pattern: _pattern(pattern).search(text) is not None),
    "replace": _on_text("replace", lambda text, old, new, limit=-1: text.replace(old, new, limit)),
    "size": size,
    "split": _on_text("split", _split),
    "startsWith": _on_text("startsWith", lambda text, start: text.startswith(_text(start, "startsWith"))),
    "substring": _on_text("substring", _substring),
    "trim": _on_text("trim", lambda text: text.strip()),
    "upperAscii": _on_text("upperAscii", lambda text: "".join(c.upper() if c.isascii() else c for c in text)),
}
