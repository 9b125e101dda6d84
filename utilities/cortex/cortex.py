"""Cortex as its clients see it: asked over HTTP or by a Decision, measured by what it counts (cortex sheet §1.5)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Event
from typing import Any, Literal

import urllib3

from utilities.clients import Rest
from utilities.cortex.kinds import DECISIONS, DOMAIN, PIPELINES
from utilities.cortex.metrics import MODIFICATIONS, OUTCOMES, RUNS, Scrape
from utilities.cortex.pipelines import left_out, lost, multipliers, ready
from utilities.cortex.request import Request
from utilities.cortex.run import Run, StepResult, steps_of
from utilities.errors import ApiError, Blocked, NotFound, SuiteError, Unreachable, WaitEnded, WaitTimeout
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.kubevirt.actor import Actor
from utilities.nova.polling import Polls
from utilities.reversible import Create
from utilities.site import Site
from utilities.watching import Watched, lost_if_gone, persistent

PATH = "/scheduler/nova/external"
PREFIX = "migration-plans-"
"""Every object of the suite is called so, with the run behind it."""
DECIDED, COUNTED, INITIALISED = 30.0, 10.0, 60.0
"""Product seconds for a Decision to be carried out, for a run to show in the metrics, for a Pipeline to be ready."""
Door = Literal["Decision", "HTTP"]


@dataclass(frozen=True, slots=True)
class Cortex:
    """One Cortex. run: what the names of objects made here carry. api, told: its two addresses, told None without."""

    actor: Actor
    run: str
    api: Rest
    told: Rest | None
    polls: Polls
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _multipliers: Callable[[str], Mapping[str, float]] = field(init=False)

    def __post_init__(self) -> None:
        """Weights of steps by pipeline are read once."""
        read = cache(lambda name: multipliers(self.actor.rest.get(PIPELINES, name)))
        object.__setattr__(self, "_multipliers", read)

    def reach(self) -> None:
        """Raise Blocked when nobody answers; what is answered does not matter."""
        try:
            self.api.call("GET", PATH)
        except ApiError:
            return  # it takes nothing but posts
        except Unreachable as error:
            raise Blocked(
                f"no Cortex answers at {self.api.url}: {error.what}",
                next_step="start it, or check its address in the site file (cortex.url)",
            ) from error

    def name(self, what: str) -> str:
        """A name of our own that nobody else has."""
        return f"{PREFIX}{self.run}-{what}-{next(self._numbers)}"

    def schedule(self, request: Request) -> tuple[str, ...] | None:
        """Ask over HTTP: hosts, best first; None for the answer of a run that no host survived.

        Raises ApiError with Cortex' own words, Unreachable when the connection broke.
        """
        with step("ask Cortex over HTTP", answers=(SuiteError,), vm=request.vm, pipeline=request.pipeline):
            hosts = self._answered(request)["hosts"]
        return None if hosts is None else tuple(hosts)

    def ask(self, title: str, request: Request, *, door: Door | None = None, prefix: str = "") -> Run:
        """One run and what it counted. What keeps it from its end is noted in the Run, for the test to judge.

        door: how to ask; by default by a Decision, or where nobody carries those out, over HTTP with the activations
        told by the metrics. Raises Blocked when what is left tells no activations.
        """
        door = door or self._door()
        before = self.scrape()
        outcome, trouble = Outcome(), ""
        try:
            outcome = self._decided(request) if door == "Decision" else Outcome((), self.schedule(request) or ())
        except (ApiError, Unreachable, WaitEnded) as problem:
            trouble = str(problem)
        gained = self._gained(before, request.pipeline, bool(trouble))
        foreign = {name: count for name, count in gained.by(RUNS, "pipeline").items() if name != request.pipeline}
        counted = gained.by(OUTCOMES, "result")
        steps = outcome.steps or self._told(gained, request, outcome.order)
        missing = "" if trouble else left_out(self.actor.rest.get(PIPELINES, request.pipeline))
        return Run(title, request, door, steps, outcome.order, counted, foreign, trouble, prefix, missing)

    def scrape(self) -> Scrape:
        """Everything counted so far; waits for a process that is just starting."""
        if self.told is None:
            raise Blocked(
                f"site {self.actor.site.name} does not say where Cortex tells its metrics",
                next_step="name the address in the site file (cortex.metrics)",
            )
        return Scrape.of(persistent(Event())(self.told.text, ""))

    @contextmanager
    def pipeline(self, body: Mapping[str, Any]) -> Iterator[Obj]:
        """A Pipeline for the length of the block, once it can be run. Raises GoalLost when it cannot become so."""
        with self.actor.applied(Create(PIPELINES, body, why="for runs of the tests")) as made:
            name = made["metadata"]["name"]
            found = self.actor.waits.wait_for(
                Watched(PIPELINES, name=name),
                lambda obj: obj is not None and ready(obj),
                expecting="ready",
                within=INITIALISED,
                losing=lost,
                next_step="look at its conditions and at Cortex' log",
            )
            yield found or made

    def pipelines(self) -> tuple[Obj, ...]:
        """All of the installation."""
        return tuple(self.actor.rest.list(PIPELINES)["items"])

    def _door(self) -> Door:
        try:
            self.actor.rest.list(DECISIONS)
        except NotFound:
            return "HTTP"
        return "Decision"

    def _answered(self, request: Request) -> Any:
        try:
            return self.api.call("POST", PATH, body=request.body())
        except Unreachable as error:
            raise Unreachable(
                f"{self.api.url} broke the connection or does not listen: {error.what}",
                next_step="check that Cortex runs, and its address in the site file (cortex.url)",
            ) from error

    def _decided(self, request: Request) -> Outcome:
        name = self.name("decision")
        spec = {
            "schedulingDomain": DOMAIN,
            "pipelineRef": {"name": request.pipeline},
            "resourceID": request.vm,
            "novaRaw": request.body(),
        }
        with (
            step("let Cortex decide", vm=request.vm, pipeline=request.pipeline),
            self.actor.applied(Create(DECISIONS, {"metadata": {"name": name}, "spec": spec})),
        ):
            found = self.actor.waits.wait_for(
                Watched(DECISIONS, name=name),
                lambda obj: dig(obj, "status", "result") is not None,
                expecting="decided",
                within=DECIDED,
                losing=lost_if_gone,
                next_step="look at the conditions of the Pipeline and at Cortex' log",
            )
        result = dig(found, "status", "result") or {}
        steps = steps_of(result.get("stepResults") or (), self._multipliers(request.pipeline))
        return Outcome(steps, tuple(result.get("orderedHosts") or ()))

    def _gained(self, before: Scrape, pipeline: str, troubled: bool) -> Scrape:
        """What was counted since; a run shows a moment after its answer, one that failed perhaps never."""
        try:
            return self.polls.wait_for(
                lambda: self.scrape().since(before),
                lambda gained: troubled or pipeline in gained.by(RUNS, "pipeline"),
                subject="metrics of Cortex",
                expecting=f"a run of {pipeline}",
                within=COUNTED,
                describe=lambda gained: f"runs of {', '.join(gained.by(RUNS, 'pipeline')) or 'none'}",
            )
        except WaitTimeout:
            return self.scrape().since(before)

    def _told(self, gained: Scrape, request: Request, order: tuple[str, ...]) -> tuple[StepResult, ...]:
        """Activations by the gauge; a host that a step gave nothing may be missing in it, so that it reads as 0."""
        factors = self._multipliers(request.pipeline)
        steps = gained.by(RUNS, "pipeline") and factors
        return tuple(
            StepResult(name, dict.fromkeys(order, 0.0) | self._gauge(gained, request.pipeline, name), factor)
            for name, factor in (steps or {}).items()
            if self._took_part(name, request.pipeline)
        )

    def _gauge(self, gained: Scrape, pipeline: str, name: str) -> dict[str, float]:
        return gained.by(MODIFICATIONS, "host", pipeline=pipeline, step=name)

    def _took_part(self, name: str, pipeline: str) -> bool:
        return any(
            family == MODIFICATIONS and {("step", name), ("pipeline", pipeline)} <= labels
            for family, labels in self.scrape().values
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a door tells of a run."""

    steps: tuple[StepResult, ...] = ()
    order: tuple[str, ...] = ()


@contextmanager
def connected_cortex(site: Site, actor: Actor, run: str) -> Iterator[Cortex]:
    """The site's Cortex. Raises Blocked when the site has none."""
    section = site.cortex
    with urllib3.PoolManager() as pool:
        told = None if section.metrics is None else Rest(section.metrics, pool)
        yield Cortex(actor, run, Rest(section.url.rstrip("/"), pool), told, Polls.of(site))
