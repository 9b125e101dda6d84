"""One lab: the API server, the product in it, and the clock they share."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab.apiserver.admission import SYSTEM, Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.install import install as install_builtin
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.http.front import Front
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.clock import ScaledClock
from lab.controllers.effects import perform
from lab.controllers.runtime import Runtime
from lab.faults import Fault, together
from lab.kubevirt.product import install as install_product
from lab.kubevirt.world import build
from lab.profiles import Profile
from lab.sitefile import SiteFiles, write


@dataclass(frozen=True, slots=True)
class Choice:
    """What lab to build."""

    profile: Profile
    faults: tuple[Fault, ...] = ()
    seed: int = 1
    time_scale: float = 100.0


class Cluster:
    """A running lab; `start` returns once it answers."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.clock = ScaledClock(choice.time_scale)
        rng = random.Random(choice.seed)
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), strategies(), rng)
        self.runtime = Runtime(self.api, self.clock, rng)
        self.front = Front(self.api)
        definitions = install_builtin(self.api, self.runtime, self.front.authority.pem.decode())
        world = build(self.api, self.runtime, choice.profile, seed=choice.seed, faults=together(choice.faults))
        product = install_product(world, definitions)
        self.front.aggregated.append(product.subresources)
        self.front.streams = product.containers
        self._driver: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the Kubernetes API answers."""
        return self.front.url

    async def start(self, directory: Path) -> SiteFiles:
        """Serve; writes kubeconfigs and the site file into `directory`."""
        await self.front.start()
        for fault in self.choice.faults:
            perform(fault.at_start, self.api, SYSTEM)
        self._driver = asyncio.create_task(self.clock.run())
        front, choice = self.front, self.choice
        return write(directory, front.url, front.authority, front.credentials, choice.profile, choice.time_scale)

    async def stop(self) -> None:
        """End everything."""
        if self._driver is not None:
            self._driver.cancel()
            with suppress(asyncio.CancelledError):
                await self._driver
        await self.front.stop()
