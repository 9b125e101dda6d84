"""What a run adds to the metrics; the numbers of the pipeline itself come a moment after the answer (sheet §7)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from heapq import nsmallest
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
    sums = metrics.weight_modification.values
    for host, activation in step.activations.items():
        key = (pipeline, host, step.name)
        sums[key] = sums.get(key, 0.0) + activation
    metrics.step_duration.observe(pipeline, step.name, value=0.0)
    metrics.removed_hosts.observe(pipeline, step.name, value=len(step.hosts_in) - len(step.activations))
    for event in step.events:
        labels = {key: text for key, text in event.labels.items() if key not in ("pipeline", "step", "event")}
        metrics.step_events.inc({"pipeline": pipeline, "step": step.name, "event": event.name, **labels})
    for index, origin in enumerate(_origins(step)):
        metrics.shift_origin.observe(pipeline, step.name, str(index), value=origin)


def _origins(step: StepRun) -> Iterable[int]:
    """Where the first hosts after a step stood before it, by the weights it was given and what it adds."""
    weights, added = step.weights_in, step.activations
    before = step.hosts_in
    if len(set(weights.values())) > 1:
        before = tuple(sorted(before, key=lambda host: -weights.get(host, 0.0)))
    after: Iterable[str] = [host for host in before if host in added]
    if len(set(added.values())) > 1:
        after = nsmallest(_LOOKED_AT, after, key=lambda host: -tanh(weights.get(host, 0.0)) - tanh(added[host]))
    return [before.index(host) for host in list(after)[:_LOOKED_AT]]


def _observe_run(metrics: Metrics, run: Run) -> None:
    metrics.hosts_in.observe(run.pipeline, value=len(run.hosts_in))
    metrics.hosts_out.observe(run.pipeline, value=len(run.ordered_hosts))
    metrics.requests.inc(run.pipeline)
