"""The KVM weighers beside the steering one (Cortex sheet §5, §8)."""

import pytest

from lab.cortex.scheduling.weighers import WEIGHERS
from unittests.lab_cortex_scheduling.bodies import VM, flavor, request, wrap
from unittests.lab_cortex_scheduling.objects import asked, failover, hypervisor, slot, view

STEPS = {step.name.removeprefix("kvm_"): step for step in WEIGHERS}
MEMORY = {"resourceWeights": {"memory": 1.0}}
GIGABYTES = 16384e6 / 2**30


def weighed(step, hypervisors=(), reservations=(), hosts="ab", params=None, **changes):
    activations = asked(STEPS[step], request(*hosts, **changes), view(hypervisors, reservations), params).activations
    return [activations[host] for host in hosts]


def test_binpack_tells_how_full_a_host_is_with_the_vm():
    hosts = [hypervisor("a", 64, 32), hypervisor("b", 16, 8)]
    expected = [pytest.approx((32 + GIGABYTES) / 64), pytest.approx((8 + GIGABYTES) / 16)]
    assert weighed("binpack", hosts, params=MEMORY) == expected
    twice = weighed("binpack", hosts, params=MEMORY, num_instances=2)
    assert twice == [pytest.approx((32 + 2 * GIGABYTES) / 64), pytest.approx((8 + 2 * GIGABYTES) / 16)]


def test_binpack_averages_resources_by_weight():
    hosts = [hypervisor("a", 64, 32, cpu=(16, 4))]
    both = {"resourceWeights": {"memory": 1.0, "cpu": 3.0}}
    expected = ((32 + GIGABYTES) / 64 + 3 * (4 + 4) / 16) / 4
    assert weighed("binpack", hosts, hosts="a", params=both) == [pytest.approx(expected)]


def test_binpack_reads_effective_capacity_only_and_wants_it_all_told():
    hosts = [hypervisor("a", None, 8, 64), hypervisor("b", 0, 8)]
    assert weighed("binpack", hosts, hosts="abc", params=MEMORY) == [0.0, 0.0, 0.0]
    untold = hypervisor("a", 64)
    del untold["status"]["allocation"]
    assert weighed("binpack", [untold], hosts="a", params=MEMORY) == [0.0]


def test_smaller_hosts_are_preferred_within_the_range_of_those_left():
    hosts = [hypervisor("a", 64), hypervisor("b", 96), hypervisor("c", 128), hypervisor("d", 1024)]
    assert weighed("prefer_smaller_hosts", hosts, hosts="abc", params=MEMORY) == [1.0, 0.5, 0.0]
    assert weighed("prefer_smaller_hosts", hosts[:1], hosts="ax", params=MEMORY) == [0.0, 0.0]
    assert weighed("prefer_smaller_hosts", [hypervisor("a", None, 0, 64)], hosts="a", params=MEMORY) == [0.0]


@pytest.mark.parametrize(
    ("policy", "expected"), [("soft-affinity", [2.0, 0.0]), ("soft-anti-affinity", [-2.0, 0.0]), ("affinity", [0, 0])]
)
def test_members_of_a_group_attract_or_repel_each_other(policy, expected):
    hosts = [hypervisor("a", instances=[{"id": vm} for vm in ("m", "n", "x")])]
    group = wrap({"policy": policy, "members": ["m", "n"]})
    assert weighed("instance_group_soft_affinity", hosts, instance_group=group) == expected


def test_a_failover_reservation_draws_evacuations_only():
    held = [failover("f", "a", vms=[VM]), failover("g", "b", vms=[VM], ready=False)]
    assert weighed("failover_evacuation", [], held, hint="evacuate") == [1.0, 0.1]
    params = {"failoverHostWeight": 3, "defaultHostWeight": -1}
    assert weighed("failover_evacuation", [], held, hint="evacuate", params=params) == [3, -1]
    assert weighed("failover_evacuation", [], held) == [0.0, 0.0]


def test_failover_reservations_are_put_together_those_of_a_group_rather_apart():
    held = [failover("f", "a"), failover("g", "a", group="X"), failover("h", "b", group="X")]
    found = weighed(
        "failover_reservation_consolidation",
        [],
        held,
        hint="reserve_for_failover",
        hints={"_cortex_resource_group": "G"},
    )
    assert found == [pytest.approx(2 / 3 - 0.1 / 3), pytest.approx(1 / 3)]
    assert weighed("failover_reservation_consolidation", [], held) == [0.0, 0.0]
    assert weighed("failover_reservation_consolidation", [], [], hint="reserve_for_failover") == [0.0, 0.0]


def test_the_weigher_of_reservations_is_neutral_for_nova():
    slots = [slot("s", "a", 16)]
    hints = {"_cortex_resource_group": ["G"]}
    assert weighed("committed_resource_reservation", [], slots) == [0.0, 0.0]
    assert weighed("committed_resource_reservation", [], slots, hints=hints) == [1.0, 0.1]
    assert weighed("committed_resource_reservation", [], slots, hints=hints, hint="reserve_for_failover") == [0, 0]


@pytest.mark.parametrize(
    ("more", "memory_mb"),
    [
        ({"ready": False}, 16384),
        ({"group": "X"}, 16384),
        ({"project": "Q"}, 16384),
        ({"zone": "z"}, 16384),
        ({"kind": "FailoverReservation"}, 16384),
        ({"part": False}, 16384),
        ({"used": 1}, 16384),
        ({}, 16385),
    ],
)
def test_slots_that_the_weigher_of_reservations_does_not_count(more, memory_mb):
    hints = {"_cortex_resource_group": "G"}
    slots = [slot("s", "a", 16, **more)]
    found = weighed("committed_resource_reservation", [], slots, hints=hints, flavor=flavor(memory_mb))
    assert found == [0.1, 0.1]


@pytest.mark.parametrize(
    ("step", "params", "text"),
    [
        ("binpack", {}, "at least one resource weight must be specified"),
        ("binpack", {"resourceWeights": {"disk": 1}}, "unsupported resource disk"),
        ("binpack", {"resourceWeights": {"memory": 0}}, "can't be zero"),
        ("binpack", {"resourceWeights": {"memory": -1}}, "can't be negative"),
        ("prefer_smaller_hosts", {"resourceWeights": {"memory": -1}}, "greater than or equal to zero"),
        ("prefer_smaller_hosts", {}, "at least one resource weight"),
        ("failover_reservation_consolidation", {"totalCountWeight": -1}, "totalCountWeight must be non-negative"),
        ("failover_reservation_consolidation", {"sameSpecPenalty": -1}, "sameSpecPenalty must be non-negative"),
        ("failover_reservation_consolidation", {"totalCountWeight": 0}, "must be zero when"),
        ("failover_reservation_consolidation", {"sameSpecPenalty": 1.0}, "must be less than"),
    ],
)
def test_parameters_that_are_refused(step, params, text):
    assert text in STEPS[step].refusal(params)
    assert not STEPS[step].refusal({**MEMORY, "sameSpecPenalty": 0.1})
