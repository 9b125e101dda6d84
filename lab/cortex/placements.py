"""After a run over HTTP: the VM goes into a slot of its new host, and counters tell how commitments helped (sheet §2).

The project here is that of the caller's context; filters and weighers go by the project of the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.controllers.answers import answer, says
from lab.controllers.decisions import Faults, Row, Table
from lab.cortex.flavor_groups import GroupFlavor, GroupsUnknownError, flavor_groups, group_of
from lab.cortex.kinds import RESERVATION
from lab.cortex.process import Process
from lab.cortex.scheduler import Finished
from lab.cortex.scheduling.placement import active_commitments, no_host_outcome, outcome, pick_slot
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.slots import SlotEvaluator, Wanted
from lab.node_agent.quantities import binary, decimal

Json = Mapping[str, Any]
TRACKED: Table[Request] = Table(
    "cortex-tracking",
    (
        Row("skipped", lambda request: request.options.skip_tracking, says(False)),
        Row("tracked", lambda _: True, says(True)),
    ),
)
"""Answers whether a placement is counted and written into a slot."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A run for a flavor of a group, beside the slots and the commitments it could go by."""

    finished: Finished
    group: str
    flavor: GroupFlavor
    evaluator: SlotEvaluator

    @property
    def wanted(self) -> Wanted:
        """Whose slots: the group's, for the project of the caller."""
        project = self.finished.request.context.project
        return Wanted(project, self.group, self.finished.request.vm, project)

    @property
    def active(self) -> tuple[Json, ...]:
        """Commitments in force."""
        return active_commitments(self.finished.view.commitments, self.wanted.project, self.group)


@dataclass(frozen=True, slots=True)
class Recorder:
    """Only for processes with `committedResourceTracking`."""

    api: Api
    process: Process
    faults: Faults
    caller: Caller

    def record(self, finished: Finished) -> None:
        """Count the outcome of a run, and write its VM into a slot."""
        target = finished.run.target
        if target is not None and not answer(self.faults.ahead_of(TRACKED), finished.request):
            return
        metrics = self.process.metrics
        try:
            found = group_of(flavor_groups(self.api), finished.request.flavor.name)
        except GroupsUnknownError:
            if target is None:
                metrics.no_host.inc("error", "unknown", finished.intent)
            else:
                metrics.placements.inc("unknown", finished.intent, "error")
            return
        if found is None:
            return  # paid as you go
        group, flavor = found
        case = _Case(finished, group.name, flavor, SlotEvaluator(finished.view, self.faults))
        if target is None:
            self._no_host(case)
        else:
            self._placed(case, target)

    def _no_host(self, case: _Case) -> None:
        run = case.finished.run
        result = no_host_outcome(case.evaluator, case.active, run.hosts_in, case.wanted, case.flavor.memory)
        self.process.metrics.no_host.inc(result, case.group, case.finished.intent)

    def _placed(self, case: _Case, target: str) -> None:
        result = outcome(case.evaluator, case.active, case.finished.run.ordered_hosts, case.wanted)
        self.process.metrics.placements.inc(case.group, case.finished.intent, result)
        if result == "slot_used":
            self._write(case, target)

    def _write(self, case: _Case, target: str) -> None:
        vm, slots = case.wanted.vm, case.evaluator.matching(target, case.wanted)
        slot = pick_slot(case.evaluator, slots, case.wanted, case.flavor.memory)
        if slot is None or any(vm in each.committed.expected for each in slots if each.committed is not None):
            return
        resources = {"memory": binary(case.flavor.memory), "cpu": decimal(case.flavor.vcpus)}
        entry = {"creationTimestamp": self.api.clock.stamp(), "resources": resources}
        body = {"spec": {"committedResourceReservation": {"allocations": {vm: entry}}}}
        with suppress(ApiError):  # the product minds as little
            self.api.patch(RESERVATION, "", slot.name, body, caller=self.caller)
