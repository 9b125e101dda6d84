"""Parameters of a step, as a Pipeline object has them (Cortex sheet §1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.cortex.scheduling.decoding import Shape, fits

Json = Mapping[str, Any]
_VALUES = ("stringValue", "boolValue", "intValue", "floatValue", "stringListValue", "floatMapValue")


class ParameterError(ValueError):
    """The step does not take these parameters."""


def read(params: Iterable[Json] | None, options: Mapping[str, Shape]) -> dict[str, Any]:
    """Values by key. Raises ParameterError: duplicate or unknown key, not exactly one value, wrong type."""
    values: dict[str, Any] = {}
    for param in params or ():
        key = param.get("key", "")
        given = [param[name] for name in _VALUES if param.get(name) is not None]
        if key in values:
            raise ParameterError(f"duplicate parameter key: {key}")
        if len(given) != 1:
            raise ParameterError(f"parameter {key} must have exactly one value set")
        values[key] = given[0]
    for key, value in values.items():
        if key not in options:
            raise _undecodable(f'unknown field "{key}"')
        if not fits(value, options[key]):
            raise _undecodable(f"cannot unmarshal the value of field {key}")
    return values


def _undecodable(why: str) -> ParameterError:
    return ParameterError(f"failed to decode parameters into struct: json: {why}")
