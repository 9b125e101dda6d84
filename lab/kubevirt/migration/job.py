"""One migration inside the source launcher: QEMU's job, and what the launcher notes about it (kubevirt sheet §5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lab.clock import Clock, Timer
from lab.controllers.decisions import Row, Table, decide
from lab.controllers.effects import Do, Effect
from lab.copying.copier import Copier, Surroundings
from lab.copying.memory import STILL, Load
from lab.kubevirt.domains import Domain, Domains
from lab.kubevirt.migration.monitor import POLL, Poll, next_poll, poll_after
from lab.kubevirt.migration.names import ABORT_FAILED, ABORT_SUCCEEDED, ABORTING, PAUSED, POST_COPY, PRE_COPY

DEVICE_STATE = 0.05  # seconds of every switch for what is not memory
ABORTED = "Live migration has been aborted"
_ABORT_TAKES = 0.2
_ABORT_LIMIT = 30.0
_ROUNDING = 1e-6  # seconds that sums of product times may fall short


@dataclass(frozen=True, slots=True)
class Order:
    """What the source handler asks the launcher to do."""

    uid: str  # of the VMIM
    memory: int  # bytes
    acceptable: int  # seconds; 0: no limit
    progress_timeout: int  # seconds; 0: no limit
    bandwidth_cap: int  # bytes per second; 0: none
    auto_converge: bool
    post_copy: bool
    disruption: bool
    vfio: bool
    target_node: str
    target_pod_uid: str
    blocked_by: str = ""  # why QEMU cannot even begin, "" if it can


class Machine(Protocol):
    """What a job works with."""

    @property
    def clock(self) -> Clock:
        """The lab's clock."""

    @property
    def domains(self) -> Domains:
        """The guests."""

    @property
    def monitor(self) -> Table[Poll]:
        """What the monitor decides."""

    @property
    def aborts(self) -> Table[Job]:
        """What libvirt makes of a request to cancel."""

    @property
    def outcomes(self) -> Table[Ending]:
        """Where and how the guest goes on."""

    def load(self, domain: Domain) -> Load:
        """How the guest writes its memory now."""

    def bandwidth(self, job: Job) -> float:
        """Bytes per second that the job gets now."""

    def mdev(self, job: Job) -> str | None:
        """The mediated device the guest has at the target, None for a guest without."""

    def perform(self, effects: Sequence[Effect]) -> None:
        """Carry effects out."""

    def tell(self, job: Job) -> None:
        """Let the virt-handlers know that the job changed."""


class Job:
    """A live migration under way or over. Only the engine makes jobs; the virt-handlers read them.

    Once over, `ended_at` is set and `failed` says how it went. Times are product seconds.
    """

    def __init__(self, machine: Machine, domain: Domain, order: Order) -> None:
        self.domain = domain
        self.order = order
        self.source_pod_uid = domain.pod_uid
        self.mode = PRE_COPY
        self.started_at = machine.clock.now()
        self.arrived_at: float | None = None  # since when the guest is on the target
        self.ended_at: float | None = None
        self.failed = False
        self.reason = ""
        self.abort_status = ""
        self._machine = machine
        self._acceptable = order.acceptable
        self._progress: float | None = None  # seconds after the start; None while bytes flow
        self._switching = False  # the guest is leaving the source, or has left
        self._timers: dict[str, Timer] = {}
        around = Surroundings(machine.clock, lambda: machine.bandwidth(self), self._load, self._switch)
        self.copier = Copier(order.memory, order.auto_converge, around)

    @property
    def machine(self) -> Machine:
        """What it works with, for rows that act on the guest."""
        return self._machine

    @property
    def active(self) -> bool:
        """Whether it is still under way."""
        return self.ended_at is None

    @property
    def aborting(self) -> bool:
        """Whether it is being cancelled, or was."""
        return self.abort_status in (ABORTING, ABORT_SUCCEEDED)

    @property
    def elapsed(self) -> float:
        """Product seconds since the start."""
        return self._machine.clock.now() - self.started_at

    def begin(self) -> None:
        """Start copying, or fail at once when something stands in the way."""
        if self.order.blocked_by:
            self.fail(self.order.blocked_by)
            return
        self._note_flow()
        self.copier.go_on()
        self._plan_poll()

    def touch(self) -> None:
        """The guest was paused by its user, or goes on."""
        if self.active and not self._switching:
            self.copier.touch()

    # What the monitor decides.

    def start_post_copy(self) -> None:
        """Switch to post-copy: the guest goes on at the target, and fetches the rest from here."""
        self.mode, self._switching = POST_COPY, True
        rest = self._takes(self.copier.pending())
        self.copier.stop()
        self._machine.domains.pause(self.domain, "migration")
        self._set("arrive", DEVICE_STATE, self._arrive)
        self._set("end", DEVICE_STATE + rest, self._succeed)
        self._machine.tell(self)

    def allow_downtime(self, seconds: float, limit: int) -> None:
        """Accept a longer switch; the guest runs on until QEMU makes use of that."""
        self.mode, self._acceptable = PAUSED, limit
        self.copier.allow(seconds)
        self._machine.tell(self)

    def suspend(self, limit: int) -> None:
        """Stop the guest: it dirties nothing more."""
        self.mode, self._acceptable = PAUSED, limit
        self._switch(self.copier.pending())
        self._machine.tell(self)

    def abort(self) -> None:
        """Ask libvirt to cancel; a job that is over, or being cancelled, is left alone."""
        if not self.active or self.aborting:
            return
        self.abort_status = ABORTING
        self._set("abort", _ABORT_TAKES, self._decide_abort)
        self._set("abort limit", _ABORT_LIMIT, self.refuse_abort)
        self._machine.tell(self)

    # What libvirt and QEMU answer.

    def cancel(self) -> None:
        """Cancelled."""
        self.abort_status = ABORT_SUCCEEDED
        self.fail(ABORTED)

    def refuse_abort(self) -> None:
        """Not cancelled; a job that is over its time is tried again at the next look."""
        if self.active and self.abort_status == ABORTING:
            self.abort_status = ABORT_FAILED
            self._set("poll", poll_after(self.elapsed) - self.elapsed, self._poll)
            self._machine.tell(self)

    def fail(self, reason: str) -> None:
        """Broken off; what becomes of the guest is decided by the outcome."""
        if self.active:
            self.failed, self.reason = True, reason
            self._finish()

    def _switch(self, pending: float) -> None:
        """Stop the guest and copy what is pending."""
        self._switching = True
        self.copier.stop()
        self._machine.domains.pause(self.domain, "migration")
        self._note_flow()
        self._set("end", self._takes(pending) + DEVICE_STATE, self._succeed)

    def _succeed(self) -> None:
        if self.arrived_at is None:
            self._arrive()
        self._finish()

    def _arrive(self) -> None:
        self.arrived_at = self._machine.clock.now()
        self._decide_outcome()
        self._machine.tell(self)

    def _finish(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.copier.stop()
        self.ended_at = self._machine.clock.now()
        if self.failed:
            self._decide_outcome()
        self._machine.tell(self)

    def _decide_outcome(self) -> None:
        ending = Ending(self, self.domain, self.failed, self.mode)
        self._machine.perform(decide(self._machine.outcomes, ending, self._machine.clock.now()).effects)

    def _decide_abort(self) -> None:
        self._machine.perform(decide(self._machine.aborts, self, self._machine.clock.now()).effects)

    # The monitor.

    def _plan_poll(self) -> None:
        due = next_poll(self.elapsed, self._acceptable, self.order.progress_timeout, self._progress)
        self._set("poll", math.inf if due is None else due - self.elapsed, self._poll)

    def _poll(self) -> None:
        poll = Poll(
            controls=self,
            elapsed=self.elapsed + _ROUNDING,
            idle=0.0 if self._progress is None else self.elapsed - self._progress + _ROUNDING,
            acceptable=self._acceptable,
            progress_timeout=self.order.progress_timeout,
            mode=self.mode,
            allow_post_copy=self.order.post_copy,
            allow_disruption=self.order.disruption,
            vfio=self.order.vfio,
            aborting=self.aborting,
        )
        self._machine.perform(decide(self._machine.monitor, poll, self._machine.clock.now()).effects)
        if self.active:
            self._plan_poll()

    def _note_flow(self) -> None:
        """Remember since when nothing flows: from the first look, or the last one that saw bytes go."""
        if self._machine.bandwidth(self) > 0:
            self._progress = None
        elif self._progress is None:
            self._progress = max(POLL / 1000, poll_after(self.elapsed) - POLL / 1000)

    def _load(self) -> Load:
        return STILL if self.domain.paused else self._machine.load(self.domain)

    def _takes(self, pending: float) -> float:
        bandwidth = self._machine.bandwidth(self)
        return pending / bandwidth if bandwidth > 0 else math.inf

    def _set(self, what: str, delay: float, action: Callable[[], None]) -> None:
        timer = self._timers.pop(what, None)
        if timer is not None:
            timer.cancel()
        if delay != math.inf:
            self._timers[what] = self._machine.clock.call_later(max(0.0, delay), action)


@dataclass(frozen=True, slots=True)
class Ending:
    """A guest about to go on: at the target, or at the source when the job failed."""

    job: Job
    domain: Domain
    failed: bool
    mode: str


def go_on_at_source(ending: Ending) -> Sequence[Effect]:
    """libvirt restores the state from before: running, or paused if the user had paused it."""
    domains = ending.job.machine.domains
    return (Do("resume at the source", lambda: domains.resume(ending.domain, "migration")),)


def go_on_at_target(ending: Ending) -> Sequence[Effect]:
    """The guest moves, with the target pod's mediated device, and goes on unless its user had paused it."""
    return (move(ending, ending.job.machine.mdev(ending.job)), resume(ending))


def move(ending: Ending, mdev: str | None) -> Effect:
    """The guest is in the target pod now, with this mediated device."""
    order, domains = ending.job.order, ending.job.machine.domains
    return Do(
        f"move to {order.target_node}",
        lambda: domains.move(ending.domain, order.target_node, order.target_pod_uid, mdev),
    )


def resume(ending: Ending) -> Effect:
    """The guest's CPUs run again, unless its user had paused it."""
    domains = ending.job.machine.domains
    return Do("resume", lambda: domains.resume(ending.domain, "migration"))


def crash(ending: Ending) -> Sequence[Effect]:
    """Half of the guest's memory is on either side: it cannot go on anywhere."""
    domains = ending.job.machine.domains
    return (Do("crash", lambda: domains.end(ending.domain, "crashed")),)


OUTCOMES: Table[Ending] = Table(
    "migration-outcome",
    (
        Row("guest is gone", lambda ending: ending.domain.ended, lambda _: ()),
        Row("post-copy broke off", lambda ending: ending.failed and ending.mode == POST_COPY, crash),
        Row("goes on at the source", lambda ending: ending.failed, go_on_at_source),
        Row("goes on at the target", lambda _: True, go_on_at_target),
    ),
)

ABORTS: Table[Job] = Table(
    "migration-abort",
    (
        Row(
            "post-copy cannot be cancelled",
            lambda job: job.mode == POST_COPY,
            lambda job: (Do("refuse to cancel", job.refuse_abort),),
        ),
        Row("cancel", lambda _: True, lambda job: (Do("cancel", job.cancel),)),
    ),
)
