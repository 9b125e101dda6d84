"""The cells of custom resources: `additionalPrinterColumns` (sheet §5.4)."""

from __future__ import annotations

from typing import Any

import orjson

from lab.apiserver.resources import Column
from lab.apiserver.tables.ages import age_since
from lab.apiserver.tables.jsonpath import first
from lab.apiserver.tables.reading import Object, text

_NATIVE: dict[str, tuple[type, ...]] = {"integer": (int,), "number": (int, float), "boolean": (bool,)}


def custom_cells(obj: Object, columns: tuple[Column, ...], now: float) -> list[Any]:
    """Name, then the first match of each column's path."""
    return [text(obj, "metadata", "name"), *(_cell(first(obj, column.path), column.type, now) for column in columns)]


def _cell(value: Any, type_: str, now: float) -> Any:
    if value is None:
        return None
    if type_ == "date":
        return age_since(value, now)
    if type_ == "string":
        return value if isinstance(value, str) else orjson.dumps(value).decode()
    return value if type(value) in _NATIVE.get(type_, ()) else None
