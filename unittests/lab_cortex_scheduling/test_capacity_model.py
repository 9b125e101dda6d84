"""The capacity filter and the room to follow agree with a model of the prose on random clusters."""

import random
from collections import Counter

from lab.cortex.scheduling.accounting import has_capacity
from lab.cortex.scheduling.filters.capacity import ENOUGH_CAPACITY
from unittests.lab_cortex_scheduling import capacity_model as model
from unittests.lab_cortex_scheduling.bodies import GROUP, PROJECT, VM, flavor, request
from unittests.lab_cortex_scheduling.clusters import cluster
from unittests.lab_cortex_scheduling.objects import asked, failover, view

CLUSTERS = 1000
INTENTS = {
    "live_migrate": "live_migration",
    "evacuate": "evacuate",
    "reuse_failover_reservation": "reuse_failover_reservation",
    "reserve_for_committed_resource": "reserve_for_committed_resource",
}


def test_hosts_with_room_on_random_clusters():
    met = Counter()
    for seed in range(CLUSTERS):
        some, chance = cluster(seed), random.Random(seed)
        hypervisors = [_with_processors(each) for each in some.hypervisors]
        reservations = [_typed(each) for each in some.reservations]
        reservations += [
            failover(f"f{number}", chance.choice(some.candidates), 8, [VM] * chance.randint(0, 1))
            for number in range(chance.randint(0, 2))
        ]
        hint, locked = chance.choice(list(INTENTS)), chance.random() < 0.3
        memory_mb, instances = chance.choice((4096, 8192, 8590, 17180)), chance.randint(0, 2)
        seen = request(
            *some.candidates,
            hint=hint,
            num_instances=instances,
            flavor=flavor(memory_mb, 1),
            options={"lock_reservations": locked},
        )
        kept = set(asked(ENOUGH_CAPACITY, seen, view(hypervisors, reservations)).activations)
        asking = {"project": PROJECT, "group": GROUP, "vm": VM, "intent": INTENTS[hint], "locked": locked}
        expected = {
            each["metadata"]["name"]
            for each in hypervisors
            if each["metadata"]["name"] in some.candidates
            and model.fits(model.free(each, reservations, **asking), memory_mb, instances)
        }
        assert kept == expected, f"cluster {seed}"
        met[len(kept) > 0] += 1
    assert min(met[True], met[False]) > CLUSTERS / 10


def test_room_to_follow_on_random_clusters():
    met = Counter()
    for seed in range(CLUSTERS):
        some = cluster(seed)
        reservations = [_typed(each) for each in some.reservations]
        seen = view(some.hypervisors, reservations)
        for raw, moved in zip(reservations, seen.reservations, strict=True):
            for hypervisor in some.hypervisors:
                host = seen.hosts[hypervisor["metadata"]["name"]]
                told = has_capacity(seen.reservations, host, moved)
                assert told == model.follows(hypervisor, reservations, raw), (
                    f"cluster {seed}, {moved.name}, {host.name}"
                )
                met[told] += 1
    assert min(met.values()) > CLUSTERS


def _with_processors(hypervisor):
    """Enough of them, so that memory alone decides."""
    status = hypervisor["status"]
    for key in ("effectiveCapacity", "capacity"):
        if key in status:
            status[key] = {**status[key], "cpu": "64"}
    return hypervisor


def _typed(reservation):
    """A slot that is said to be a failover reservation needs the status of one."""
    if reservation["spec"]["type"] == "FailoverReservation":
        reservation["status"]["failoverReservation"] = {"allocations": {VM: ""}}
    return reservation
