"""Pre-copy as arithmetic: what has been sent, what was dirtied meanwhile, what is left. Pure; bytes and seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Load:
    """How a guest writes its memory: bytes per second, within a working set of so many bytes."""

    rate: float = 0.0
    working_set: float = 0.0

    def slowed(self, throttle: float) -> Load:
        """With that part (0..1) of its CPU time taken away."""
        return Load(self.rate * (1 - throttle), self.working_set)


STILL = Load()


@dataclass(frozen=True, slots=True)
class Copy:
    """One iteration under way: it sends `size` bytes, of which `sent` are through; `dirty` were written since it began.

    The first iteration sends all memory, each later one what the one before left dirty.
    """

    total: float
    at: float  # product time of this state
    size: float
    iteration: int = 1
    sent: float = 0.0
    dirty: float = 0.0

    @property
    def rest(self) -> float:
        """Bytes this iteration still has to send."""
        return self.size - self.sent

    def ends_at(self, bandwidth: float) -> float:
        """When this iteration is through at that bandwidth; never at none."""
        return self.at + self.rest / bandwidth if bandwidth > 0 else math.inf

    def advanced(self, now: float, bandwidth: float, load: Load) -> Copy:
        """The state at `now`; an iteration that is through waits for `following`."""
        passed = now - self.at
        sent = min(self.size, self.sent + bandwidth * passed)
        most = min(self.total, load.working_set)
        return replace(self, at=now, sent=sent, dirty=max(self.dirty, min(most, self.dirty + load.rate * passed)))

    def pending(self, load: Load) -> float:
        """Bytes that are not on the target as they are now: the rest, and what was dirtied outside of it."""
        space = self.total if self.iteration == 1 else max(self.size, min(self.total, load.working_set))
        outside = 1 - self.rest / space if space > 0 else 0.0
        return self.rest + self.dirty * outside

    def repeated(self, rounds: int, bandwidth: float) -> Copy:
        """So many iterations on, each like this one: as much left dirty as it began with."""
        return replace(self, at=self.at + rounds * self.size / bandwidth, iteration=self.iteration + rounds)

    def following(self) -> Copy:
        """The next iteration."""
        return Copy(self.total, self.at, self.dirty, self.iteration + 1)
