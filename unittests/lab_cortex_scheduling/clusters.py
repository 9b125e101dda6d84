"""Random small clusters: few sizes, so that boundaries are met often."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from unittests.lab_cortex_scheduling.bodies import VM
from unittests.lab_cortex_scheduling.objects import hypervisor, slot

Json = dict[str, Any]
SIZES = (0, 4, 8, 8, 16, 16, 16, 24, 32)
PROJECTS, GROUPS = ("P", "P", "Q"), ("G", "G", "X")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Raw objects, and candidates for a migration of VM."""

    hypervisors: list[Json]
    reservations: list[Json]
    candidates: list[str]


def cluster(seed: int) -> Cluster:
    """The same for the same seed."""
    chance = random.Random(seed)
    hosts = [f"h{number}" for number in range(chance.randint(1, 5))]
    return Cluster(
        [_hypervisor(chance, host) for host in hosts if chance.random() < 0.9],
        [_reservation(chance, f"r{number}", hosts) for number in range(chance.randint(0, 7))],
        chance.sample(hosts, chance.randint(1, len(hosts))),
    )


def _hypervisor(chance: random.Random, host: str) -> Json:
    def size() -> int:
        return sum(chance.choices(SIZES, k=2))

    effective = size() if chance.random() < 0.8 else None
    capacity = size() if chance.random() < 0.7 else None
    made = hypervisor(host, effective, chance.choice(SIZES), capacity)
    if chance.random() < 0.05:
        made["status"]["effectiveCapacity"] = {"cpu": "4"}
    if chance.random() < 0.1:
        del made["status"]["allocation"]
    return made


def _reservation(chance: random.Random, name: str, hosts: list[str]) -> Json:
    place = [*hosts, ""]
    vms = [VM, "other", "third"]
    target = chance.choice(place)
    return slot(
        name,
        target,
        chance.choice((None, *SIZES)),
        {vm: chance.choice(SIZES) for vm in vms if chance.random() < 0.3},
        host=target if chance.random() < 0.7 else chance.choice(place),
        project=chance.choice(PROJECTS),
        group=chance.choice(GROUPS),
        ready=chance.random() < 0.85,
        part=chance.random() < 0.93,
        label="committed-resource" if chance.random() < 0.93 else "failover",
        kind="CommittedResourceReservation" if chance.random() < 0.93 else "FailoverReservation",
        confirmed=[vm for vm in vms if chance.random() < 0.3],
    )
