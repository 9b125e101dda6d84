"""One lab: the API server, the systems of its profile, and the clock they share."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.apiserver.admission import SYSTEM, Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.install import install as install_builtin
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.http.front import Front
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.choice import Choice
from lab.clock import Clock, ScaledClock
from lab.controllers.effects import perform
from lab.controllers.runtime import Runtime
from lab.faults import together
from lab.sitefile import Kubeconfigs, write_kubeconfigs, write_site
from lab.systems import SYSTEMS, Lab, Started

if TYPE_CHECKING:
    from lab.openstack.install import OpenStack


@dataclass(frozen=True, slots=True)
class Ready:
    """What a lab that answers has left in its directory; tells: lines for who started it by hand."""

    site: Path
    users: Kubeconfigs
    tells: tuple[str, ...]


class Cluster:
    """A running lab; `start` returns once it answers. Without a clock of its own it has one that follows the wall's.

    Raises ChoiceError for a choice that cannot be served.
    """

    def __init__(self, choice: Choice, clock: Clock | None = None) -> None:
        self.choice = choice
        self.clock = clock or ScaledClock(choice.time_scale)
        self._systems = SYSTEMS.wanted(choice)
        rng = random.Random(choice.seed)
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), strategies(), rng)
        self.runtime = Runtime(self.api, self.clock, rng)
        self.front = Front(self.api)
        self._definitions = install_builtin(self.api, self.runtime, self.front.authority.pem.decode())
        self._lab: Lab | None = None
        self._started: list[Started] = []
        self._driver: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the Kubernetes API answers."""
        return self.front.url

    @property
    def openstack(self) -> OpenStack | None:
        """The cloud of a lab that was started, None without."""
        return self._lab.openstack if self._lab is not None else None

    async def start(self, directory: Path) -> Ready:
        """Serve; writes kubeconfigs, what systems leave, and the site file into `directory`."""
        choice = self.choice
        await self.front.start()
        users = write_kubeconfigs(directory, self.front)
        faults = together(choice.faults)
        self._lab = Lab(
            choice, self.api, self.runtime, self.front, self._definitions, faults, directory.resolve(), users.admin
        )
        for system in self._systems:
            self._started.append(await system.start(self._lab))
        for fault in choice.faults:
            perform(fault.at_start, self.api, SYSTEM)
        if isinstance(self.clock, ScaledClock):
            self._driver = asyncio.create_task(self.clock.run())
        sections = [started.site for started in self._started]
        site = write_site(directory, choice.profile.name, choice.time_scale, users, sections)
        return Ready(site, users, tuple(line for started in self._started for line in started.tells))

    async def until(self, stop: asyncio.Event) -> None:
        """Stay up until told to end. Raises what a timer has raised: time would stand still for ever."""
        told = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({told, self._driver or told}, return_when=asyncio.FIRST_COMPLETED)
            if self._driver is not None and self._driver.done():
                self._driver.result()
        finally:
            told.cancel()

    async def stop(self) -> None:
        """End everything. Raises what a timer has raised."""
        for started in reversed(self._started):
            await started.stop()
        try:
            if self._driver is not None:
                self._driver.cancel()
                with suppress(asyncio.CancelledError):
                    await self._driver
        finally:
            await self.front.stop()
