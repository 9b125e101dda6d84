"""The controller of Decisions: runs those that others created, and writes what came out (cortex sheet §1.5).

Beside HTTP: nothing is validated or inferred, the order is neither limited nor shuffled, and no allocation and no
counter of placements is written. A run without a result leaves the object as it is, and is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper
from lab.cortex.kinds import DECISION, DOMAIN
from lab.cortex.process import Process
from lab.cortex.scheduler import Order, RunFailedError, Scheduler
from lab.cortex.scheduling.request import RequestError, parse
from lab.cortex.scheduling.steps import ProcessDiedError

Json = Mapping[str, Any]
_FIRST_RETRY, _LONGEST_RETRY = 0.005, 1000.0  # product seconds, doubled each time (controller-runtime's limiter)
_SUCCEEDED = {
    "type": "Ready", "status": "True", "reason": "PipelineRunSucceeded", "message": "pipeline run succeeded",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecisionController:
    """Takes every Decision of its domain that has no result."""

    api: Api
    process: Process
    scheduler: Scheduler
    caller: Caller
    name: str = "cortex-nova-decisions"
    _failures: dict[str, int] = field(default_factory=dict)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Decisions that are not decided."""
        return {DECISION: _open}

    def reconcile(self, key: Key) -> float | None:
        """Run one."""
        found = self.api.find(DECISION, *key)
        if found is None or not undecided(found):
            self._failures.pop(key[1], None)
            return None
        if not self.process.alive:
            return None
        try:
            finished = self.scheduler.finish(_order(found["spec"]))
        except ProcessDiedError:
            return None
        except RunFailedError:
            failures = self._failures[key[1]] = self._failures.get(key[1], 0) + 1
            return self.api.clock.now() + min(_FIRST_RETRY * 2.0 ** min(failures - 1, 30), _LONGEST_RETRY)
        self._failures.pop(key[1], None)
        status = with_condition(found.get("status") or {}, _SUCCEEDED, self.api.clock.stamp())
        body = {"status": {**status, "result": finished.run.to_result()}}
        self.api.patch(DECISION, "", key[1], body, subresource="status", caller=self.caller)
        return None


def _order(spec: Json) -> Order:
    raw = spec.get("novaRaw")
    reference, vm = spec["pipelineRef"], spec["resourceID"]
    if raw is None:
        return Order(reference, vm, None)
    try:
        return Order(reference, vm, parse(raw))
    except RequestError as error:
        return Order(reference, vm, None, error.text)


def undecided(decision: Json) -> bool:
    """Whether it is Nova's, and has no result."""
    return decision["spec"]["schedulingDomain"] == DOMAIN and not (decision.get("status") or {}).get("result")


def _open(change: Change) -> Iterable[Key]:
    obj: Any = change.new.obj
    return (("", change.new.name),) if undecided(obj) else ()
