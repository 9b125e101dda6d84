"""Did the guest's workload live through the move?

Same process id and same start time and same boot id and an unbroken heartbeat: the end state alone proves nothing, a
guest that rebooted may run a process of the same name and even of the same id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from utilities.errors import NotEnoughEvidence


@dataclass(frozen=True, slots=True)
class GuestSnapshot:
    """The workload's identity at one moment.

    pid: of the workload process. start_ticks: field 22 of /proc/PID/stat, clock ticks since boot. boot_id: of
    /proc/sys/kernel/random/boot_id.
    """

    pid: int
    start_ticks: int
    boot_id: str


@dataclass(frozen=True, slots=True)
class Beat:
    """One line of the heartbeat file: a counter and the guest's clock in UNIX seconds."""

    counter: int
    at: float


@dataclass(frozen=True, slots=True)
class Loss:
    """Beats were lost on their way to us before the one with that index. interval: seconds that each took at least."""

    index: int
    interval: float


@dataclass(frozen=True, slots=True)
class Continuity:
    """The verdict. problems: each way in which the guest did not continue; empty means it did.

    downtime: guest-observed downtime, the largest gap between two beats in seconds of the guest's clock; it includes
    one regular interval. downtime_at: the guest's clock at the beat before that gap.
    """

    problems: tuple[str, ...]
    downtime: float
    downtime_at: float
    beats: int

    @property
    def unbroken(self) -> bool:
        """Whether everything that must be the same is the same."""
        return not self.problems


def parse_heartbeat(text: str) -> tuple[Beat, ...]:
    """Beats of a heartbeat file, one `counter epochseconds` a line.

    A last line without newline is one still being written and is left out. Raises NotEnoughEvidence naming the line
    for anything else that is no beat.
    """
    beats: list[Beat] = []
    *lines, _unfinished = text.split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            counter, at = line.split()
            beats.append(Beat(int(counter), float(at)))
        except ValueError:
            raise NotEnoughEvidence(
                f"heartbeat line {number} is not 'counter epochseconds': {line!r}",
                next_step="look at the workload's file in the guest; its file system may have been damaged",
            ) from None
    return tuple(beats)


def judge(
    before: GuestSnapshot,
    after: GuestSnapshot,
    beats: Sequence[Beat],
    *,
    covering: tuple[float, float] | None = None,
    loss: Loss | None = None,
) -> Continuity:
    """Compare the workload before and after a move, with all its beats from before until after.

    covering: UNIX seconds between which the guest moved. loss: where beats may be missing. Raises NotEnoughEvidence if
    the beats do not reach from before until after that time, if there are less than two, or if the guest's clock was
    set back within a boot: the gaps say nothing then.
    """
    if len(beats) < 2:
        raise NotEnoughEvidence(
            f"the heartbeat has {len(beats)} beat(s), at least two are needed",
            next_step="check that the workload runs in the guest, and read its heartbeat again a little later",
        )
    if covering is not None and not (beats[0].at <= covering[0] and covering[1] <= beats[-1].at):
        raise NotEnoughEvidence(
            f"the heartbeat reaches from {beats[0].at:.0f} to {beats[-1].at:.0f}, "
            f"the move from {covering[0]:.0f} to {covering[1]:.0f}",
            next_step="read the heartbeat after the move; if it stopped, look at the workload in the guest",
        )
    problems = [
        f"{what} changed from {old} to {new}"
        for what, old, new in (
            ("process id", before.pid, after.pid),
            ("process start time", before.start_ticks, after.start_ticks),
            ("boot id", before.boot_id, after.boot_id),
        )
        if old != new
    ]
    downtime, downtime_at = 0.0, beats[0].at
    for index, (one, two) in enumerate(pairwise(beats), start=1):
        lost = max(0, two.counter - one.counter - 1) if loss is not None and index == loss.index else 0
        if two.counter != one.counter + 1 + lost:
            problems.append(f"heartbeat goes from {one.counter} to {two.counter} at {two.at:.0f}")
        if two.at < one.at and before.boot_id == after.boot_id:
            raise NotEnoughEvidence(
                f"the guest's clock was set back from {one.at:.3f} to {two.at:.3f} at beat {two.counter}",
                next_step="keep the guest's clock from being stepped during the test, e.g. stop its time service",
            )
        silence = two.at - one.at - (lost * loss.interval if loss is not None else 0.0)
        if silence > downtime:
            downtime, downtime_at = silence, one.at
    return Continuity(tuple(problems), downtime, downtime_at, len(beats))
