"""Kubernetes quantities: `2Gi`, `500m`, `1e3`, `64Mi` as numbers."""

from __future__ import annotations

import functools
import math
import re
from decimal import Decimal

_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL = {"n": "1e-9", "u": "1e-6", "m": "1e-3", "": "1", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12",
            "P": "1e15", "E": "1e18"}  # fmt: skip
_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([KMGTPE]i|[numkMGTPE]))?")


class QuantityError(ValueError):
    """The text is not a quantity."""


def quantity(text: object) -> Decimal:
    """The exact value of a quantity; raises QuantityError."""
    return _exact(str(text))


@functools.lru_cache(maxsize=4096)  # a lab reads the same few quantities of its nodes for every pod
def _exact(text: str) -> Decimal:
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise QuantityError(f"unable to parse quantity {text!r}")
    number, exponent, suffix = found.groups()
    if suffix in _BINARY:
        return Decimal(number) * _BINARY[suffix]
    return Decimal(number + (exponent or "")) * Decimal(_DECIMAL[suffix or ""])


def whole(text: object) -> int:
    """A quantity as a whole number, rounded up as Kubernetes' `Value()` does (bytes, devices)."""
    return math.ceil(quantity(text))


def milli(text: object) -> int:
    """A quantity in thousandths, rounded up as Kubernetes' `MilliValue()` does (CPU)."""
    return math.ceil(quantity(text) * 1000)
