"""Each fault of the scheduling changes the worked examples that it should, and no other."""

import random

import pytest

from lab.cortex.scheduling.building import build
from lab.cortex.scheduling.defaults import default_pipelines
from lab.cortex.scheduling.pipeline import SOUND, run
from lab.cortex.scheduling.steps import ProcessDiedError
from lab.cortex.scheduling.weighers.migration_slot import MIGRATION_SLOT, NAME
from lab.faults.cortex import CORTEX_FAULTS
from lab.faults.cortex.evaluator import EVALUATOR_FAULTS
from lab.faults.cortex.steering import STEERING_FAULTS, UNFIT_HOSTS_LOST, UNFIT_HOSTS_REMOVED
from lab.faults.fault import named, together
from unittests.lab_cortex_scheduling.bodies import request
from unittests.lab_cortex_scheduling.examples import EXAMPLES, FOUND, NO_SLOT
from unittests.lab_cortex_scheduling.objects import asked, hypervisor, slot, source, view


def answered(example, faults=SOUND, params=None):
    """Activations and labels of an example, None if the process dies."""
    some = EXAMPLES[example]
    seen = view(some.hosts, some.reservations)
    try:
        found = asked(MIGRATION_SLOT, request(*some.candidates, **some.changes), seen, params, faults)
    except ProcessDiedError:
        return None
    return dict(found.activations), [count.labels["result"] for count in found.counts]


def changed(name, params=None):
    faults = together(named([name], CORTEX_FAULTS))
    return {example for example in EXAMPLES if answered(example, faults, params) != answered(example, SOUND, params)}


def those(*labels):
    """Examples that count one of these."""
    return {name for name, example in EXAMPLES.items() if example.label in labels}


STEERED = those(FOUND, NO_SLOT)
COUNTED = {name for name, example in EXAMPLES.items() if example.label}
UNFIT = {name for name in STEERED if not all(EXAMPLES[name].boosted)}
CHANGES = {
    "unspecified_source_unguarded": {"B5"},
    "unready_source_accepted": {"B4"},
    "every_intent_steered": {"B1 create", "B1 evacuate", "B1 live_migration"},
    "evacuations_steered": {"B1 evacuate"},
    "intent_read_as_hint": COUNTED | {"B1 live_migration"},
    "flavor_size_counted": {"W12"},
    "expected_source": {"W11", "B3"},
    "weights_as_commented": STEERED,
    "weights_swapped": STEERED,
    "uneven_when_nothing_fits": {"W3"},
    "unfit_hosts_lost": UNFIT,
    "unfit_hosts_removed": UNFIT,
    "tanh_in_step": {name for name in STEERED if any(EXAMPLES[name].boosted)},
    "uncounted": COUNTED,
    "counted_per_host": {"W1", "W2", "W3", "W9", "W12", "B6"},
    "counted_twice": COUNTED,
    "room_counted_as_slot": {name for name in those(NO_SLOT) if any(EXAMPLES[name].boosted)},
    "slot_counted_as_none": those(FOUND),
    "empty_source_steers": {"B6"},
    "expected_ignored": {"W7", "W10", "E7b", "E15"},
    "unready_slots_offered": {"W8"},
    "blocks_ignored": {"W4", "W10", "E7b", "E13", "E15"},
    "foreign_blocks_ignored": {"W4", "E13"},
    "capacity_counted": {"W2", "W5 group", "W5 project", "W8", "W12", "W13", "W14", "E2", "E9"},
    "only_effective_counted": {"E8"},
    "equality_refused": {"W5 group", "W5 project", "E2", *those(FOUND)},
    "group_not_matched": {"W4", "W5 group", "E13", "foreign group"},
    "project_not_matched": {"W5 project", "foreign project"},
    "project_of_context": {"foreign context"},
    "slots_where_they_were": {"W9"},
    "slots_on_both_hosts": {"W9"},
    "overfill_accepted": {"E7b", *those(FOUND)} - {"W11"},
    "first_slot_only": {"two slots"},
    "slots_added_up": {"E15"},
    "own_slot_free": {"W10"},
}
"""Where hosts of an example tell effective capacity alone, or there is no Hypervisor, a fault may hit more of them."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_fault_changes_these_examples(name):
    assert changed(f"cortex_{name}") == CHANGES[name]


def test_weights_that_are_configured_have_no_effect():
    assert changed("cortex_weights_ignored") == set()
    assert changed("cortex_weights_ignored", {"slotHostWeight": 0.5, "defaultHostWeight": -0.2}) == STEERED


@pytest.mark.parametrize(("faults", "given"), [((), 0.0), (("cortex_any_slot_steers",), 0.1)])
def test_a_vm_in_no_slot_may_be_steered_by_any(faults, given):
    seen = view([hypervisor("a", 64)], [source(vm="somebody"), slot("broken", "b", 16, confirmed=["x"], ready=False)])
    found = asked(MIGRATION_SLOT, request("a"), seen, None, together(named(faults, CORTEX_FAULTS)))
    assert found.activations == {"a": given}


def test_every_fault_of_the_scheduling_is_looked_at():
    built_in = {"any_slot_steers", "weights_ignored", "steering_missing", "steering_missing_for_hana"}
    names = {fault.name.removeprefix("cortex_") for fault in (*STEERING_FAULTS, *EVALUATOR_FAULTS)}
    assert names == set(CHANGES) | built_in
    assert len({fault.name for fault in CORTEX_FAULTS}) == len(CORTEX_FAULTS)


@pytest.mark.parametrize(("fault", "missing"), [("steering_missing", 4), ("steering_missing_for_hana", 2)])
def test_the_weigher_may_be_missing(fault, missing):
    faults = together(named([f"cortex_{fault}"], CORTEX_FAULTS))
    found = [build(pipeline, faults) for pipeline in default_pipelines()]
    assert sum(each.unknown == (NAME,) for each in found) == missing
    assert all(each.pipeline is not None for each in found)


def ordered(*faults):
    pipeline = build({"metadata": {"name": "own"}, "spec": {"weighers": [{"name": NAME}]}}).pipeline
    assert pipeline is not None
    seen = view([], [source(), slot("s", "a", 8), slot("t", "c", 8)])
    return run(pipeline, request("a", "b", "c"), seen, random.Random(1), together(faults))


def test_hosts_lost_by_the_step_are_kept_by_the_pipeline_unless_it_is_broken_too():
    assert len(ordered().ordered_hosts) == 3
    lost = ordered(UNFIT_HOSTS_LOST)
    assert (len(lost.ordered_hosts), lost.steps, len(lost.errors)) == (3, (), 1)
    assert ordered(UNFIT_HOSTS_REMOVED).ordered_hosts == ()
