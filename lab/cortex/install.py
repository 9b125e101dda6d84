"""Puts Cortex into a lab: definitions, pipelines and flavor groups as its chart leaves them, and the process itself."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.custom.lifecycle import DefinitionController
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Runtime
from lab.cortex import crds
from lab.cortex.conf import Conf
from lab.cortex.decisions import DecisionController, undecided
from lab.cortex.flavor_groups import CloudFlavor, learn
from lab.cortex.histories import Histories
from lab.cortex.http.answers import Answers
from lab.cortex.http.front import Front
from lab.cortex.kinds import DECISION, PIPELINE
from lab.cortex.metrics.families import Metrics
from lab.cortex.monitor import reservation_gauges
from lab.cortex.pipelines import PipelineController
from lab.cortex.placements import Recorder
from lab.cortex.process import Process
from lab.cortex.scheduler import Scheduler
from lab.cortex.scheduling.defaults import default_pipelines
from lab.cortex.scheduling.revisions import LATEST, with_revision

NAME = "cortex"
CALLER = Caller(
    "system:serviceaccount:default:cortex-nova-scheduling", ("system:masters", "system:authenticated"), NAME
)


@dataclass(frozen=True, slots=True)
class Cortex:
    """A Cortex that runs. `front`: its addresses, `start` and `stop` belong to the lab's own."""

    process: Process
    scheduler: Scheduler
    front: Front


def install_definitions(
    api: Api, definitions: DefinitionController, flavors: Iterable[CloudFlavor], revision: str = LATEST
) -> None:
    """What a real one needs too: the kinds, the chart's pipelines, and the flavor groups that a database would tell."""
    crds.install(api, definitions)
    for pipeline in default_pipelines(revision):
        api.create(PIPELINE, pipeline)
    learn(api, flavors)


def install(api: Api, runtime: Runtime, conf: Conf, *, faults: Faults, seed: int) -> Cortex:
    """The simulated scheduler, over definitions that are installed. Hypervisors are the hypervisor operator's kind."""
    clock, faults = api.clock, with_revision(conf.revision, faults)
    process = Process(clock, lambda: Metrics(conf.labels, (lambda: reservation_gauges(api),)))
    rng = random.Random(f"{seed}/cortex")
    scheduler = Scheduler(api, process, conf, faults, Histories(api, CALLER), rng)
    answers = Answers(clock, process, conf, scheduler, Recorder(api, process, faults, CALLER), rng)
    ready = PipelineController(api, process, faults, CALLER)
    decisions = DecisionController(api, process, scheduler, CALLER)
    for controller in (ready, decisions):
        runtime.add(controller)

    def see_everything() -> None:
        for snapshot in api.store.scan(PIPELINE.key):
            runtime.poke(ready, ("", snapshot.name))
        for snapshot in api.store.scan(DECISION.key):
            found: Any = snapshot.obj
            if undecided(found):
                runtime.poke(decisions, ("", snapshot.name))

    process.on_start(see_everything)
    return Cortex(process, scheduler, Front(answers))
