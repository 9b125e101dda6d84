"""Bounds that keep a script of a guest from running away with the lab."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one guest may use. Steps are simple commands and loop turns of one job; seconds are guest time."""

    burst_steps: int = 1000
    steps_per_second: float = 200.0
    processes: int = 400


MAX_TEXT = 4 << 20
"""Most bytes of text that a program reads at once."""

MAX_VALUE = 1 << 17
"""Longest value of a variable, argument or substitution (Linux's own limit for one argument), in characters."""

MAX_MATERIALISED = 64 << 20
"""Most bytes of one file that are ever held or computed; larger files exist as descriptions only (see `content`)."""

MAX_SCRIPT = 1 << 18
"""Longest script, in characters."""


class Allowance:
    """The steps a job may take now: a bucket of `burst_steps`, refilled with guest time."""

    __slots__ = ("_limits", "_tokens", "_updated")

    _BATCH = 10.0

    def __init__(self, limits: Limits, now: float) -> None:
        self._limits = limits
        self._tokens = float(limits.burst_steps)
        self._updated = now

    def take(self, now: float) -> float:
        """Account one step at monotonic time `now`; returns the seconds to wait before the next (0.0: none)."""
        refill = (now - self._updated) * self._limits.steps_per_second
        self._tokens = min(self._tokens + refill, self._limits.burst_steps) - 1.0
        self._updated = now
        if self._tokens >= 0.0:
            return 0.0
        return (self._BATCH - self._tokens) / self._limits.steps_per_second
