"""One scheduling run as it was seen from outside: activations by step, the order that came out, what was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import tanh
from typing import TYPE_CHECKING

from utilities.cortex.kinds import STEERING
from utilities.cortex.request import Request
from utilities.errors import NotEnoughEvidence

if TYPE_CHECKING:
    from utilities.evidence.sink import Sink


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step added: activations by host, raw. multiplier: of the pipeline, 1 for filters."""

    name: str
    activations: Mapping[str, float]
    multiplier: float = 1.0

    def added(self, host: str) -> float:
        """To the score of a host."""
        return self.multiplier * tanh(self.activations.get(host, 0.0))


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """title: what it was about. door: how Cortex was asked, `Decision` or `HTTP`. order: hosts, best first.

    counted: what the steering weigher's counter gained, by result. foreign: runs of other pipelines meanwhile.
    trouble: why there is no result, "" otherwise. prefix: what all names of hosts begin with, left out when shown.
    left_out: what Cortex says of steps that it runs the pipeline without.
    """

    title: str
    request: Request
    door: str
    steps: tuple[StepResult, ...] = ()
    order: tuple[str, ...] = ()
    counted_at_all: Mapping[str, float] = field(default_factory=dict)
    foreign: Mapping[str, float] = field(default_factory=dict)
    trouble: str = ""
    prefix: str = ""
    left_out: str = ""

    def __repr__(self) -> str:
        """Short: it stands in messages of assertions, beside the story."""
        return f"<run {self.title}>"

    @property
    def steering(self) -> Mapping[str, float] | None:
        """Activations of the steering weigher by host; None when it took no part."""
        return self.activations(STEERING)

    def activations(self, step: str) -> Mapping[str, float] | None:
        """Activations of a step; None when it took no part."""
        return next((self._short(one.activations) for one in self.steps if one.name == step), None)

    @property
    def boosted(self) -> frozenset[str] | None:
        """Hosts that the steering weigher prefers; None when it took no part."""
        found = self.steering
        return None if found is None else frozenset(host for host, each in found.items() if each > 0)

    @property
    def candidates(self) -> tuple[str, ...]:
        """Hosts that went in, in the order of the weights they came with."""
        weights = self.request.weights
        return tuple(map(self.short, sorted(weights, key=lambda host: -weights[host])))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that came out, best first."""
        return tuple(map(self.short, self.order))

    @property
    def counted(self) -> Mapping[str, float]:
        """What the counter of the steering weigher gained. Raises NotEnoughEvidence when others ran meanwhile."""
        if self.foreign:
            raise NotEnoughEvidence(
                f"Cortex ran pipelines for others meanwhile: {', '.join(self.foreign)}",
                next_step="run while nobody else schedules or migrates",
            )
        return self.counted_at_all

    def score(self, host: str) -> float:
        """Of a host by its full name, as the pipeline adds up."""
        return tanh(self.request.weights.get(host, 0.0)) + sum(step.added(host) for step in self.steps)

    def short(self, host: str) -> str:
        """A host's name without what all have in common."""
        return host.removeprefix(self.prefix)

    def story(self) -> str:
        """Every host with what it came with, what each step gave it, and where it ended."""
        lines = [f"{self.title} ({self.door}, pipeline {self.request.pipeline})", f"The VM: {self.request.size}"]
        if self.trouble:
            lines.append(f"No result: {self.trouble}")
        if self.left_out:
            lines.append(f"Left out by Cortex: {self.left_out}")
        lines += [self._line(host) for host in self.request.hosts]
        lines.append(f"Order: {', '.join(self.hosts) or 'none'}")
        counted = ", ".join(f"{result} +{value:g}" for result, value in self.counted_at_all.items())
        lines.append(f"Counted: {counted or 'nothing'}")
        return "\n".join(lines)

    def attach_to(self, sink: Sink, *, failed: bool) -> None:
        """Leave the table as a picture; when the test failed, also as text."""
        from utilities.cortex.picture import table

        sink.picture(self.title, table(self))
        if failed:
            sink.text("story", self.story())

    def _line(self, host: str) -> str:
        given = ", ".join(f"{step.name} {step.activations[host]:g}" for step in self.steps if host in step.activations)
        place = f"place {self.order.index(host) + 1}" if host in self.order else "not in the order"
        note = self.request.notes.get(host)
        return (
            f"  {self.short(host)}: weight {self.request.weights[host]:g}; {given or 'no step'}; "
            f"score {self.score(host):.4f}; {place}{f'; {note}' if note else ''}"
        )

    def _short(self, activations: Mapping[str, float]) -> dict[str, float]:
        return {self.short(host): each for host, each in activations.items()}


def steps_of(result: Sequence[Mapping[str, object]], multipliers: Mapping[str, float]) -> tuple[StepResult, ...]:
    """Of `stepResults` of a Decision."""
    return tuple(
        StepResult(str(one["stepName"]), _numbers(one.get("activations")), multipliers.get(str(one["stepName"]), 1.0))
        for one in result
    )


def _numbers(value: object) -> dict[str, float]:
    return {str(host): float(each) for host, each in value.items()} if isinstance(value, Mapping) else {}
