"""What Cortex takes for a request in a large cluster: 1,000 hosts, 5,000 reservations, all filters and weighers."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from lab.cortex.scheduling.building import build
from lab.cortex.scheduling.defaults import default_pipelines
from lab.cortex.scheduling.explanation import explain
from lab.cortex.scheduling.pipeline import Pipeline, run
from lab.cortex.scheduling.request import parse
from lab.cortex.scheduling.view import Lens

HOSTS = 1000
RESERVATIONS = 5000
ROUNDS = 15
TARGET = 200.0
"""Milliseconds a request may take."""
_VM, _PROJECT, _GROUP = "vm-1", "project-1", "group-1"
_ZONE = "az-a"
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
    """A request to a process that has just started, one to a process at work, and what each part of that costs."""
    hypervisors, reservations = cluster(random.Random(HOSTS))
    body = json.dumps(request_body(hypervisors))
    lens = Lens()
    seen = lens.view(hypervisors, reservations)
    whole, steering = _pipeline(0), _alone()

    def answered(with_lens: Lens, pipeline: Pipeline) -> None:
        request = parse(body)
        done = run(pipeline, request, with_lens.view(hypervisors, reservations), random.Random(1))
        explain(done)
        json.dumps({"hosts": done.ordered_hosts})

    parsed = parse(body)
    ways: list[tuple[str, Callable[[], object]]] = [
        ("default pipeline, first request", lambda: answered(Lens(), whole)),
        ("default pipeline", lambda: answered(lens, whole)),
        ("steering weigher alone", lambda: answered(lens, steering)),
        ("  of which: decoding the body", lambda: parse(body)),
        ("  of which: looking at the cluster", lambda: lens.view(hypervisors, reservations)),
        ("  of which: the run", lambda: run(whole, parsed, seen, random.Random(1))),
    ]
    return [_result(name, way) for name, way in ways]


def cluster(chance: random.Random) -> tuple[list[Json], list[Json]]:
    """Hypervisors and Reservations as the store holds them, several slots on each host."""
    names = [f"node{number:04}-bb{number % 40:03}" for number in range(HOSTS)]
    return [_hypervisor(chance, name) for name in names], [
        _reservation(chance, number, chance.choice(names)) for number in range(RESERVATIONS)
    ]


def request_body(hypervisors: list[Json]) -> Json:
    """A live migration of a VM in a slot, all hosts given as candidates."""
    names = [each["metadata"]["name"] for each in hypervisors]
    specs = {"capabilities:hypervisor_type": "CH", "quota:hw_version": _GROUP, "trait:CUSTOM_GOOD": "required"}
    spec = {
        "project_id": _PROJECT,
        "instance_uuid": _VM,
        "availability_zone": _ZONE,
        "num_instances": 1,
        "scheduler_hints": {"_nova_check_type": ["live_migrate"], "source_host": [names[0]]},
        "ignore_hosts": [names[0]],
        "image": _wrapped({"properties": _wrapped({"img_hv_type": "kvm"})}),
        "flavor": _wrapped({"name": "m", "memory_mb": 16384, "vcpus": 4, "extra_specs": specs}),
    }
    return {
        "spec": _wrapped(spec),
        "context": {"project_id": _PROJECT},
        "hosts": [{"host": name, "hypervisor_hostname": name} for name in names],
        "weights": dict.fromkeys(names, 1.0),
    }


def _wrapped(data: Json) -> Json:
    return {"nova_object.data": data}


def _hypervisor(chance: random.Random, name: str) -> Json:
    size, used = chance.choice((512, 1024, 2048)), chance.randrange(0, 400, 8)
    return {
        "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": _ZONE}},
        "spec": {"customTraits": ["CUSTOM_GOOD"], "allowedProjects": []},
        "status": {
            "effectiveCapacity": {"memory": f"{size}Gi", "cpu": "256"},
            "capacity": {"memory": f"{size}Gi", "cpu": "128"},
            "allocation": {"memory": f"{used}Gi", "cpu": str(used // 8)},
            "instances": [{"id": f"{name}-{number}", "name": "x", "active": True} for number in range(20)],
            "conditions": [{"type": "Ready", "status": "True"}, {"type": "HypervisorDisabled", "status": "False"}],
            "traits": [f"HW_CPU_{number}" for number in range(40)],
            "aggregates": [{"name": "a", "uuid": "a-1", "metadata": {"k": "v"}}],
            "capabilities": {"cpuArch": "x86_64"},
            "domainCapabilities": {
                "hypervisorType": "ch",
                "supportedCpuModes": ["host-passthrough"],
                "supportedFeatures": ["sgx"],
                "supportedDevices": [f"device-{number}" for number in range(10)],
            },
        },
    }


def _reservation(chance: random.Random, number: int, host: str) -> Json:
    size = chance.choice((16, 32, 64, 128))
    vms = [_VM] if number == 0 else [f"vm-r{number}"] if chance.random() < 0.6 else []
    return {
        "metadata": {"name": f"slot-{number}", "labels": {"reservations.cortex.cloud/type": "committed-resource"}},
        "spec": {
            "type": "CommittedResourceReservation",
            "targetHost": host,
            "resources": {"memory": f"{size}Gi", "cpu": str(size // 4)},
            "committedResourceReservation": {
                "projectID": _PROJECT if number == 0 else f"project-{number % 50}",
                "resourceGroup": _GROUP if number == 0 else f"group-{number % 4}",
                "allocations": {vm: {"resources": {"memory": f"{size}Gi", "cpu": str(size // 4)}} for vm in vms},
            },
        },
        "status": {
            "host": host,
            "conditions": [{"type": "Ready", "status": "True"}],
            "committedResourceReservation": {"allocations": dict.fromkeys(vms, host)},
        },
    }


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
