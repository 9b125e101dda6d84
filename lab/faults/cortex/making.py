"""What faults of Cortex have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lab.controllers.answers import answering
from lab.controllers.decisions import Row

S = TypeVar("S")


def steering(*numbers: int) -> frozenset[str]:
    """Ids of the steering plan by number."""
    return frozenset(f"CRMS-{number:02}" for number in numbers)


def instead(name: str, value: Callable[[S], Any]) -> Row[S]:
    """A row that answers for every subject."""
    return Row(f"fault: {name}", lambda _: True, answering(value))
