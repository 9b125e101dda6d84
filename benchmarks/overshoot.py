"""One migration too many for one product second on the lab: how surely the judge sees it, and how often samplers do.

The operator of the lab drains a hypervisor and keeps its limit. The same seed drains it again in the same way, until a
second before a slot becomes free: then Nova is asked for one migration more.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.judge import Sight, sampled
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.openstack.shape import ServerShape
from lab.profiles import Profile, load
from unittests.lab_composition.composed import Composed, composed
from utilities.history.in_flight import InFlight
from utilities.history.nova import HypervisorDrain, Journal, NovaRecording

LIMIT = 3
_SERVERS = 9
_RUNS = 100
_SECOND = 1.0
_WITHIN = 600.0  # product seconds for a drain


@dataclass(frozen=True, slots=True)
class Extra:
    """One migration too many: when it is asked for (product time), and for which server."""

    at: float
    server: str


@dataclass(frozen=True, slots=True)
class Drained:
    """One drain: the exact flights out of the hypervisor, and for how long there truly was one too many."""

    flights: InFlight
    exceeded: bool
    overlap: float


def main(output: Path, runs: int = _RUNS) -> None:
    """Print the table and write `overshoot.json`."""
    pairs = [pair(seed) for seed in range(1, runs + 1)]
    seen, false = sum(faulty.exceeded for _, faulty in pairs), sum(healthy.exceeded for healthy, _ in pairs)
    sights = [
        Sight("judge, the lab's journal", runs, seen, false),
        *sampled("sampler", [healthy.flights for healthy, _ in pairs], [faulty.flights for _, faulty in pairs], LIMIT),
    ]
    overlaps = sorted(faulty.overlap for _, faulty in pairs)
    print(f"{'one migration too many on the lab, seen by':<52} {'of runs':>8} {'seen':>9} {'false':>7}")
    for one in sights:
        print(f"{one.name:<52} {one.runs:>8} {one.seen:>9} {one.false:>7}")
    print(f"product seconds with one too many: {overlaps[0]:.2f} to {overlaps[-1]:.2f}")
    found = {"sight": [asdict(one) for one in sights], "overlaps": overlaps}
    (output / "overshoot.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def pair(seed: int) -> tuple[Drained, Drained]:
    """The drain of a seed as it is, and with one migration too many for a second."""
    healthy = drained(seed)
    return healthy, drained(seed, _second_before_an_end(healthy.flights, random.Random(seed)))


def drained(seed: int, extra: Extra | None = None) -> Drained:
    """A drain of the lab, with or without one migration too many."""
    with tempfile.TemporaryDirectory() as directory, composed(Path(directory), _profile(), seed=seed) as lab:
        started = lab.clock.now()
        host = next(iter(lab.cluster.openstack.cloud.state.hosts))
        maintenance = {"spec": {"maintenance": "manual", "maintenanceReason": "benchmark"}}
        lab.api.patch(HYPERVISOR, "", host, maintenance)
        overlap = _one_too_many(lab, host, extra) if extra else 0.0
        _until(lab, lambda: _over(lab, host))
        journal = Journal.of(_asked(lab, "GET", "/lab/journal", root=True))
        recording = NovaRecording.of(started=started, ended=lab.clock.now(), journal=journal)
        drain = HypervisorDrain.of(recording, host)
        return Drained(drain.flights, drain.judge(LIMIT).exceeded, overlap)


def _second_before_an_end(flights: InFlight, rng: random.Random) -> Extra:
    """When, and which server: all slots are taken from then on until one becomes free, and the server still waits."""
    spans = {flight.subject: flight.sure for flight in flights}
    ends = [
        end
        for _, end in spans.values()
        if sum(start <= end - _SECOND and end <= stop for start, stop in spans.values()) == LIMIT
    ]
    at = rng.choice([end for end in ends if any(start > end for start, _ in spans.values())]) - _SECOND
    return Extra(at, min(server for server, (start, _) in spans.items() if start > at + _SECOND))


def _one_too_many(lab: Composed, host: str, extra: Extra) -> float:
    """Ask for one more; returns for how many product seconds there was one too many."""
    lab.clock.advance(extra.at - lab.clock.now())
    body = {"os-migrateLive": {"host": None, "block_migration": False}}
    _asked(lab, "POST", f"/servers/{extra.server}/action", body)
    begun = lab.clock.now()
    _until(lab, lambda: len(_moving(lab, host)) <= LIMIT, step=0.01)
    return lab.clock.now() - begun


def _profile() -> Profile:
    profile = load("drain-200")
    cloud = profile.openstack
    operator = profile.hypervisor_operator.model_copy(update={"arguments": (f"--eviction-concurrency={LIMIT}",)})
    if cloud is None:
        raise ValueError("the profile has no cloud")
    vms = ServerShape(name="vm", count=_SERVERS, host=cloud.hosts[0].name)
    return profile.model_copy(
        update={"hypervisor_operator": operator, "openstack": cloud.model_copy(update={"servers": (vms,)})}
    )


def _moving(lab: Composed, host: str) -> set[str]:
    servers = lab.cluster.openstack.cloud.state.servers()
    return {server.id for server in servers if server.host == host and server.task_state}


def _over(lab: Composed, host: str) -> bool:
    eviction = lab.api.find(EVICTION, "", host) or {}
    conditions = (eviction.get("status") or {}).get("conditions") or ()
    return any(entry["type"] == "Evicting" and entry["status"] == "False" for entry in conditions)


def _until(lab: Composed, happens: Callable[[], bool], step: float = 0.1) -> None:
    end = lab.clock.now() + _WITHIN
    while not happens():
        if lab.clock.now() > end:
            raise TimeoutError("the drain of the lab does not get on")
        lab.clock.advance(step)


def _asked(lab: Composed, method: str, path: str, body: object = None, *, root: bool = False) -> Any:
    return lab.loop.run_until_complete(_request(lab, method, path, body, root=root))


async def _request(lab: Composed, method: str, path: str, body: object, *, root: bool) -> Any:
    openstack = lab.cluster.openstack
    given = openstack.variables()
    domain = {"name": given["OS_USER_DOMAIN_NAME"]}
    user = {"name": given["OS_USERNAME"], "domain": domain, "password": given["OS_PASSWORD"]}
    scope = {"project": {"name": given["OS_PROJECT_NAME"], "domain": {"name": given["OS_PROJECT_DOMAIN_NAME"]}}}
    auth = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}}
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{given['OS_AUTH_URL']}/auth/tokens", json=auth) as answer:
            headers = {"X-Auth-Token": answer.headers["X-Subject-Token"], "OpenStack-API-Version": "compute 2.90"}
            catalogue = (await answer.json())["token"]["catalog"]
        compute = next(entry["endpoints"][0]["url"] for entry in catalogue if entry["type"] == "compute")
        url = f"{openstack.front.url}{path}" if root else f"{compute}{path}"
        async with session.request(method, url, json=body, headers=headers) as answer:
            answer.raise_for_status()
            text = await answer.text()
            return json.loads(text) if text else None
