"""Whether a JSON document can be decoded into Cortex's types: unknown keys are ignored, null is the zero value."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any


class Kind(Enum):
    """What a JSON value has to be."""

    ANY = "any"
    TEXT = "string"
    FLAG = "bool"
    WHOLE = "int"
    COUNT = "uint64"
    NUMBER = "float64"


Shape = Kind | Mapping[str, Any] | list[Any]
"""A Kind; [Shape] for a list; {"*": Shape} for a map; {key: Shape} for an object."""
MAP = "*"


def fits(value: object, shape: Shape) -> bool:
    """Whether the value decodes into the shape. Source: encoding/json, which Cortex decodes with."""
    if value is None or shape is Kind.ANY:
        return True
    if isinstance(shape, Kind):
        return _scalar(value, shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if not isinstance(value, dict):
        return False
    if MAP in shape:
        return all(fits(each, shape[MAP]) for each in value.values())
    return all(fits(value[key], inner) for key, inner in shape.items() if key in value)


def _scalar(value: object, kind: Kind) -> bool:
    if kind is Kind.TEXT:
        return isinstance(value, str)
    if isinstance(value, bool) or kind is Kind.FLAG:
        return isinstance(value, bool) and kind is Kind.FLAG
    if kind is Kind.NUMBER:
        return isinstance(value, int | float)
    return isinstance(value, int) and (kind is Kind.WHOLE or value >= 0)
