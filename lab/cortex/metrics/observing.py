"""What a run adds to the metrics; the numbers of the pipeline itself come a moment after the answer (sheet §7)."""

from __future__ import annotations

import random
from math import tanh
from typing import TYPE_CHECKING

from lab.clock import Clock
from lab.cortex.metrics.families import Metrics
from lab.cortex.scheduling.runs import Run, StepRun

if TYPE_CHECKING:
    from lab.cortex.process import Process

_LATER = (0.001, 0.01)  # product seconds: the product counts in a goroutine
_LOOKED_AT = 5  # hosts whose former place is told


def observe(process: Process, run: Run, clock: Clock, rng: random.Random) -> None:
    """Count a run. In product time a run takes none, so every duration is 0."""
    metrics = process.metrics
    for step in run.steps:
        _observe_step(metrics, run.pipeline, step)
    for count in run.counts:
        metrics.count(count.family, count.labels)
    clock.call_later(rng.uniform(*_LATER), _observe_run, metrics, run)


def _observe_step(metrics: Metrics, pipeline: str, step: StepRun) -> None:
    for host, activation in step.activations.items():
        metrics.weight_modification.add(pipeline, host, step.name, by=activation)
    metrics.step_duration.observe(pipeline, step.name, value=0.0)
    metrics.removed_hosts.observe(pipeline, step.name, value=len(step.hosts_in) - len(step.activations))
    for event in step.events:
        labels = {key: text for key, text in event.labels.items() if key not in ("pipeline", "step", "event")}
        metrics.step_events.inc({"pipeline": pipeline, "step": step.name, "event": event.name, **labels})
    weights = {host: tanh(step.weights_in.get(host, 0.0)) for host in step.hosts_in}
    place = {host: index for index, host in enumerate(sorted(weights, key=lambda host: -weights[host]))}
    after = sorted(step.activations, key=lambda host: -weights.get(host, 0.0) - tanh(step.activations[host]))
    for index, host in enumerate(after[:_LOOKED_AT]):
        metrics.shift_origin.observe(pipeline, step.name, str(index), value=place.get(host, -1))


def _observe_run(metrics: Metrics, run: Run) -> None:
    metrics.hosts_in.observe(run.pipeline, value=len(run.hosts_in))
    metrics.hosts_out.observe(run.pipeline, value=len(run.ordered_hosts))
    metrics.requests.inc(run.pipeline)
