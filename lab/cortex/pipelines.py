"""The controller of Pipelines: makes them ready, and says in their conditions how that went (cortex sheet §1.4).

The product does it again whenever a Knowledge becomes ready; no step that is simulated reads one at that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.resources import Resource
from lab.controllers.decisions import Faults
from lab.controllers.runtime import Key, Mapper, same_object
from lab.cortex.crds.pipelines import FILTER_WEIGHER
from lab.cortex.kinds import DOMAIN, PIPELINE
from lab.cortex.process import Process
from lab.cortex.scheduling.building import Told, build

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PipelineController:
    """Keeps `process.pipelines` in step with the objects."""

    api: Api
    process: Process
    faults: Faults
    caller: Caller
    name: str = "cortex-nova-pipelines"

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Pipelines alone."""
        return {PIPELINE: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Make one pipeline ready, or forget it."""
        if not self.process.alive:
            return None
        found = self.api.find(PIPELINE, *key)
        if found is None or (found["spec"]["schedulingDomain"], found["spec"]["type"]) != (DOMAIN, FILTER_WEIGHER):
            self.process.pipelines.pop(key[1], None)
            return None
        built = build(found, self.faults)
        if built.pipeline is None:
            self.process.pipelines.pop(key[1], None)
        else:
            self.process.pipelines[key[1]] = built.pipeline
        self._tell(found, built.conditions)
        return None

    def _tell(self, found: Json, conditions: tuple[Told, ...]) -> None:
        stamp = self.api.clock.stamp()
        before: Json = found.get("status") or {}
        after = reduce(lambda status, told: with_condition(status, _condition(told), stamp), conditions, before)
        if after != before:
            name = found["metadata"]["name"]
            self.api.patch(PIPELINE, "", name, {"status": after}, subresource="status", caller=self.caller)


def _condition(told: Told) -> Json:
    status = "True" if told.status else "False"
    return {"type": told.type, "status": status, "reason": told.reason, "message": told.message}
