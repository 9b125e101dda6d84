"""One controller's queue and its single worker, as controller-runtime runs them (operator sheet §6, requeue rules).

An object is worked on once at a time. A change makes it ready at once, whatever delay was set. A result may ask for a
look after some time; an error discards that and is retried after 5 ms, doubled each time, up to 1000 s.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import Timer
from lab.hypervisor_operator.conversations import Conversation, Talk
from lab.hypervisor_operator.session import SessionError
from lab.hypervisor_operator.wire import Nova

LATENCY = (0.005, 0.05)  # product seconds from a change to its arrival in the informer
_FIRST_RETRY, _LONGEST_RETRY = 0.005, 1000.0
Names = Callable[[Change], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Done:
    """How a reconcile ended: look again after so many product seconds, or an error; neither: wait for a change."""

    after: float | None = None
    error: str = ""


class Logic(Protocol):
    """What a controller does with one object."""

    @property
    def name(self) -> str:
        """As controller-runtime names it."""

    @property
    def watches(self) -> Mapping[Resource, Names]:
        """Kinds to follow, and the objects that a change of each concerns."""

    def reconcile(self, name: str) -> Talk[Done]:
        """Bring one object forward."""


def itself(change: Change) -> Iterable[str]:
    """The names for a controller's own kind."""
    return (change.new.name,)


class Worker:
    """Runs one controller from `start` to `stop`. What it remembers ends with it."""

    def __init__(self, logic: Logic, api: Api, nova: Nova, rng: random.Random, tell: Callable[[str], None]) -> None:
        """tell: writes a line into the log of the process."""
        self._logic = logic
        self._api = api
        self._nova = nova
        self._rng = rng
        self._tell = tell
        self._stops: list[Callable[[], None]] = []
        self._arriving: set[str] = set()
        self._ready: dict[str, None] = {}
        self._again: set[str] = set()  # changed while being worked on
        self._timers: dict[str, Timer] = {}
        self._failures: dict[str, int] = {}
        self._busy: tuple[str, Conversation[Done]] | None = None
        self._stopped = False

    def start(self) -> None:
        """See everything that exists, and every later change."""
        for resource, names in self._logic.watches.items():

            def follow(change: Change, names: Names = names) -> None:
                self._arrive(names(change))

            self._stops.append(self._api.listen(resource, follow))
            for snapshot in self._api.store.scan(resource.key):
                follow(Change("ADDED", None, snapshot))

    def stop(self) -> None:
        """End at once: what is under way is not gone on with."""
        self._stopped = True
        for stop in self._stops:
            stop()
        for timer in self._timers.values():
            timer.cancel()
        if self._busy is not None:
            self._busy[1].abandon()

    def _arrive(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._arriving:
                self._arriving.add(name)
                self._api.clock.call_later(self._rng.uniform(*LATENCY), self._enqueue, name)

    def _enqueue(self, name: str) -> None:
        self._arriving.discard(name)
        if self._stopped:
            return
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        if self._busy is not None and self._busy[0] == name:
            self._again.add(name)
            return
        self._ready[name] = None
        self._next()

    def _next(self) -> None:
        if self._busy is not None or not self._ready:
            return
        name = next(iter(self._ready))
        del self._ready[name]

        def broke(error: Exception) -> None:
            self._finish(name, Done(error=str(error)))

        conversation = Conversation(
            self._logic.reconcile(name),
            self._nova,
            self._api.clock,
            lambda done: self._finish(name, done),
            broke,
            (ApiError, SessionError),
        )
        self._busy = (name, conversation)
        conversation.advance()

    def _finish(self, name: str, done: Done) -> None:
        self._busy = None
        if done.error:
            self._failures[name] = self._failures.get(name, 0) + 1
            self._tell(f'ERROR\tReconciler error\t{{"controller": "{self._logic.name}", "error": "{done.error}"}}')
            delay: float | None = min(_FIRST_RETRY * 2.0 ** min(self._failures[name] - 1, 30), _LONGEST_RETRY)
        else:
            self._failures.pop(name, None)
            delay = done.after
        if name in self._again:
            self._again.discard(name)
            self._ready[name] = None
        elif delay is not None:
            self._timers[name] = self._api.clock.call_later(delay, self._enqueue, name)
        self._next()
