"""How the containers of the operator get their process: simulated, or a real program (`external`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.hypervisor_operator.logs import Log
from lab.hypervisor_operator.process import Process
from lab.hypervisor_operator.programs import Program, program_of
from lab.hypervisor_operator.wire import Nova

Exited = Callable[[int], None]


class Running(Protocol):
    """A process of a container, from its start to its end. The one that made it hears of an end by itself."""

    @property
    def leader_elect(self) -> bool:
        """Whether it works only with the lease."""

    def start(self, arguments: Iterable[str], environment: Mapping[str, str]) -> None:
        """Run it."""

    def lead(self) -> None:
        """It is the one that works."""

    def probe(self, answered: Callable[[bool], None]) -> None:
        """Ask whether it is ready."""

    def end(self, ended: Callable[[], None]) -> None:
        """Signal it; `ended` is called when it has gone."""


Make = Callable[[str, Log, Exited], "Running | None"]
"""Makes the process of an image, with its log and whom to tell when it exits; None: there is no such image."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """Makes the programs that the lab knows."""

    api: Api
    nova: Nova
    programs: Mapping[str, Program]
    faults: Faults
    rng: random.Random
    account: str

    def __call__(self, image: str, log: Log, exited: Exited) -> Running | None:
        """See Make."""
        program = program_of(image, self.programs)
        if program is None:
            return None
        return Process(self.api, self.nova, program, self.faults, self.rng, self.account, log, exited)
