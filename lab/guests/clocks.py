"""Time as a guest sees it: it stands still while the guest is paused."""

from collections.abc import Callable
from typing import Protocol

TICKS_PER_SECOND = 100
"""Clock ticks (USER_HZ) in which /proc/<pid>/stat counts."""


class Timer(Protocol):
    """A scheduled call that has not happened yet."""

    def cancel(self) -> None:
        """Make sure the call does not happen."""


class GuestClock(Protocol):
    """What a guest needs of the lab's clock; `now()` is UNIX product time in seconds."""

    def now(self) -> float:
        """The product time."""

    def call_at(self, when: float, fn: Callable[[], None], /) -> Timer:
        """Call `fn` when the product time is `when`."""


class GuestTime:
    """The clocks of one boot: monotonic seconds since power-on, and the wall clock derived from them.

    Pausing stops both. Resuming restarts the monotonic clock where it stood; the wall clock lags by the pause until
    something sets it (KubeVirt does, through the guest agent, after an unpause and after a migration).
    """

    def __init__(self, clock: GuestClock) -> None:
        self._clock = clock
        self._origin = clock.now()
        self._offset = self._origin
        self._paused_at: float | None = None

    @property
    def paused(self) -> bool:
        """Whether the clocks stand still."""
        return self._paused_at is not None

    def monotonic(self, now: float | None = None) -> float:
        """Seconds the guest has run since power-on, at product time `now` (default: the present)."""
        if self._paused_at is not None:
            return self._paused_at - self._origin
        return (self._clock.now() if now is None else now) - self._origin

    def ticks(self, monotonic: float) -> int:
        """A monotonic reading in the clock ticks of /proc/<pid>/stat."""
        return int(monotonic * TICKS_PER_SECOND)

    def realtime(self) -> float:
        """The guest's wall clock, UNIX seconds."""
        return self.monotonic() + self._offset

    def due(self, monotonic: float) -> float:
        """The product time at which a running guest reaches the given monotonic reading."""
        return monotonic + self._origin

    def pause(self) -> None:
        """Stop the clocks."""
        self._paused_at = self._clock.now()

    def resume(self) -> None:
        """Restart the clocks where they stood."""
        if self._paused_at is not None:
            self._origin += self._clock.now() - self._paused_at
            self._paused_at = None

    def set_realtime(self) -> None:
        """Step the wall clock to the present."""
        self._offset = self._clock.now() - self.monotonic()
