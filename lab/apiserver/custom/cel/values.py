"""Values of expressions: JSON values, bytes, timestamps, durations and types; their equality, order and arithmetic.

int and bool are different types here, unlike in Python; int and double compare as numbers but do not mix in arithmetic.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lab.apiserver.custom.cel.errors import EvaluationError, no_such_overload

_MAX = 2**63
_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "bool"), (int, "int"), (float, "double"), (str, "string"), (bytes, "bytes"), (list, "list"), (dict, "map"),
    (datetime, "google.protobuf.Timestamp"), (timedelta, "google.protobuf.Duration"),
)  # fmt: skip
_ORDERED = ("bool", "string", "bytes", "google.protobuf.Timestamp", "google.protobuf.Duration")
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TypeValue:
    """The type of a value, as `type(x)` gives it."""

    name: str


TYPE_NAMES = ("bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type")


def type_name(value: Any) -> str:
    """The name of a value's type."""
    if value is None:
        return "null_type"
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "type")


def equal(left: Any, right: Any) -> bool:
    """Deep equality; values of different types differ, except that 1 equals 1.0."""
    if _is_number(left) and _is_number(right):
        return bool(left == right)
    if type_name(left) != type_name(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)


def compared(sign: str, left: Any, right: Any) -> bool:
    """`left < right` and its kin; raises EvaluationError for values without an order."""
    comparable = (_is_number(left) and _is_number(right)) or (
        type_name(left) == type_name(right) and type_name(left) in _ORDERED
    )
    if not comparable:
        raise no_such_overload(f"{type_name(left)} {sign} {type_name(right)}")
    return _COMPARE[sign](left, right)


def contained(element: Any, whole: Any) -> bool:
    """`element in whole`: an element of a list, a key of a map."""
    if isinstance(whole, (list, dict)):
        return any(equal(element, each) for each in whole)
    raise no_such_overload(f"{type_name(element)} in {type_name(whole)}")


def computed(sign: str, left: Any, right: Any) -> Any:
    """`left + right` and its kin."""
    kinds = (type_name(left), type_name(right))
    if kinds == ("int", "int"):
        return _in_range(_whole(sign, left, right))
    if kinds == ("double", "double") and sign != "%":
        return _real(sign, left, right)
    if sign == "+" and kinds[0] == kinds[1] and kinds[0] in ("string", "bytes", "list"):
        return left + right
    if sign in ("+", "-") and isinstance(left, (datetime, timedelta)) and isinstance(right, (datetime, timedelta)):
        return _moment(sign, left, right)
    raise no_such_overload(f"{kinds[0]} {sign} {kinds[1]}")


def negated(value: Any) -> Any:
    """`-value` of a number."""
    if not _is_number(value):
        raise no_such_overload(f"-{type_name(value)}")
    return _in_range(-value) if isinstance(value, int) else -value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _in_range(value: int) -> int:
    if not -_MAX <= value < _MAX:
        raise EvaluationError("integer overflow")
    return value


def _whole(sign: str, left: int, right: int) -> int:
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    if right == 0:
        raise EvaluationError("division by zero" if sign == "/" else "modulus by zero")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if sign == "/" else left - quotient * right


def _real(sign: str, left: float, right: float) -> float:
    if sign == "/" and right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
    operations: dict[str, Callable[[float, float], float]] = {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    }  # fmt: skip
    return operations[sign](left, right)


def _moment(sign: str, left: Any, right: Any) -> Any:
    try:
        return left + right if sign == "+" else left - right
    except TypeError as error:
        raise no_such_overload(f"{type_name(left)} {sign} {type_name(right)}") from error
