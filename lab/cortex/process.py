"""One process of Cortex after the other: what it counted and the pipelines it has ready end with it.

A weigher that breaks takes the whole process along (cortex sheet §3). The kubelet starts it again, later each time.
"""

from __future__ import annotations

from collections.abc import Callable

from lab.clock import Clock
from lab.cortex.metrics.families import Metrics
from lab.cortex.scheduling.pipeline import Pipeline

_START = 2.0  # product seconds from the start of a process until its caches are filled
_FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 300.0  # product seconds the kubelet waits after the second death, and at most
_CALM = 600.0  # product seconds after which earlier deaths are forgotten


class Process:
    """`metrics` and `pipelines` are those of the process that runs; while none does, `alive` is False."""

    def __init__(self, clock: Clock, make_metrics: Callable[[], Metrics]) -> None:
        self._clock = clock
        self._make_metrics = make_metrics
        self._starters: list[Callable[[], None]] = []
        self._deaths = 0
        self._started = clock.now()
        self.metrics = make_metrics()
        self.pipelines: dict[str, Pipeline] = {}
        self.alive = True

    def on_start(self, starter: Callable[[], None]) -> None:
        """Call it whenever a new process has started."""
        self._starters.append(starter)

    def die(self) -> None:
        """End at once; a new process comes in its time."""
        if not self.alive:
            return
        self.alive = False
        if self._clock.now() - self._started > _CALM:
            self._deaths = 0
        pause = 0.0 if self._deaths == 0 else min(_FIRST_PAUSE * 2.0 ** (self._deaths - 1), _LONGEST_PAUSE)
        self._deaths += 1
        self._clock.call_later(pause + _START, self._start)

    def _start(self) -> None:
        self.alive = True
        self._started = self._clock.now()
        self.metrics = self._make_metrics()
        self.pipelines = {}
        for starter in self._starters:
            starter()
