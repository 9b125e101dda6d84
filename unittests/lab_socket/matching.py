"""What is expected of an answer, as data, and what an answer has instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

REST = "…"
"""The first element of an expected list that need not be the whole list."""
_PART = re.compile(r"([^.\[\]]+)|\[([^=\]]+)=([^\]]*)\]")
_PLACE = re.compile(r"\$\{(\w+)\}")


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """`${name}` replaced everywhere; a text that is nothing else becomes the value itself. KeyError: unknown name."""
    if isinstance(value, Mapping):
        return {filled(key, known): filled(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, known) for inner in value]
    if not isinstance(value, str):
        return value
    if whole := _PLACE.fullmatch(value):
        return known[whole[1]]
    return _PLACE.sub(lambda match: str(known[match[1]]), value)


def found(path: str, value: Any) -> Any:
    """What lies at a path such as `spec.items[name=a].size`; None if there is nothing."""
    for part in _PART.finditer(path):
        if part[1] is not None:
            value = value.get(part[1]) if isinstance(value, Mapping) else None
        else:
            value = next((item for item in value or () if str(item.get(part[2])) == part[3]), None)
    return value


def differences(expected: Any, actual: Any, at: str = "") -> Iterator[str]:
    """Where an answer is not as expected: of mappings only the keys that are named count, null is an absent key."""
    if isinstance(expected, Mapping):
        if not isinstance(actual, Mapping):
            yield f"{at or 'answer'}: {actual!r} is no mapping"
            return
        for key, inner in expected.items():
            if inner is None:
                if actual.get(key) is not None:
                    yield f"{at}.{key}: {actual[key]!r} should not be there"
            else:
                yield from differences(inner, actual.get(key), f"{at}.{key}")
    elif isinstance(expected, list):
        yield from _list_differences(expected, actual, at)
    elif expected != actual:
        yield f"{at}: {actual!r} instead of {expected!r}"


def _list_differences(expected: list[Any], actual: Any, at: str) -> Iterator[str]:
    if not isinstance(actual, list):
        yield f"{at}: {actual!r} is no list"
        return
    part = expected[:1] == [REST]
    wanted = expected[1:] if part else expected
    if not part and len(wanted) != len(actual):
        yield f"{at}: {len(actual)} elements instead of {len(wanted)}"
        return
    if part:
        for inner in wanted:
            if all(list(differences(inner, item)) for item in actual):
                yield f"{at}: nothing like {inner!r} in {actual!r}"
    else:
        for index, (inner, item) in enumerate(zip(wanted, actual, strict=True)):
            yield from differences(inner, item, f"{at}[{index}]")
