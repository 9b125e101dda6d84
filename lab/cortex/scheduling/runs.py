"""What a run of a pipeline leaves behind (Cortex sheet §1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.cortex.scheduling.steps import Count, Event

Weights = Mapping[str, float]


class RunError(Exception):
    """A run that gave no result. `recorded`: whether a History tells of it (unless the caller skips it)."""

    def __init__(self, text: str, *, recorded: bool) -> None:
        super().__init__(text)
        self.text = text
        self.recorded = recorded


@dataclass(frozen=True, slots=True)
class StepRun:
    """One step that answered: hosts and weights it was given, its raw activations, events it reported."""

    name: str
    hosts_in: tuple[str, ...]
    weights_in: Weights
    activations: Weights
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """steps: filters in order, then weighers in order; one that failed is not among them but in `errors`.

    hosts_in: of the request, or all Hypervisors where the pipeline ignores the preselection. counts: increments of
    counters that steps have of their own. errors: (step, text).
    """

    pipeline: str
    hosts_in: tuple[str, ...]
    raw_in_weights: Weights
    normalized_in_weights: Weights
    steps: tuple[StepRun, ...]
    aggregated_out_weights: Weights
    ordered_hosts: tuple[str, ...]
    counts: tuple[Count, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()

    @property
    def target(self) -> str | None:
        """The first host, None if none survived."""
        return self.ordered_hosts[0] if self.ordered_hosts else None

    def activations(self, step: str) -> Weights | None:
        """Raw activations of a step, None if it is absent."""
        return next((each.activations for each in self.steps if each.name == step), None)

    def to_result(self) -> dict[str, Any]:
        """`status.result` of a Decision."""
        result: dict[str, Any] = {
            "rawInWeights": dict(self.raw_in_weights),
            "normalizedInWeights": dict(self.normalized_in_weights),
            "aggregatedOutWeights": dict(self.aggregated_out_weights),
        }
        if self.steps:
            result["stepResults"] = [
                {"stepName": each.name, "activations": dict(each.activations)} for each in self.steps
            ]
        if self.ordered_hosts:
            result |= {"orderedHosts": list(self.ordered_hosts), "targetHost": self.target}
        return result
