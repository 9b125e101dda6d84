"""What faults of the hypervisor operator are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lab.controllers.decisions import Row, Table
from lab.faults.fault import as_sound
from lab.hypervisor_operator.eviction.rulings import Seen

S = TypeVar("S")
FRESH = 15.0  # product seconds: until the second look at a migration that was asked for


def scenarios(*numbers: int) -> frozenset[str]:
    """Ids of the plan by number: up to 25 those of the guarantees of operator sheet §7."""
    return frozenset(f"EVIC-{number:02}" for number in numbers)


def busy(seen: Seen) -> bool:
    """Whether Nova shows a migration of the server, by status or by task."""
    return not seen.outcome.error and (seen.under_way or seen.set_off)


def age(seen: Seen) -> float:
    """Product seconds since this process asked for the migration; endless when it did not."""
    return seen.now - seen.attempt.last if seen.attempt.count else float("inf")


def restored(table: Table[Any], name: str, when: Callable[[Any], bool]) -> Row[Any]:
    """What the product does, in front of what mends it."""
    return Row(f"fault: {name}", when, lambda subject: as_sound(table, subject))
