"""Path elements of fieldsV1, and how conflict messages print them (kubernetes-api sheet §4.5).

`f:NAME` is a member of a map, `k:{"name":"c"}` an element of a keyed list, `v:"x"` an element of a set.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import orjson

from lab.apiserver.patching.shape import Shape

SELF = "."  # the element itself


def member(name: str) -> str:
    """A member of a map."""
    return sys.intern(f"f:{name}")


def key_element(shape: Shape, element: Any) -> str | None:
    """An element of a keyed list; None when it lacks a key that has no default."""
    if not isinstance(element, Mapping):
        return None
    keys = {}
    for key in shape.keys:
        value = element.get(key, shape.key_defaults.get(key))
        if value is None:
            return None
        keys[key] = value
    return "k:" + orjson.dumps(keys, option=orjson.OPT_SORT_KEYS).decode()


def set_element(value: Any) -> str:
    """An element of a set."""
    return "v:" + orjson.dumps(value).decode()


def elements(shape: Shape, values: list[Any]) -> dict[str, Any] | None:
    """Elements of a keyed list or a set by path element; None when they cannot be told apart."""
    found: dict[str, Any] = {}
    for value in values:
        element = set_element(value) if shape.listed == "set" else key_element(shape, value)
        if element is None or element in found:
            return None
        found[element] = value
    return found


def printed(path: tuple[str, ...]) -> str:
    """A path as messages show it: `.spec.containers[name="c"].image`."""
    return "".join(_printed(element) for element in path)


def _printed(element: str) -> str:
    kind, _, text = element.partition(":")
    if kind == "f":
        return f".{text}"
    if kind == "v":
        return f"[={text}]"
    if kind == "k":
        keys = orjson.loads(text)
        return "[" + ",".join(f"{key}={orjson.dumps(value).decode()}" for key, value in keys.items()) + "]"
    return f"[{text}]"
