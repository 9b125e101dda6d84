"""A pipeline at work: filters one after the other, weighers side by side, scores, order (Cortex sheet §3)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import tanh

from lab.controllers.answers import answer, answering
from lab.controllers.decisions import Faults, Row, Table
from lab.cortex.scheduling.admission import HYPERVISOR_TYPE, KVM
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.runs import Run, RunError, StepRun, Weights
from lab.cortex.scheduling.steps import Answered, Asked, Params, Step, StepError
from lab.cortex.scheduling.view import View

SOUND = Faults()


@dataclass(frozen=True, slots=True)
class Configured:
    """A step in its place. `multiplier` counts for weighers."""

    step: Step
    params: Params = field(default_factory=dict)
    multiplier: float = 1.0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Ready to run; `building.build` makes one of a Pipeline object."""

    name: str
    ignore_preselection: bool
    filters: tuple[Configured, ...]
    weighers: tuple[Configured, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a weigher answered about how many hosts."""

    activations: Weights
    hosts: int


WHOLE: Table[Weighed] = Table(
    "cortex-weigher-validation",
    (Row("as many hosts", lambda _: True, answering(lambda weighed: len(weighed.activations) == weighed.hosts)),),
)
"""Answers whether a weigher may count: it tells of each survivor, no more and no less."""


@dataclass(slots=True)
class _Course:
    """A run under way: the hosts left, and what the steps told so far."""

    request: Request
    view: View
    faults: Faults
    hosts: tuple[str, ...]
    weights: Weights
    steps: list[StepRun] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)

    def ask(self, configured: Configured) -> Answered | None:
        """What a step answers about the hosts left; None if it failed."""
        step = configured.step
        try:
            answered = step.run(Asked(self.request, self.hosts, self.view, configured.params, self.faults))
        except StepError as error:
            self.errors.append((step.name, str(error)))
            return None
        self.answers.append(answered)
        return answered

    def tell(self, step: Step, answered: Answered) -> None:
        """Note a step that counts."""
        self.steps.append(StepRun(step.name, self.hosts, self.weights, answered.activations, answered.events))


def run(pipeline: Pipeline, request: Request, view: View, rng: random.Random, faults: Faults = SOUND) -> Run:
    """Rank the hosts. Equal scores come in an order that `rng` chooses.

    Raises RunError, and steps.ProcessDiedError when a weigher takes the process with it.
    """
    if pipeline.ignore_preselection:
        request = _with_everyone(request, view)
    if request.options.refusal:
        raise RunError(request.options.refusal, recorded=True)
    normalized = _normalized(request.weights) if pipeline.weighers else dict(request.weights)
    course = _Course(request, view, faults, tuple(dict.fromkeys(request.hosts)), request.weights)
    _filter(course, pipeline.filters)
    weighed = _weigh(course, pipeline.weighers)
    scores = {host: normalized.get(host, 0.0) for host in course.hosts}
    for multiplier, activations in weighed:
        scores = {
            host: score + multiplier * tanh(activations[host]) for host, score in scores.items() if host in activations
        }
    ordered = _ordered(scores, rng)
    if request.options.max_candidates > 0:
        ordered = ordered[: request.options.max_candidates]
    return Run(
        pipeline=pipeline.name,
        hosts_in=request.hosts,
        raw_in_weights=request.weights,
        normalized_in_weights=normalized,
        steps=tuple(course.steps),
        aggregated_out_weights={host: scores[host] for host in ordered},
        ordered_hosts=ordered,
        counts=tuple(count for answered in course.answers for count in answered.counts),
        errors=tuple(course.errors),
    )


def _with_everyone(request: Request, view: View) -> Request:
    """All Hypervisors instead of Nova's choice: only for flavors of KVM."""
    specs = request.flavor.extra_specs
    if HYPERVISOR_TYPE not in specs:
        shown = " ".join(f"{key}:{value}" for key, value in sorted(specs.items()))
        raise RunError(f"missing hypervisor_type in flavor extra specs: map[{shown}]", recorded=False)
    if specs[HYPERVISOR_TYPE].lower() not in KVM:
        kind = specs[HYPERVISOR_TYPE]
        raise RunError(f'cannot gather all placement candidates for hypervisor type "{kind}"', recorded=False)
    return replace(request, hosts=tuple(view.hosts), weights=dict.fromkeys(view.hosts, 0.0))


def _normalized(weights: Weights) -> Weights:
    return {host: tanh(weight) for host, weight in weights.items()}


def _filter(course: _Course, filters: tuple[Configured, ...]) -> None:
    """Each filter sees those the one before left; one that fails removes nobody."""
    for configured in filters:
        answered = course.ask(configured)
        if answered is not None:
            course.tell(configured.step, answered)
            course.hosts = tuple(host for host in course.hosts if host in answered.activations)
            course.weights = answered.activations


def _weigh(course: _Course, weighers: tuple[Configured, ...]) -> list[tuple[float, Mapping[str, float]]]:
    """Multipliers and activations of the weighers that count."""
    whole = course.faults.ahead_of(WHOLE)
    weighed: list[tuple[float, Mapping[str, float]]] = []
    for configured in weighers if course.hosts else ():
        answered = course.ask(configured)
        if answered is None:
            continue
        if not answer(whole, Weighed(answered.activations, len(course.hosts))):
            changed = "safety: number of (deduplicated) hosts changed during step execution"
            course.errors.append((configured.step.name, changed))
            continue
        course.tell(configured.step, answered)
        weighed.append((configured.multiplier, answered.activations))
    return weighed


def _ordered(scores: Weights, rng: random.Random) -> tuple[str, ...]:
    hosts = list(scores)
    rng.shuffle(hosts)
    return tuple(sorted(hosts, key=lambda host: -scores[host]))
