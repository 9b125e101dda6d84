"""Starts Cortex's controllers of commitments in a lab; they end and begin again with each process of Cortex."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Protocol

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.cortex.metrics.families import Metrics
from lab.cortex.reservations.commitments import CommitmentController
from lab.cortex.reservations.desk import Desk, indexes
from lab.cortex.reservations.forgetting import Forgetting
from lab.cortex.reservations.in_flight import InFlightController
from lab.cortex.reservations.near import Answer, NearCortex
from lab.cortex.reservations.oversubscription import OversubscriptionController
from lab.cortex.reservations.settings import Settings
from lab.cortex.reservations.slots import SlotController
from lab.cortex.reservations.usage import UsageController
from lab.cortex.reservations.vms import Vms
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
    """The controllers of one Cortex, from `start` to `stop`.

    Without `vms` nobody reconciles usage, and nobody forgets Histories.
    """

    def __init__(self, desk: Desk, near: NearCortex, vms: Vms | None) -> None:
        self._desk = desk
        self._near = near
        self._vms = vms
        self._running: list[Worker | Forgetting] = []

    def start(self) -> None:
        """Begin, or begin again: what an earlier process remembered is gone."""
        self.stop()
        desk = self._desk
        self._running = [Worker(logic, desk.api, self._near, desk.rng, _unheard) for logic in self._logics()]
        if self._vms is not None:
            self._running.append(Forgetting(desk, self._vms))
        for each in self._running:
            each.start()

    def stop(self) -> None:
        """End at once."""
        for each in self._running:
            each.stop()
        self._running = []

    def _logics(self) -> Iterator[Logic]:
        desk = self._desk
        yield CommitmentController(desk)
        yield SlotController(desk)
        yield InFlightController(desk, self._vms)
        if desk.settings.oversubscription:
            yield OversubscriptionController(desk)
        if self._vms is not None:
            yield UsageController(desk, self._vms)


def install(
    api: Api,
    process: Process,
    answer: Answer,
    caller: Caller,
    *,
    faults: Faults,
    seed: int,
    settings: Settings | None = None,
    vms: Vms | None = None,
) -> Controllers:
    """Start them, and again with each new process.

    answer: what Cortex's own front says, asked without a socket. vms: the source of VMs that usage and in-flight
    reservations need.
    """
    rng = random.Random(f"{seed}/cortex/reservations")
    by_host, by_commitment = indexes(api)
    desk = Desk(
        api, faults, settings or Settings(), rng, caller, lambda: process.alive, lambda: process.metrics,
        by_host, by_commitment,
    )  # fmt: skip
    controllers = Controllers(desk, NearCortex(answer, api.clock, rng), vms)
    process.on_start(controllers.start)
    controllers.start()
    return controllers


def _unheard(_: str) -> None:
    """Nobody reads the log of the simulated process."""
