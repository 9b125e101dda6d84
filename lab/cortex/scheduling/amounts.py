"""Quantities of resources, exact: integers where they are whole, decimals where they are not."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from lab.quantities import quantity

Amount = int | Decimal
Amounts = Mapping[str, Amount]
MEMORY = "memory"
CPU = "cpu"
NOTHING: Amounts = {}


def amounts(quantities: Mapping[str, Any] | None) -> Amounts:
    """Quantities by resource name (bytes, cores). Raises QuantityError."""
    return {name: amount(value) for name, value in quantities.items()} if quantities else NOTHING


@lru_cache(maxsize=65536)
def amount(text: object) -> Amount:
    """One quantity; the same few sizes come again and again. Raises QuantityError."""
    exact = quantity(text)
    whole = int(exact)
    return whole if whole == exact else exact
