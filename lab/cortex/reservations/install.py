"""Starts Cortex's controllers of commitments in a lab; they end and begin again with each process of Cortex."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.cortex.metrics.families import Metrics
from lab.cortex.reservations.commitments import CommitmentController
from lab.cortex.reservations.desk import Desk, indexes
from lab.cortex.reservations.near import Answer, NearCortex
from lab.cortex.reservations.settings import Settings
from lab.cortex.reservations.slots import SlotController
from lab.hypervisor_operator.workers import Logic, Worker


class Process(Protocol):
    """The process of Cortex that the controllers are part of."""

    @property
    def alive(self) -> bool:
        """Whether one runs now."""

    @property
    def metrics(self) -> Metrics:
        """What that one counts."""

    def on_start(self, starter: Callable[[], None]) -> None:
        """Call it whenever a new process has started."""


class Controllers:
    """The controllers of one Cortex, from `start` to `stop`."""

    def __init__(self, desk: Desk, near: NearCortex) -> None:
        self._desk = desk
        self._near = near
        self._workers: list[Worker] = []

    def start(self) -> None:
        """Begin, or begin again: what an earlier process remembered is gone."""
        self.stop()
        desk = self._desk
        logics: tuple[Logic, ...] = (CommitmentController(desk), SlotController(desk))
        self._workers = [Worker(logic, desk.api, self._near, desk.rng, _unheard) for logic in logics]
        for worker in self._workers:
            worker.start()

    def stop(self) -> None:
        """End at once."""
        for worker in self._workers:
            worker.stop()
        self._workers = []


def install(
    api: Api,
    process: Process,
    answer: Answer,
    caller: Caller,
    *,
    faults: Faults,
    seed: int,
    settings: Settings | None = None,
) -> Controllers:
    """Start them, and again with each new process. answer: what Cortex's own front says, asked without a socket."""
    rng = random.Random(f"{seed}/cortex/reservations")
    by_host, by_commitment = indexes(api)
    desk = Desk(
        api, faults, settings or Settings(), rng, caller, lambda: process.alive, lambda: process.metrics,
        by_host, by_commitment,
    )  # fmt: skip
    controllers = Controllers(desk, NearCortex(answer, api.clock, rng))
    process.on_start(controllers.start)
    controllers.start()
    return controllers


def _unheard(_: str) -> None:
    """Nobody reads the log of the simulated process."""
