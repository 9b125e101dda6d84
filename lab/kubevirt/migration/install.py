"""Live migration put together: admission, engine, and the three controllers that share it."""

from __future__ import annotations

from dataclasses import dataclass

from lab.apiserver.api import Api
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Controller, Runtime
from lab.kubevirt.callers import Callers
from lab.kubevirt.config import ConfigSource
from lab.kubevirt.domains import Domains
from lab.kubevirt.migration.admission import MigrationAdmission
from lab.kubevirt.migration.controller import MigrationController
from lab.kubevirt.migration.engine import Engine, World
from lab.kubevirt.migration.job import Job
from lab.kubevirt.migration.policy_admission import PolicyAdmission
from lab.kubevirt.migration.source import SourceHandler
from lab.kubevirt.migration.target import TargetHandler
from lab.scheduling.processes import Processes


@dataclass(frozen=True, slots=True)
class Migration:
    """Everything about live migration in one lab."""

    engine: Engine
    controller: MigrationController
    source: SourceHandler
    target: TargetHandler
    admission: tuple[MigrationAdmission, PolicyAdmission]

    @property
    def controllers(self) -> tuple[Controller, ...]:
        """To be added to the runtime."""
        return (self.controller, self.source, self.target)

    def start(self, runtime: Runtime) -> None:
        """Put the webhooks in place and start the controllers; a change of a job brings its VMI to both handlers."""
        for webhook in self.admission:
            webhook.install()

        def poke(job: Job) -> None:
            key = (job.domain.namespace, job.domain.name)
            runtime.poke(self.source, key)
            runtime.poke(self.target, key)

        self.engine.listen(poke)
        for controller in self.controllers:
            runtime.add(controller)


def migration(
    api: Api,
    config: ConfigSource,
    callers: Callers,
    domains: Domains,
    processes: Processes,
    world: World,
    faults: Faults,
) -> Migration:
    """Live migration over the rest of the lab; `world` tells about guests, devices and the network."""
    engine = Engine(api, domains, world, faults)
    handler = config.component("virt-handler")
    return Migration(
        engine=engine,
        controller=MigrationController(api, config.component("virt-controller"), faults, callers.controller),
        source=SourceHandler(api, handler, engine, callers.handler, faults),
        target=TargetHandler(api, handler, engine, processes.signal, callers.handler, faults),
        admission=(
            MigrationAdmission(api, config.component("virt-api"), callers, faults),
            PolicyAdmission(api, config.component("virt-api")),
        ),
    )
