"""How long Nova's parts take: product seconds drawn from the lab's seed, the same for the same run."""

from __future__ import annotations

import random

RANGES: dict[str, tuple[float, float]] = {
    "conduct": (0.05, 0.3),  # from the accepted request to the record
    "schedule": (0.4, 1.2),  # scheduler and pre-checks
    "cast": (0.05, 0.3),  # from the conductor to the source
    "prepare": (0.8, 2.0),  # pre_live_migration: volumes and ports on the target
    "abort": (0.2, 0.8),
    "roll-back": (0.5, 1.5),
    "prep-resize": (1.0, 2.5),
    "move-disks": (2.0, 6.0),
    "finish-resize": (1.5, 4.0),
    "confirm": (0.8, 2.5),
    "revert": (3.0, 7.0),
    "spawn": (4.0, 9.0),
    "delete": (1.5, 4.0),
    "power": (1.0, 4.0),
}


class Delays:
    """Draws of named delays; the same seed, name and key always give the same delay."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def of(self, what: str, key: str) -> float:
        """Product seconds for one occurrence; `key` tells occurrences apart."""
        return random.Random(f"{self._seed}/openstack/{what}/{key}").uniform(*RANGES[what])
