"""Runs the processes of one boot over the guest's clock."""

import heapq
from collections import deque
from collections.abc import Iterator
from itertools import count

from lab.guests.accounts import Account
from lab.guests.clocks import GuestClock, GuestTime, Timer
from lab.guests.limits import Allowance, Limits
from lab.guests.process import Exited, Process, Request, Routine, Sleep
from lab.guests.signals import HARMLESS, SIGCONT, SIGKILL, STOPPING, UNSTOPPABLE
from lab.guests.streams import Readable, Terminated

_EARLY = 1e-6
"""Seconds a timer may fire early: product time is too large a float to add up without an error in the last place."""

_MAX_NESTING = 6
"""How many processes may start one another within one turn; deeper ones take their turn in the queue."""


class ProcessLimitError(Exception):
    """The guest has as many processes as it may: fork(2) fails with EAGAIN."""


class Scheduler:
    """The process table and the turns its processes take. Nothing runs while `freeze` is in force."""

    def __init__(self, clock: GuestClock, time: GuestTime, limits: Limits, first_pid: int) -> None:
        self.table: dict[int, Process] = {}
        self.limits = limits
        self._clock = clock
        self._time = time
        self._ready: deque[Process] = deque()
        self._sleeping: list[tuple[float, int, Process, Sleep]] = []
        self._order = count()
        self._running: list[Process] = []
        self._draining = False
        self._frozen = False
        self._halted = False
        self._timer: Timer | None = None
        self._timer_due = 0.0
        self._next_pid = first_pid

    def __iter__(self) -> Iterator[Process]:
        return iter(sorted(self.table.values(), key=lambda process: process.pid))

    def fork(
        self,
        parent: Process | None,
        argv: list[str],
        account: Account,
        *,
        pid: int | None = None,
        own: bool = False,
        limited: bool = True,
    ) -> Process:
        """Enter a new process into the table. It shares its parent's step allowance unless it is its `own` job.

        Raises ProcessLimitError when the table is full, except for what the system itself starts (not `limited`).
        """
        if limited and len(self.table) >= self.limits.processes:
            raise ProcessLimitError
        if pid is None:
            pid = self._next_pid
            self._next_pid += 1
        now = self._time.monotonic()
        shared = parent is not None and not own
        allowance = parent.allowance if parent is not None and shared else Allowance(self.limits, now)
        process = Process(pid, parent, argv, started=now, account=account, allowance=allowance)
        if parent is not None:
            parent.children.add(process)
        self.table[pid] = process
        return process

    def start(self, process: Process, routine: Routine) -> None:
        """Let the process live; it gets its first turn at once where possible."""
        process.routine = routine
        if self._frozen or len(self._running) >= _MAX_NESTING:
            self._ready.append(process)
        else:
            self._step(process)
        self.run()

    def queue(self, process: Process, routine: Routine) -> None:
        """Let the process live, after those that are ready already."""
        process.routine = routine
        self._ready.append(process)

    def run(self) -> None:
        """Give turns until every process waits for something, then set the timer for the first that sleeps."""
        if self._frozen or self._draining or self._running or self._halted:
            return
        self._draining = True
        try:
            while not self._frozen and (self._ready or self._wake_sleepers()):
                self._step(self._ready.popleft())
        finally:
            self._draining = False
        if not self._frozen:
            self._set_timer()

    def signal(self, process: Process, number: int) -> None:
        """Deliver a signal: stop, continue, or end the process, unless it ignores the signal."""
        if number in HARMLESS or (number in process.ignored and number not in UNSTOPPABLE):
            return
        if number == SIGCONT:
            self._continue(process)
        elif number in STOPPING:
            process.stopped = True
        elif process in self._running:
            process.signalled = number
        else:
            self._end(process, 128 + number)
        self.run()

    def exit(self, process: Process, status: int) -> None:
        """Take a process that has come to its end out of the table."""
        process.status = status & 0xFF
        self.table.pop(process.pid, None)
        for handle in process.handles.values():
            handle.release()
        process.handles = {}
        init = self.table.get(1)
        for child in process.children:
            child.parent = init
            if init is not None:
                init.children.add(child)
        if process.parent is not None:
            process.parent.children.discard(process)
        for watcher in process.watchers:
            self._wake(watcher)
        if process.on_exit is not None:
            process.on_exit(process)

    def freeze(self) -> None:
        """Stop all turns, timers included."""
        self._frozen = True
        self._cancel_timer()

    def thaw(self) -> None:
        """Continue after `freeze`."""
        self._frozen = False
        self.run()

    def halt(self) -> None:
        """Power off: every process vanishes, and nobody is told."""
        self._halted = True
        self._cancel_timer()
        for process in list(self.table.values()):
            process.on_exit = None
            process.status = 128 + SIGKILL
            if process.routine is not None and process not in self._running:
                process.routine.close()
            for handle in process.handles.values():
                handle.release()
        self.table.clear()
        self._ready.clear()
        self._sleeping.clear()

    def _step(self, process: Process) -> None:
        """One turn: run the process until it waits or ends."""
        if process.status is not None or process.routine is None:
            return
        if process.stopped:
            process.woken = True
            return
        process.waiting = None
        self._running.append(process)
        try:
            request = process.routine.send(None)
        except StopIteration as stop:
            status: int = stop.value
            self._ended(process, status)
        except Terminated as end:
            self._ended(process, 128 + end.signal)
        except RecursionError:
            self._ended(process, 2)
        else:
            if process.signalled is not None:
                self._end(process, 128 + process.signalled)
            elif not self._halted:
                self._park(process, request)
        finally:
            self._running.pop()

    def _ended(self, process: Process, status: int) -> None:
        if not self._halted:
            self.exit(process, status)

    def _end(self, process: Process, status: int) -> None:
        if process.routine is not None:
            process.routine.close()
        self.exit(process, status)

    def _park(self, process: Process, request: Request) -> None:
        process.waiting = request
        match request:
            case Sleep(until):
                heapq.heappush(self._sleeping, (until, next(self._order), process, request))
            case Exited(other):
                if other.alive:
                    other.watchers.append(process)
                else:
                    self._wake(process)
            case Readable(handle):
                if not handle.park(lambda: self._wake_and_run(process)):
                    self._wake(process)

    def _wake(self, process: Process) -> None:
        """The process has got what it waited for."""
        if process.waiting is not None:
            process.waiting = None
            self._ready.append(process)

    def _wake_and_run(self, process: Process) -> None:
        self._wake(process)
        self.run()

    def _wake_sleepers(self) -> bool:
        """Move the sleepers whose time has come to the queue; whether there was one."""
        now = self._time.monotonic() + _EARLY
        woken = False
        while self._sleeping and self._sleeping[0][0] <= now:
            _, _, process, request = heapq.heappop(self._sleeping)
            if process.alive and process.waiting is request:
                self._wake(process)
                woken = True
        return woken

    def _continue(self, process: Process) -> None:
        process.stopped = False
        if process.woken:
            process.woken = False
            self._ready.append(process)

    def _set_timer(self) -> None:
        while self._sleeping and not self._sleeping[0][2].alive:
            heapq.heappop(self._sleeping)
        if not self._sleeping or self._halted:
            self._cancel_timer()
            return
        due = self._time.due(self._sleeping[0][0])
        if self._timer is None or due != self._timer_due:
            self._cancel_timer()
            self._timer_due = due
            self._timer = self._clock.call_at(due, self._alarm)

    def _alarm(self) -> None:
        self._timer = None
        self.run()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
