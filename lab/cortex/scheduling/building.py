"""From a Pipeline object to a pipeline, and what its conditions say of that (Cortex sheet §1.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.controllers.answers import answer, says
from lab.controllers.decisions import Faults, Row, Table
from lab.cortex.scheduling.filters import FILTERS
from lab.cortex.scheduling.params import ParameterError, read
from lab.cortex.scheduling.pipeline import SOUND, Configured, Pipeline
from lab.cortex.scheduling.steps import Step
from lab.cortex.scheduling.weighers import WEIGHERS

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Named:
    """A step that a pipeline names."""

    pipeline: str
    step: str


KNOWN: Table[Named] = Table("cortex-steps", (Row("the program has it", lambda _: True, says(True)),))
"""Answers whether the program has a step that this version could have."""


@dataclass(frozen=True, slots=True)
class Told:
    """A condition of the Pipeline object."""

    type: str
    status: bool
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Built:
    """pipeline: None when a filter could not be initialised. failed_…: texts by step name."""

    pipeline: Pipeline | None
    unknown: tuple[str, ...]
    failed_filters: Mapping[str, str]
    failed_weighers: Mapping[str, str]

    @property
    def conditions(self) -> tuple[Told, ...]:
        """What the object's status tells. A filter that failed leaves `AllStepsIndexed` as it was."""
        if self.failed_filters:
            count = len(self.failed_filters)
            why = f"{count} filters failed to initialize: {_map(self.failed_filters)}"
            return (
                Told("Ready", False, "PipelineInitFailed", "one or more filters failed to initialize"),
                Told("AllStepsReady", False, "PipelineInitFailed", why),
            )
        return (self._steps_ready, self._steps_indexed, Told("Ready", True, "PipelineReady", "pipeline is ready"))

    @property
    def _steps_ready(self) -> Told:
        if not self.failed_weighers:
            return Told("AllStepsReady", True, "AllStepsReady", "all pipeline steps are ready")
        why = f"{len(self.failed_weighers)} weighers failed to initialize: {_map(self.failed_weighers)}. "
        return Told("AllStepsReady", False, "SomeStepsNotReady", why)

    @property
    def _steps_indexed(self) -> Told:
        if not self.unknown:
            said = "all pipeline steps are indexed and known by the controller"
            return Told("AllStepsIndexed", True, "AllStepsIndexed", said)
        why = f"pipeline contains {len(self.unknown)} unknown steps: [{' '.join(self.unknown)}]"
        return Told("AllStepsIndexed", False, "PipelineContainsUnknownSteps", why)


def build(pipeline: Json, faults: Faults = SOUND) -> Built:
    """The pipeline that this Pipeline object describes, of type filter-weigher."""
    name, spec = pipeline["metadata"]["name"], pipeline.get("spec") or {}
    filters = _Configuring(name, "filter", FILTERS, faults)
    weighers = _Configuring(name, "weigher", WEIGHERS, faults)
    filters.read(spec.get("filters") or ())
    weighers.read(spec.get("weighers") or ())
    ready = Pipeline(name, bool(spec.get("ignorePreselection")), filters.ready, weighers.ready)
    return Built(
        pipeline=None if filters.failed else ready,
        unknown=(*filters.unknown, *weighers.unknown),
        failed_filters=filters.failed,
        failed_weighers=weighers.failed,
    )


class _Configuring:
    def __init__(self, pipeline: str, kind: str, steps: Sequence[Step], faults: Faults) -> None:
        known = faults.ahead_of(KNOWN)
        self._steps = {step.name: step for step in steps if answer(known, Named(pipeline, step.name))}
        self._kind = kind
        self._order: list[str] = []
        self._configured: dict[str, Configured] = {}
        self.unknown: list[str] = []
        self.failed: dict[str, str] = {}

    def read(self, entries: Sequence[Json]) -> None:
        for entry in entries:
            name = entry["name"]
            if name not in self._steps:
                self.unknown.append(name)
                continue
            try:
                self._configured[name] = _configured(self._steps[name], entry)
            except ParameterError as error:
                self.failed[name] = f"failed to initialize {self._kind}: {error}"
                continue
            self._order.append(name)

    @property
    def ready(self) -> tuple[Configured, ...]:
        """In order; a step named twice runs twice, both times as configured last."""
        return tuple(self._configured[name] for name in self._order)


def _configured(step: Step, entry: Json) -> Configured:
    params = read(entry.get("params"), step.options)
    refusal = step.refusal(params)
    if refusal:
        raise ParameterError(refusal)
    multiplier = entry.get("multiplier")
    return Configured(step, params, 1.0 if multiplier is None else multiplier)


def _map(texts: Mapping[str, str]) -> str:
    return f"map[{' '.join(f'{name}:{text}' for name, text in sorted(texts.items()))}]"
