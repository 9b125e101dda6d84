"""One lab: the API server, the controllers and the clock they share."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.http.front import Front
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.apiserver.strategies import Strategies
from lab.clock import ScaledClock
from lab.controllers.runtime import Runtime
from lab.profiles import Profile
from lab.sitefile import SiteFiles, write


@dataclass(frozen=True, slots=True)
class Choice:
    """What lab to build."""

    profile: Profile
    faults: tuple[str, ...] = ()
    seed: int = 1
    time_scale: float = 100.0


class Cluster:
    """A running lab; `start` returns once everything in it is at rest and answers."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.clock = ScaledClock(choice.time_scale)
        rng = random.Random(choice.seed)
        self.api = Api(Store(), self.clock, Catalogue(BUILTIN), Admission(), Strategies(), rng)
        self.runtime = Runtime(self.api, self.clock, rng)
        self.front = Front(self.api)
        self._driver: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the Kubernetes API answers."""
        return self.front.url

    async def start(self, directory: Path) -> SiteFiles:
        """Serve; writes kubeconfigs and the site file into `directory`."""
        await self.front.start()
        self._driver = asyncio.create_task(self.clock.run())
        front = self.front
        return write(
            directory, front.url, front.authority, front.credentials, self.choice.profile, self.choice.time_scale
        )

    async def stop(self) -> None:
        """End everything."""
        if self._driver is not None:
            self._driver.cancel()
        await self.front.stop()
