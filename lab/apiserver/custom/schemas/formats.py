"""String and number formats; a format that is not listed is not checked, as on real servers."""

from __future__ import annotations

import base64
import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from lab.apiserver.custom.cel.functions import parse_duration, parse_moment

_DOLLAR = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


@lru_cache(maxsize=2048)
def pattern(text: str) -> re.Pattern[str]:
    """A pattern as Go reads it: `$` is the very end. Raises re.error when it cannot be read."""
    return re.compile(_DOLLAR.sub(lambda match: r"\Z" if match[0] == "$" else match[0], text))


def fits(name: str, value: Any) -> bool:
    """Whether a value has a format; a format of the other type (a number's for a string) does not apply."""
    check = _OF_NUMBERS.get(name) if isinstance(value, int) else _OF_STRINGS.get(name)
    if check is None:
        return True
    try:
        return check(value) is not False
    except ValueError:
        return False


_OF_NUMBERS: Mapping[str, Callable[[int], bool]] = {
    "int32": lambda value: -(2**31) <= value < 2**31,
    "int64": lambda value: -(2**63) <= value < 2**63,
}
_OF_STRINGS: Mapping[str, Callable[[str], object]] = {
    "byte": lambda value: base64.b64decode(value, validate=True),
    "date": date.fromisoformat,
    "date-time": parse_moment,
    "duration": parse_duration,
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "uuid": uuid.UUID,
}
