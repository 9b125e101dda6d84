"""Histories: the last runs for each VM, and an Event about each run (cortex sheet §1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.builtin.kinds import EVENTS_EVENT
from lab.apiserver.errors import ApiError
from lab.clock import micro_timestamp
from lab.cortex.kinds import DOMAIN, HISTORY
from lab.cortex.scheduling.explanation import explain, explain_failure
from lab.cortex.scheduling.runs import Run

Json = Mapping[str, Any]
_COMPONENT = "cortex-nova-scheduler"
_KEPT = 10  # earlier runs
_BEST = 3  # hosts of a run
_NOTE_LIMIT = 1024  # bytes; the API server refuses a longer note, and Cortex does not mind
_EVENT_OF_SUCCESS = {"type": "Normal", "reason": "SchedulingSucceeded", "action": "Scheduled"}
_EVENT_OF_FAILURE = {"type": "Warning", "reason": "SchedulingFailed", "action": "FailedScheduling"}
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
        current: dict[str, Any] = {}
        if run.target is not None:
            current = {"orderedHosts": list(run.ordered_hosts[:_BEST]), "targetHost": run.target}
        self._try(told, current, explain(run), _NO_HOST if run.target is None else _SUCCEEDED)

    def failed(self, told: Told, error: str) -> None:
        """A run without a result."""
        said = ("False", "PipelineRunFailed", f"pipeline run failed: {error}")
        self._try(told, {}, explain_failure(error), said)

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
        """One for each run: the recorder counts only repeats about the same version of an object."""
        if len(text.encode()) > _NOTE_LIMIT:
            return
        metadata, now = history["metadata"], self.api.clock.now()
        name = f"{metadata['name']}.{int(now * 1e9) + int(metadata['resourceVersion']):x}"
        body = {
            "metadata": {"name": name, "namespace": "default"},
            "eventTime": micro_timestamp(now),
            "reportingController": _COMPONENT,
            "reportingInstance": f"{_COMPONENT}-lab",
            "regarding": {
                **{key: history[key] for key in ("apiVersion", "kind")},
                **{key: metadata[key] for key in ("name", "uid", "resourceVersion")},
            },
            **(_EVENT_OF_SUCCESS if successful else _EVENT_OF_FAILURE),
            "note": text,
        }
        self.api.create(EVENTS_EVENT, body, caller=self.caller)


def _earlier(current: Json) -> Json:
    """A run as the list of earlier ones keeps it."""
    kept = ("timestamp", "pipelineRef", "intent", "successful")
    return {key: current[key] for key in (*kept, "orderedHosts") if key in current}
