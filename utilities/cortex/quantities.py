"""Amounts of memory as Kubernetes writes them."""

from __future__ import annotations

from decimal import Decimal

_UNITS = {
    **{letter + "i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)},
    **{letter: Decimal(1000) ** power for power, letter in enumerate("kMGTPE", 1)},
    "": Decimal(1),
}


def number(quantity: object) -> float:
    """E.g. 17179869184 for `16Gi`, 0 for nothing. Raises ValueError for anything that is no quantity."""
    text = str(quantity if quantity is not None else 0)
    digits = text.rstrip("kKMGTPEi")
    unit = text[len(digits) :]
    if unit not in _UNITS:
        raise ValueError(f"{text!r} is no quantity")
    return float(Decimal(digits) * _UNITS[unit])
