"""How long the machinery takes: product seconds drawn from the lab's seed, the same for the same run."""

from __future__ import annotations

import functools
import random

RANGES: dict[str, tuple[float, float]] = {  # kubevirt sheet §10: pod scheduled to VMI Running takes 10-60 s
    "schedule": (0.05, 0.3),
    "pull": (4.0, 9.0),  # an image that is not on the node yet
    "start-container": (1.5, 3.5),
    "pull-failed": (2.0, 4.0),
    "pull-backoff": (10.0, 12.0),
    "stop-container": (0.5, 1.5),
    "launcher-exit": (0.5, 2.0),
    "domain-start": (3.0, 6.0),
    "guest-shutdown": (2.0, 5.0),
    "hco-reconcile": (1.0, 3.0),
    "operator-sync": (1.0, 3.0),
}
_REMEMBERED = 10_000  # draws: controllers ask again at each look at an object


class Delays:
    """Draws of named delays; the same seed, name and key always give the same delay."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn = functools.lru_cache(maxsize=_REMEMBERED)(self._draw)

    def of(self, what: str, key: str) -> float:
        """Product seconds for one occurrence; `key` tells occurrences apart (a pod UID)."""
        return self._drawn(what, key)

    def _draw(self, what: str, key: str) -> float:
        return random.Random(f"{self._seed}/{what}/{key}").uniform(*RANGES[what])
