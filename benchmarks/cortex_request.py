"""What Cortex takes for a request in a large cluster: 1,000 hosts, 5,000 reservations, all filters and weighers."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cortex_cluster import FLAVOR, GROUP, HOSTS, RESERVATIONS, cluster, request_body
from lab.controllers.decisions import Faults
from lab.cortex.conf import Conf
from lab.cortex.flavor_groups import learn
from lab.cortex.http.answers import PATH
from lab.cortex.install import Cortex, install
from lab.cortex.kinds import PIPELINE, RESERVATION
from lab.cortex.scheduling.building import build
from lab.cortex.scheduling.defaults import default_pipelines
from lab.cortex.scheduling.explanation import explain
from lab.cortex.scheduling.pipeline import Pipeline, run
from lab.cortex.scheduling.request import parse
from lab.cortex.scheduling.view import Lens
from lab.hypervisor_operator.kinds import HYPERVISOR
from unittests.lab_cortex.cluster import Cluster

ROUNDS = 15
TARGET = 200.0
"""Milliseconds a request may take."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """One way to answer a request, in milliseconds: on the clock, and median of the processor's time, which busy
    neighbours change less."""

    name: str
    hosts: int
    reservations: int
    median: float
    best: float
    worst: float
    cpu: float


def main(output: Path) -> None:
    """Print the table and write `cortex_request.json`."""
    results = measure()
    print(f"{f'{HOSTS} hosts, {RESERVATIONS} reservations':<34} {'median':>9} {'best':>9} {'worst':>9} {'CPU':>9}")
    for result in results:
        clock = f"{result.median:>7.1f}ms {result.best:>7.1f}ms {result.worst:>7.1f}ms"
        print(f"{result.name:<34} {clock} {result.cpu:>7.1f}ms")
    print(f"target: {TARGET:.0f} ms")
    content = {"target_ms": TARGET, "results": [asdict(each) for each in results]}
    (output / "cortex_request.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


def measure() -> list[Result]:
    """A request to Cortex as the lab has it, to one that has just started, and what the parts of that cost."""
    hypervisors, reservations = cluster(random.Random(HOSTS))
    body = json.dumps(request_body(hypervisors)).encode()
    front = _installed(hypervisors, reservations).front
    whole, steering = _pipeline(0), _alone()
    lens, request = Lens(), parse(body)
    seen = lens.view(hypervisors, reservations)
    done = run(whole, request, seen, random.Random(1))
    ways: list[tuple[str, Callable[[], object]]] = [
        ("a request and its answer", lambda: front.answer("POST", PATH, body)),
        ("  decoding the body", lambda: parse(body)),
        ("  reading the cluster first", lambda: Lens().view(hypervisors, reservations)),
        ("  reading it again", lambda: lens.view(hypervisors, reservations)),
        ("  the default pipeline", lambda: run(whole, request, seen, random.Random(1))),
        ("  the steering weigher alone", lambda: run(steering, request, seen, random.Random(1))),
        ("  explaining the run", lambda: explain(done)),
    ]
    return [_result(name, way) for name, way in ways]


@dataclass(frozen=True, slots=True)
class _Flavor:
    name: str = FLAVOR
    vcpus: int = 4
    ram: int = 16384
    disk: int = 40
    extra_specs: Mapping[str, str] = field(default_factory=lambda: {"quota:hw_version": GROUP})


def _installed(hypervisors: list[Json], reservations: list[Json]) -> Cortex:
    """With histories, metrics and placements written back, as by default."""
    lab = Cluster()
    for pipeline in default_pipelines():
        lab.api.create(PIPELINE, pipeline)
    learn(lab.api, [_Flavor()])
    for kind, objects in ((HYPERVISOR, hypervisors), (RESERVATION, reservations)):
        for each in objects:
            lab.api.create(kind, {"metadata": each["metadata"], "spec": each["spec"]})
            lab.api.patch(kind, "", each["metadata"]["name"], {"status": each["status"]}, subresource="status")
    cortex = install(lab.api, lab.runtime, Conf(), faults=Faults(), seed=1)
    lab.clock.advance(1)
    return cortex


def _pipeline(number: int) -> Pipeline:
    return _built(default_pipelines()[number])


def _alone() -> Pipeline:
    weighers = [each for each in default_pipelines()[0]["spec"]["weighers"] if each["name"] == "kvm_cr_migration_slot"]
    return _built({"metadata": {"name": "alone"}, "spec": {"weighers": weighers}})


def _built(pipeline: Json) -> Pipeline:
    ready = build(pipeline).pipeline
    if ready is None:
        raise LookupError("the pipeline cannot be built")
    return ready


def _result(name: str, way: Callable[[], object]) -> Result:
    clock, cpu = [], []
    for _ in range(ROUNDS):
        begun, before = time.perf_counter(), time.process_time()
        way()
        clock.append(1000 * (time.perf_counter() - begun))
        cpu.append(1000 * (time.process_time() - before))
    return Result(name, HOSTS, RESERVATIONS, median(clock), min(clock), max(clock), median(cpu))
