"""Product time: a discrete-event clock, faster than the wall clock, in which events never overtake each other."""

from __future__ import annotations

import asyncio
import functools
import heapq
import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime

_LONGEST_STEP = 0.06  # wall seconds credited per step: when the machine starves the lab, product time slows down
_SLICE = 0.02  # wall seconds between two looks at an idle clock


class Timer:
    """A call due at a product time; `cancel()` withdraws it."""

    __slots__ = ("args", "callback", "cancelled", "due")

    def __init__(self, due: float, callback: Callable[..., object], args: tuple[object, ...]) -> None:
        self.due = due
        self.callback = callback
        self.args = args
        self.cancelled = False

    def cancel(self) -> None:
        """Withdraw the call; cancelling twice, or after the call, is harmless."""
        self.cancelled = True


class Clock:
    """Time in product seconds since the UNIX epoch, and the calls that are due in it.

    A timer sees its own due time as `now()`, however late the machine got to it.
    """

    def __init__(self, start: float) -> None:
        self._now = start
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._settle: list[Callable[[], None]] = []

    def now(self) -> float:
        """Product seconds since the UNIX epoch."""
        return self._now

    def stamp(self) -> str:
        """The present as Kubernetes writes it: UTC, whole seconds, `2026-01-02T03:04:05Z`."""
        return timestamp(self.now())

    def call_at(self, due: float, callback: Callable[..., object], *args: object) -> Timer:
        """Call `callback(*args)` at product time `due`, or as soon as possible if that has passed."""
        timer = Timer(max(due, self._now), callback, args)
        heapq.heappush(self._heap, (timer.due, next(self._order), timer))
        return timer

    def call_later(self, delay: float, callback: Callable[..., object], *args: object) -> Timer:
        """Call `callback(*args)` after `delay` product seconds."""
        return self.call_at(self.now() + delay, callback, *args)

    def settle_with(self, callback: Callable[[], None]) -> None:
        """Run `callback` after every timer, before time goes on (controllers finish what the timer started)."""
        self._settle.append(callback)

    def next_due(self) -> float | None:
        """Due time of the next timer, None if there is none."""
        while self._heap and self._heap[0][2].cancelled:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def run_until(self, target: float) -> None:
        """Run every timer due up to `target`, each at its own due time, then stand at `target`."""
        while (due := self.next_due()) is not None and due <= target:
            timer = heapq.heappop(self._heap)[2]
            self._now = max(self._now, due)
            timer.callback(*timer.args)
            for settle in self._settle:
                settle()
        self._now = max(self._now, target)


class ManualClock(Clock):
    """A clock for unit tests: time passes only by `advance`."""

    def __init__(self, start: float = 1_767_225_600.0) -> None:  # 2026-01-01T00:00:00Z
        super().__init__(start)

    def advance(self, seconds: float) -> None:
        """Let `seconds` product seconds pass, running everything that falls due."""
        self.run_until(self._now + seconds)


class ScaledClock(Clock):
    """Product time that follows the wall clock `scale` times faster, driven by `run()` in the event loop."""

    def __init__(self, scale: float, start: float | None = None, *, wall: Callable[[], float] = time.monotonic) -> None:
        """`start`: product seconds since the epoch (default: the present). `wall`: monotonic wall seconds."""
        super().__init__(time.time() if start is None else start)
        self.scale = scale
        self._read_wall = wall
        self._wall = wall()  # of the last step
        self._base = self._now  # product time of the last step
        self._stepping = False
        self._wake = asyncio.Event()

    def now(self) -> float:
        """Product seconds since the epoch; within a step the due time of the timer that runs, between two steps
        flowing with the wall clock up to the next timer. What was read once is past: time never goes back."""
        if not self._stepping:
            due = self.next_due()
            flowing = self._flowing(self._read_wall())
            self._now = max(self._now, flowing if due is None else min(flowing, due))
        return self._now

    def call_at(self, due: float, callback: Callable[..., object], *args: object) -> Timer:
        """As `Clock.call_at`; also wakes the driver when this call is now the first."""
        timer = super().call_at(due, callback, *args)
        self._wake.set()
        return timer

    def step(self) -> None:
        """Run everything that has fallen due since the last step."""
        wall = self._read_wall()
        target = self._flowing(wall)
        self._wall = wall
        self._stepping = True
        try:
            self.run_until(target)
        finally:
            self._stepping = False
            self._base = self._now

    def _flowing(self, wall: float) -> float:
        return self._base + min(wall - self._wall, _LONGEST_STEP) * self.scale

    async def run(self) -> None:
        """Drive the clock until cancelled."""
        while True:
            self.step()
            self._wake.clear()
            due = self.next_due()
            pause = _SLICE if due is None else min(_SLICE, max(0.0, (due - self.now()) / self.scale))
            try:
                await asyncio.wait_for(self._wake.wait(), pause)
            except TimeoutError:
                continue


def timestamp(seconds: float) -> str:
    """UNIX seconds as Kubernetes metav1.Time: UTC, whole seconds."""
    return _written(int(seconds))


@functools.lru_cache(maxsize=64)  # the same second is written many times over
def _written(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(seconds: float) -> str:
    """UNIX seconds as Kubernetes metav1.MicroTime: UTC, exactly six decimals."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_timestamp(text: str) -> float:
    """UNIX seconds of a Kubernetes Time or MicroTime."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
