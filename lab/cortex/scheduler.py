"""Runs pipelines over the objects of the cluster, and leaves what the product leaves of a run (cortex sheet §1.5, §3).

Both doors come here: requests over HTTP, and Decisions that somebody else created.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.resources import Resource
from lab.controllers.answers import answer, says
from lab.controllers.decisions import Faults, Row, Table
from lab.cortex.conf import Conf
from lab.cortex.histories import Histories, Told
from lab.cortex.kinds import COMMITTED_RESOURCE, PROJECT_QUOTA, RESERVATION
from lab.cortex.metrics.observing import observe
from lab.cortex.process import Process
from lab.cortex.scheduling.intents import UNKNOWN, intent_of
from lab.cortex.scheduling.pipeline import run
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.runs import Run, RunError
from lab.cortex.scheduling.steps import ProcessDiedError
from lab.cortex.scheduling.view import Lens, View
from lab.hypervisor_operator.kinds import HYPERVISOR

Json = Mapping[str, Any]


class RunFailedError(Exception):
    """No result; the text is the product's error."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run. `pipeline`: a reference with a name; `vm`: the resource.

    request: None if there is none that can be read, and `problem` says so.
    """

    pipeline: Json
    vm: str
    request: Request | None
    problem: str = "no novaRaw spec defined"


@dataclass(frozen=True, slots=True)
class Finished:
    """A run with its result. `request`: as it came; `view`: what was seen."""

    request: Request
    run: Run
    view: View
    intent: str


REMEMBERED: Table[Request] = Table(
    "cortex-history",
    (
        Row("skipped", lambda request: request.options.skip_history, says(False)),
        Row("remembered", lambda _: True, says(True)),
    ),
)
"""Answers whether a History tells of the run."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """`rng`: of orders that the product leaves to chance."""

    api: Api
    process: Process
    conf: Conf
    faults: Faults
    histories: Histories
    rng: random.Random
    lens: Lens = field(default_factory=Lens)

    def finish(self, order: Order) -> Finished:
        """Run it. Raises RunFailedError, and ProcessDiedError after the process has died of it."""
        name = order.pipeline.get("name", "")
        pipeline = self.process.pipelines.get(name)
        if pipeline is None:
            raise RunFailedError(f"pipeline not found or not ready: {json.dumps(name, ensure_ascii=False)}")
        request = order.request
        if request is None:
            raise RunFailedError(order.problem)
        intent = intent_of(request) or UNKNOWN
        told = Told(order.vm, order.pipeline, intent, request.zone)
        remembered = answer(self.faults.ahead_of(REMEMBERED), request)
        view = self.view()
        try:
            result = run(pipeline, request, view, self.rng, self.faults)
        except RunError as error:
            if error.recorded and remembered:
                self.histories.failed(told, error.text)
            raise RunFailedError(error.text) from error
        except ProcessDiedError:
            self.process.die()
            raise
        observe(self.process, result, self.api.clock, self.rng)
        if remembered:
            self.histories.finished(told, result)
        return Finished(request, result, view, intent)

    def view(self) -> View:
        """The objects as they are now."""
        return self.lens.view(
            self._stored(HYPERVISOR),
            self._stored(RESERVATION),
            self._stored(COMMITTED_RESOURCE),
            self._stored(PROJECT_QUOTA),
            self.api.clock.now(),
        )

    def _stored(self, resource: Resource) -> Iterator[Json]:
        """Objects in the order of a list, shared with the store: the lens knows them again."""
        return (snapshot.obj for snapshot in self.api.store.scan(resource.key))
