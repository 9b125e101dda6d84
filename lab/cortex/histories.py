"""Histories: the last runs for each VM, and an Event about each run (cortex sheet §1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.errors import ApiError
from lab.controllers.events import Emit, EventType
from lab.cortex.kinds import DOMAIN, HISTORY
from lab.cortex.scheduling.explanation import explain, explain_failure
from lab.cortex.scheduling.runs import Run

Json = Mapping[str, Any]
_COMPONENT = "cortex-nova-scheduler"
_KEPT = 10  # earlier runs
_BEST = 3  # hosts of a run
_NOTE_LIMIT = 1024  # bytes; the API server refuses a longer note, and Cortex does not mind
_SUCCEEDED = ("True", "SchedulingSucceeded", "scheduling decision selected a target host")
_NO_HOST = ("False", "NoHostFound", "pipeline completed but no suitable host was found")


@dataclass(frozen=True, slots=True)
class Told:
    """What a run was for. `pipeline`: the reference to it."""

    vm: str
    pipeline: Json
    intent: str
    zone: str


@dataclass(frozen=True, slots=True)
class Histories:
    """Writes them as `caller`. What the API refuses, such as a name that no object may have, is not told at all."""

    api: Api
    caller: Caller

    def finished(self, told: Told, run: Run) -> None:
        """A run with a result, with or without a host."""
        current: dict[str, Any] = {"orderedHosts": list(run.ordered_hosts[:_BEST])}
        if run.target is not None:
            current["targetHost"] = run.target
        self._try(told, current, explain(run), _NO_HOST if run.target is None else _SUCCEEDED)

    def failed(self, told: Told, error: str) -> None:
        """A run without a result."""
        said = ("False", "PipelineRunFailed", f"pipeline run failed: {error}")
        self._try(told, {"orderedHosts": []}, explain_failure(error), said)

    def _try(self, told: Told, current: Json, text: str, said: tuple[str, str, str]) -> None:
        with suppress(ApiError):
            self._write(told, current, text, said)

    def _write(self, told: Told, current: Json, text: str, said: tuple[str, str, str]) -> None:
        name, stamp = f"{DOMAIN}-{told.vm}", self.api.clock.stamp()
        found = self.api.find(HISTORY, "", name) or self._create(name, told)
        before: Json = found.get("status") or {}
        status, reason, message = said
        successful = status == "True"
        now = {
            "timestamp": stamp,
            "pipelineRef": told.pipeline,
            "intent": told.intent,
            "successful": successful,
            **({"explanation": text} if text else {}),
            **current,
        }
        condition = {"type": "Ready", "status": status, "reason": reason, "message": message}
        after: dict[str, Any] = with_condition({**before, "current": now}, condition, stamp)
        if before.get("current"):
            after["history"] = [*(before.get("history") or ()), _earlier(before["current"])][-_KEPT:]
        written = self.api.update(HISTORY, {**found, "status": after}, subresource="status", caller=self.caller)
        self._emit(written, text, successful)

    def _create(self, name: str, told: Told) -> Json:
        spec = {"schedulingDomain": DOMAIN, "resourceID": told.vm, "availabilityZone": told.zone}
        return self.api.create(HISTORY, {"metadata": {"name": name}, "spec": spec}, caller=self.caller)

    def _emit(self, history: Json, text: str, successful: bool) -> None:
        if len(text.encode()) > _NOTE_LIMIT:
            return
        kind: EventType = "Normal" if successful else "Warning"
        reason = "SchedulingSucceeded" if successful else "SchedulingFailed"
        Emit(history, kind, reason, text, _COMPONENT).apply(self.api, self.caller)


def _earlier(current: Json) -> Json:
    """A run as the list of earlier ones keeps it."""
    kept = ("timestamp", "pipelineRef", "intent", "successful")
    return {**{key: current[key] for key in kept}, "orderedHosts": current.get("orderedHosts") or []}
