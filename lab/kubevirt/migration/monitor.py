"""The migration monitor of the source launcher, the legacy path (kubevirt sheet §5.4). First match wins.

The product polls every 400 ms and counts in whole seconds, always with a strict `>`. Here the polls at which something
can come out differently are computed, and only those are held.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lab.controllers.decisions import Row, Table, hold
from lab.controllers.effects import Do, Effect
from lab.kubevirt.migration.names import PAUSED, POST_COPY

POLL = 400  # milliseconds between two looks
_SAME = 1e-3  # seconds: nearer than that it is the same look (product time has a resolution of 0.2 us)
LONGEST_DOWNTIME = 2000  # seconds: QEMU accepts no more


class Controls(Protocol):
    """What the monitor may do to the job it watches."""

    def start_post_copy(self) -> None:
        """Let the guest go on at the target and fetch the rest from there."""

    def allow_downtime(self, seconds: float, limit: int) -> None:
        """Accept that much downtime at the switch, show mode Paused, and abort only after `limit` seconds."""

    def suspend(self, limit: int) -> None:
        """Stop the guest so that the copy ends, show mode Paused, and abort only after `limit` seconds."""

    def abort(self) -> None:
        """Cancel the job."""


@dataclass(frozen=True, slots=True)
class Poll:
    """What one look at the job finds."""

    controls: Controls
    elapsed: float  # seconds since the monitor's start
    idle: float  # seconds since a look found fewer bytes remaining than the one before
    acceptable: int  # seconds the migration may take; 0: no limit
    progress_timeout: int  # seconds without progress; 0: no limit
    mode: str
    allow_post_copy: bool
    allow_disruption: bool
    vfio: bool
    aborting: bool

    @property
    def expired(self) -> bool:
        """Whether it takes longer than acceptable."""
        return self.acceptable != 0 and int(self.elapsed) > self.acceptable

    @property
    def stuck(self) -> bool:
        """Whether nothing moves."""
        return self.progress_timeout != 0 and int(self.idle) > self.progress_timeout

    @property
    def assist(self) -> bool:
        """Whether the guest may be disturbed now so that the migration completes."""
        return self.allow_disruption and self.expired and self.mode != PAUSED


def start_post_copy(poll: Poll) -> Sequence[Effect]:
    """Switch to post-copy."""
    return (Do("start post-copy", poll.controls.start_post_copy),)


def raise_downtime(poll: Poll) -> Sequence[Effect]:
    """For guests with VFIO devices: QEMU's own switch also stops the device, which goes on dirtying if suspended."""
    limit = 2 * poll.acceptable
    downtime = min(limit, LONGEST_DOWNTIME)
    return (Do(f"allow {downtime} s downtime", lambda: poll.controls.allow_downtime(downtime, limit)),)


def suspend_guest(poll: Poll) -> Sequence[Effect]:
    """For all other guests."""
    return (Do("suspend the guest", lambda: poll.controls.suspend(2 * poll.acceptable)),)


def abort(poll: Poll) -> Sequence[Effect]:
    """Give up; once."""
    return () if poll.aborting else (Do("abort", poll.controls.abort),)


MONITOR: Table[Poll] = Table(
    "migration-monitor",
    (
        Row("post-copy is never stopped", lambda poll: poll.mode == POST_COPY, hold),
        Row("post-copy", lambda poll: poll.assist and poll.allow_post_copy and not poll.vfio, start_post_copy),
        Row("long downtime for VFIO", lambda poll: poll.assist and poll.vfio, raise_downtime),
        Row("suspend", lambda poll: poll.assist, suspend_guest),
        Row("stuck", lambda poll: poll.stuck, abort),
        Row("not completed in time", lambda poll: poll.expired, abort),
    ),
)


def next_poll(elapsed: float, acceptable: int, progress_timeout: int, progress: float | None) -> float | None:
    """Seconds since the start of the next look after `elapsed` that can decide something; None: there is none.

    `progress` is when the last progress was seen (seconds since the start), None while bytes flow.
    """
    due: list[float] = []
    if acceptable:
        due.append(_first(acceptable + 1))
    if progress_timeout and progress is not None:
        due.append(_first(progress + progress_timeout + 1))
    return min((at for at in due if at > elapsed + _SAME), default=None)


def poll_after(elapsed: float) -> float:
    """Seconds since the start of the first look after `elapsed`."""
    return (math.floor((elapsed + _SAME) * 1000 / POLL) + 1) * POLL / 1000


def _first(seconds: float) -> float:
    """The first look at or after so many seconds."""
    return math.ceil((seconds - _SAME) * 1000 / POLL) * POLL / 1000
