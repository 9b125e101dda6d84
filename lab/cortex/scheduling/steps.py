"""A step of a pipeline: what it is asked, what it answers, and how it can go wrong (Cortex sheet §3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.controllers.decisions import Faults
from lab.cortex.scheduling.decoding import Shape
from lab.cortex.scheduling.request import Request
from lab.cortex.scheduling.view import View

Params = Mapping[str, Any]
NO_EFFECT = 0.0


class StepError(Exception):
    """The step failed: it is left out, and the run goes on."""


class ProcessDiedError(Exception):
    """The step took the process with it: nothing answers, counters start at 0 again."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`hosts`: those still in the run, each once, in the request's order. `params`: of this step in its pipeline."""

    request: Request
    hosts: tuple[str, ...]
    view: View
    params: Params = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)


@dataclass(frozen=True, slots=True)
class Event:
    """Something a step reports, counted by `cortex_filter_weigher_pipeline_step_events_total`."""

    name: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Count:
    """One increment of a counter that a step has of its own."""

    family: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """Activations by host: a filter's tell who stays, a weigher's are added to the scores."""

    activations: Mapping[str, float]
    events: tuple[Event, ...] = ()
    counts: tuple[Count, ...] = ()


def _accepts(_: Params) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Step:
    """A step the program has. `options`: shapes of its parameters; `refusal`: why it refuses some, "" if it does not.

    `run` may raise StepError and ProcessDiedError.
    """

    name: str
    run: Callable[[Asked], Answered]
    options: Mapping[str, Shape] = field(default_factory=dict)
    refusal: Callable[[Params], str] = _accepts


def everyone(asked: Asked) -> Answered:
    """No effect: all stay, and nobody's score changes."""
    return keep(asked.hosts)


def keep(hosts: Iterable[str]) -> Answered:
    """These stay, in this order."""
    return Answered(dict.fromkeys(hosts, NO_EFFECT))
