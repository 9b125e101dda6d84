"""How fast a guest dirties its memory: what the migration engine asks for.

An idle vGPU already dirties pages (kubevirt sheet, head: "an idle vGPU still dirties memory"), and so do processes that
keep writing to a file in memory. A bulk write is attributed to the shell that runs the writing program; the time
between two writes of the same shell to the same file is the period of its loop.
"""

from dataclasses import dataclass

from lab.guests.process import Process

NOTICED = 1 << 16
"""Writes smaller than this many bytes are left out: a heartbeat's line is noise to a migration."""


@dataclass(slots=True)
class _Writing:
    writer: Process
    owner: Process
    size: int
    started: float
    duration: float
    period: float | None

    def alive(self) -> bool:
        return self.writer.alive or self.owner.alive

    def window(self, monotonic: float) -> float:
        """Seconds over which the last write is spread: the loop's period, longer once the loop is overdue."""
        expected = self.duration if self.period is None or not self.owner.alive else self.period
        return max(expected, monotonic - self.started)

    def recurring(self, monotonic: float) -> bool:
        """Whether the loop has not been overdue for a whole period."""
        return monotonic - self.started <= 2 * (self.period or self.duration)


class MemoryLoad:
    """The writers of one boot and the idle device under them.

    `idle_rate` is in bytes per second of guest time, `idle_working_set` in bytes: both are what the idle vGPU touches.
    """

    def __init__(self, memory: int, idle_rate: float, idle_working_set: int) -> None:
        self.memory = memory
        self.idle_rate = idle_rate
        self.idle_working_set = idle_working_set
        self._writings: dict[tuple[int, str], _Writing] = {}

    def note(self, writer: Process, path: str, size: int, started: float, duration: float) -> None:
        """`writer` writes `size` bytes to `path`, from monotonic time `started` on, for `duration` seconds."""
        if size < NOTICED:
            return
        owner = _shell_above(writer)
        before = self._writings.get((owner.pid, path))
        period = None if before is None or not before.owner.alive else max(started - before.started, duration)
        self._writings[owner.pid, path] = _Writing(writer, owner, size, started, duration, period or None)

    def dirty_rate(self, monotonic: float) -> float:
        """Bytes dirtied per second of guest time."""
        return self.idle_rate + sum(w.size / w.window(monotonic) for w in self._living() if w.window(monotonic) > 0)

    def working_set(self, monotonic: float) -> int:
        """Bytes that are written again and again."""
        writings = sum(writing.size for writing in self._living() if writing.recurring(monotonic))
        return min(self.memory, self.idle_working_set + writings)

    def _living(self) -> list[_Writing]:
        self._writings = {key: writing for key, writing in self._writings.items() if writing.alive()}
        return list(self._writings.values())


def _shell_above(process: Process) -> Process:
    """The nearest shell among the ancestors, or the process itself when there is none."""
    above = process.parent
    while above is not None:
        if above.name in ("sh", "bash"):
            return above
        above = above.parent
    return process
