"""Amounts as Kubernetes writes them: the largest suffix that leaves a whole number."""

from __future__ import annotations

_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = ("", "k", "M", "G", "T", "P", "E")


def binary(amount: int) -> str:
    """Bytes: 17179869184 is `16Gi`."""
    return _canonical(amount, 1024, _BINARY)


def decimal(amount: int) -> str:
    """Things that are counted: 2000 is `2k`."""
    return _canonical(amount, 1000, _DECIMAL)


def _canonical(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    power = 0
    while amount and amount % base == 0 and power + 1 < len(suffixes):
        amount //= base
        power += 1
    return f"{amount}{suffixes[power]}"
