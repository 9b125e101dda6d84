"""The steering weigher, row by row and example by example as the Cortex sheet has them (§5)."""

import random
from math import tanh

import pytest

from lab.cortex.scheduling.building import build
from lab.cortex.scheduling.defaults import default_pipelines
from lab.cortex.scheduling.pipeline import SOUND, run
from lab.cortex.scheduling.revisions import with_revision
from lab.cortex.scheduling.steps import ProcessDiedError
from lab.cortex.scheduling.weighers.migration_slot import MIGRATION_SLOT
from unittests.lab_cortex_scheduling.bodies import GROUP, VM, request
from unittests.lab_cortex_scheduling.examples import EXAMPLES, FOUND, NO_SLOT
from unittests.lab_cortex_scheduling.objects import SOURCE, asked, hypervisor, slot, source, view

R2 = with_revision("R2")


def weighed(hosts, slots, *candidates, params=None, faults=SOUND, **changes):
    """Activations and labels counted, for the candidates."""
    answered = asked(MIGRATION_SLOT, request(*candidates, **changes), view(hosts, slots), params, faults)
    return dict(answered.activations), [count.labels["result"] for count in answered.counts]


@pytest.mark.parametrize("hint", ["rebuild", "resize", "evacuate", "create", "live_migration", "capacity_probe", None])
def test_b1_other_intents_are_not_steered_and_not_counted(hint):
    assert weighed([hypervisor("a", 64)], [source()], "a", hint=hint) == ({"a": 0.0}, [])


def test_b3_a_vm_that_no_slot_confirms_is_not_steered():
    slots = [slot("s", SOURCE, 16, {VM: 16}), slot("t", "a", 16)]
    assert weighed([hypervisor("a", 64)], slots, "a") == ({"a": 0.0}, ["no_source_slot"])


def test_b4_a_source_that_is_not_ready_counts_in_r2_only():
    hosts, slots = [hypervisor("a", 64)], [source(ready=False)]
    assert weighed(hosts, slots, "a") == ({"a": 0.0}, ["no_source_slot"])
    assert weighed(hosts, slots, "a", faults=R2) == ({"a": 0.1}, ["no_slot"])


def test_b5_a_source_without_specification_kills_r2():
    hosts, slots = [hypervisor("a", 64)], [source(part=False)]
    assert weighed(hosts, slots, "a") == ({"a": 0.0}, ["no_source_slot"])
    with pytest.raises(ProcessDiedError, match="a-source"):
        weighed(hosts, slots, "a", faults=R2)


def test_b6_a_source_without_memory_is_told_apart_in_r3():
    hosts = [hypervisor("a", 64)]
    for slots in ([source(None)], [source(0)]):
        assert weighed(hosts, slots, "a") == ({"a": 0.0}, ["invalid_source_slot"])
        assert weighed(hosts, slots, "a", faults=R2) == ({"a": 0.0}, ["no_source_slot"])
    assert weighed(hosts, [source(None, part=False)], "a") == ({"a": 0.0}, ["no_source_slot"])
    assert weighed(hosts, [source(None, part=False)], "a", faults=R2) == ({"a": 0.0}, ["no_source_slot"])


def test_the_first_sound_slot_that_confirms_the_vm_is_the_source():
    slots = [source(64, ready=False), source(16, name="b-source"), source(32, name="c-source")]
    hosts = [hypervisor("a", 16), hypervisor("b", 8)]
    assert weighed(hosts, slots, "a", "b") == ({"a": 0.1, "b": 0.0}, ["no_slot"])


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_examples(example):
    some = EXAMPLES[example]
    steered = some.label in (FOUND, NO_SLOT)
    for params, weights in ((None, (0.1, 0.0)), ({"slotHostWeight": 0.5, "defaultHostWeight": -0.2}, (0.5, -0.2))):
        activations, labels = weighed(some.hosts, some.reservations, *some.candidates, params=params, **some.changes)
        able = dict(zip(some.candidates, some.boosted, strict=True))
        assert activations == {host: (weights[0] if able[host] else weights[1]) * steered for host in able}
        assert labels == [some.label] * bool(some.label)


def own_pipeline(*params, **more):
    spec = {"weighers": [{"name": MIGRATION_SLOT.name, "params": list(params), **more}]}
    built = build({"metadata": {"name": "own"}, "spec": spec})
    assert built.pipeline is not None
    return built.pipeline


def test_w15_tanh_and_multiplier_are_the_pipelines():
    params = {"key": "slotHostWeight", "floatValue": 1.0}, {"key": "defaultHostWeight", "floatValue": 0.1}
    seen = view([], [source(), slot("s", "a"), slot("t", "b", 8)])
    outcome = run(own_pipeline(*params), request("a", "b", "c"), seen, random.Random(1))
    assert outcome.activations(MIGRATION_SLOT.name) == {"a": 1.0, "b": 0.1, "c": 0.1}
    scores = outcome.aggregated_out_weights
    assert [round(scores[host], 4) for host in "abc"] == [0.7616, 0.0997, 0.0997]
    doubled = run(own_pipeline(*params, multiplier=2), request("a", "b"), seen, random.Random(1))
    assert doubled.activations(MIGRATION_SLOT.name) == {"a": 1.0, "b": 0.1}
    assert doubled.aggregated_out_weights["a"] == 2 * tanh(1.0)


def test_b0_without_survivors_the_step_is_absent():
    outcome = run(own_pipeline(), request(), view([], [source()]), random.Random(1))
    assert (outcome.steps, outcome.counts, outcome.target) == ((), (), None)


@pytest.mark.parametrize(("used", "first"), [(48, "a"), (47, "a"), (46, "b")])
def test_the_nudge_outweighs_seventeen_gibibytes_of_balance(used, first):
    hosts = [
        hypervisor(name, 128, each, domainCapabilities={"hypervisorType": "kvm"})
        for name, each in (("a", 64), ("b", used))
    ]
    pipeline = build(default_pipelines()[0]).pipeline
    assert pipeline is not None
    room = 15.5  # enough on B for the VM, counted in MB, and not for the slot
    slots = [source(), slot("s", "a"), slot("t", "b", 128 - used - room, project="Q")]
    outcome = run(pipeline, request("a", "b"), view(hosts, slots), random.Random(1))
    scores = outcome.aggregated_out_weights
    assert outcome.target == first
    assert round(scores["a"], 4) == -0.4509
    assert round(scores["b"], 4) == {48: -0.4576, 47: -0.4514, 46: -0.4451}[used]


def test_the_flavors_own_group_is_not_looked_at():
    seen = [source(group="other"), slot("s", "a", group="other"), slot("t", "b", group=GROUP)]
    assert weighed([], seen, "a", "b") == ({"a": 0.1, "b": 0.0}, ["slot_found"])


def test_the_project_is_that_of_the_request_not_of_the_context():
    slots = [source(), slot("s", "a", project="P"), slot("t", "b", project="C")]
    assert weighed([], slots, "a", "b", context={"project_id": "C"}) == ({"a": 0.1, "b": 0.0}, ["slot_found"])
