"""The copying of one guest's memory in iterations, on the lab's clock: a timer an iteration at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.clock import Clock, Timer
from lab.copying.memory import Copy, Load

DOWNTIME = 0.3  # seconds of downtime that QEMU accepts by default
_NOTICED = 0.1  # seconds until QEMU looks at a changed limit
_STRIDE = 5.0  # iterations that change nothing are taken together, up to so many seconds
_FIRST, _STEP, _MOST = 0.2, 0.1, 0.99  # auto-converge: part of the CPU time taken away


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the copying depends on, asked anew at each iteration."""

    clock: Clock
    bandwidth: Callable[[], float]  # bytes per second
    load: Callable[[], Load]  # of the guest, unthrottled
    converged: Callable[[float], None]  # told once, with the bytes to copy while the guest stands still


class Copier:
    """Copies until what is left can be copied within the allowed downtime."""

    def __init__(self, memory: int, auto_converge: bool, around: Surroundings) -> None:
        self._around = around
        self._auto_converge = auto_converge
        self.copy = Copy(memory, around.clock.now(), memory)
        self._throttle = 0.0
        self._load = self._measure()
        self._allowed = DOWNTIME
        self._busy = 0  # iterations in a row that left more than half of what they sent
        self._stride = 1
        self._timer: Timer | None = None

    @property
    def throttle(self) -> float:
        """Part of the guest's CPU time that auto-converge takes away."""
        return self._throttle

    def go_on(self) -> None:
        """Plan the end of the present iteration (again)."""
        self.stop()
        bandwidth = self._around.bandwidth()
        if bandwidth > 0:
            due = self.copy.at + (self.copy.rest + (self._stride - 1) * self.copy.size) / bandwidth
            self._timer = self._around.clock.call_at(due, self._round_over)

    def stop(self) -> None:
        """Copy no further by iterations."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def touch(self) -> None:
        """The guest was paused or goes on: until now it wrote at its old rate."""
        self._catch_up(self._load)
        self._load = self._measure()
        self.go_on()

    def allow(self, seconds: float) -> None:
        """Accept that much downtime; QEMU notices a moment later."""
        self._allowed = seconds
        self.stop()
        self._timer = self._around.clock.call_later(_NOTICED, self._reconsider)

    def pending(self) -> float:
        """Bytes that are not on the target as they are now."""
        self._load = self._measure()
        self._catch_up(self._load)
        return self.copy.pending(self._load)

    def _reconsider(self) -> None:
        pending = self.pending()
        if not self._ends_with(pending):
            self.go_on()

    def _round_over(self) -> None:
        before = self.copy
        self._load = self._measure()
        self._catch_up(self._load)
        left = self.copy.dirty
        if self._ends_with(left):
            return
        self._slow_down(left > before.size / 2)
        self.copy = self.copy.following()
        steady = abs(left - before.size) <= before.size * 1e-6
        self._stride = max(1, int(_STRIDE * self._around.bandwidth() / left)) if steady else 1
        self.go_on()

    def _ends_with(self, pending: float) -> bool:
        if pending > self._around.bandwidth() * self._allowed:
            return False
        self.stop()
        self._around.converged(pending)
        return True

    def _catch_up(self, load: Load) -> None:
        """Bring the copy to the present; of iterations taken together, only the last is looked into."""
        now, bandwidth = self._around.clock.now(), self._around.bandwidth()
        if self._stride > 1 and bandwidth > 0:
            through = int((now - self.copy.at) * bandwidth / self.copy.size)
            self.copy = self.copy.repeated(min(self._stride - 1, through), bandwidth)
        self._stride = 1
        self.copy = self.copy.advanced(now, bandwidth, load)

    def _measure(self) -> Load:
        return self._around.load().slowed(self._throttle)

    def _slow_down(self, busy: bool) -> None:
        """Auto-converge, as QEMU does it: at every second iteration that leaves more than half of what it sent."""
        self._busy = self._busy + 1 if busy else 0
        if self._auto_converge and self._busy >= 2:
            self._throttle = min(_MOST, self._throttle + _STEP) if self._throttle else _FIRST
            self._busy = 0
