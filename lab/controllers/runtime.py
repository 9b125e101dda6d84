"""Drives controllers: changes become keys in queues, every queue is empty again before product time goes on."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import Clock, Timer

Key = tuple[str, str]  # (namespace, name)
Mapper = Callable[[Change], Iterable[Key]]
_RETRY = 0.5  # product seconds before a refused write is tried again
logger = logging.getLogger(__name__)


class Controller(Protocol):
    """What the runtime needs of a controller."""

    @property
    def name(self) -> str:
        """Unique name, also the one `--without NAME` uses."""

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Kinds to follow, and which keys a change of each concerns."""

    def reconcile(self, key: Key) -> float | None:
        """Bring one key forward; returns the product time to look again, None to wait for a change."""


def same_object(change: Change) -> Iterable[Key]:
    """The mapper for a controller's own kind."""
    return ((change.new.namespace, change.new.name),)


class Runtime:
    """Queues of all controllers over one clock. Latency between a change and its reconcile comes from the seed."""

    def __init__(
        self, api: Api, clock: Clock, rng: random.Random, latency: tuple[float, float] = (0.005, 0.05)
    ) -> None:
        self._api = api
        self._clock = clock
        self._rng = rng
        self._latency = latency
        self._queued: dict[tuple[str, Key], Timer] = {}
        self._wakeups: dict[tuple[str, Key], Timer] = {}

    def add(self, controller: Controller) -> None:
        """Start a controller: it sees everything that exists and every later change."""
        for resource, mapper in controller.watches.items():
            self._api.listen(resource, lambda change, m=mapper: self._enqueue(controller, m(change)))  # type: ignore[misc]  # default binds m
            for snapshot in self._api.store.scan(resource.key):
                self._enqueue(controller, mapper(Change("ADDED", None, snapshot)))

    def poke(self, controller: Controller, key: Key) -> None:
        """Queue a key by hand (something outside the API changed, such as a guest)."""
        self._enqueue(controller, (key,))

    def _enqueue(self, controller: Controller, keys: Iterable[Key]) -> None:
        for key in keys:
            entry = (controller.name, key)
            if entry not in self._queued:
                delay = self._rng.uniform(*self._latency)
                self._queued[entry] = self._clock.call_later(delay, self._run, controller, key)

    def _run(self, controller: Controller, key: Key) -> None:
        entry = (controller.name, key)
        self._queued.pop(entry, None)
        wakeup = self._wakeups.pop(entry, None)
        if wakeup is not None:
            wakeup.cancel()
        try:
            wake_at = controller.reconcile(key)
        except ApiError as error:
            logger.info("%s %s/%s: %s", controller.name, *key, error)
            wake_at = self._clock.now() + _RETRY
        if wake_at is not None:
            self._wakeups[entry] = self._clock.call_at(wake_at, self._run, controller, key)
