"""The evaluator and the steering weigher agree with a model of the prose, host by host, on 10,000 random clusters."""

from collections import Counter
from itertools import product

import pytest

from lab.cortex.scheduling.pipeline import SOUND
from lab.cortex.scheduling.revisions import with_revision
from lab.cortex.scheduling.slots import SlotEvaluator, Wanted
from lab.cortex.scheduling.steps import ProcessDiedError
from lab.cortex.scheduling.view import View
from lab.cortex.scheduling.weighers.migration_slot import MIGRATION_SLOT
from unittests.lab_cortex_scheduling.bodies import GI, PROJECT, VM, request
from unittests.lab_cortex_scheduling.clusters import cluster
from unittests.lab_cortex_scheduling.model import Model
from unittests.lab_cortex_scheduling.objects import asked, view

CLUSTERS = 10_000
PARTS = 5
NEEDS = (8, 16, 24)
WEIGHTS = {"slotHostWeight": 0.5, "defaultHostWeight": -0.25}


@pytest.mark.parametrize("part", range(PARTS))
def test_random_clusters(part):
    verdicts: Counter[tuple[bool, bool, bool]] = Counter()
    labels: Counter[str] = Counter()
    for seed in range(part, CLUSTERS, PARTS):
        some = cluster(seed)
        seen, model = view(some.hypervisors, some.reservations), Model(some.hypervisors, some.reservations)
        need, group = NEEDS[seed // PARTS % len(NEEDS)], "GX"[seed // PARTS % 2]
        for host in some.candidates:
            told, expected = evaluated(seen, host, group, need), modelled(model, host, group, need)
            assert told == expected, f"cluster {seed}, host {host}, need {need} of {group}"
            verdicts[told[2:]] += 1
        for revision in ("R2", "R3"):
            expected = model.steer(VM, PROJECT, some.candidates, tuple(WEIGHTS.values()), revision)
            assert steered(seen, some.candidates, revision) == expected, f"cluster {seed}, {revision}"
            labels[f"{revision} {expected[1]}"] += 1
    # not vacuous: each combination was met; a slot and room without a usable slot is impossible
    assert set(verdicts) == {*product((False, True), repeat=3)} - {(False, True, True)}
    common = ("slot_found", "no_slot", "no_source_slot")
    assert set(labels) == {
        *(f"{revision} {label}" for revision in ("R2", "R3") for label in common),
        "R2 None",
        "R3 invalid_source_slot",
    }


def evaluated(seen: View, host: str, group: str, need: int):
    """Free, blocked, usable slot, slot with capacity, room: by the lab."""
    evaluator, wanted = SlotEvaluator(seen), Wanted(PROJECT, group)
    offer = evaluator.offer(host, wanted, need * GI)
    return (
        offer.free,
        offer.blocks,
        evaluator.has_usable_slot(host, wanted, need * GI),
        evaluator.has_slot_with_capacity(offer),
        evaluator.can_accommodate(offer),
    )


def modelled(model: Model, host: str, group: str, need: int):
    """The same by the prose."""
    return (
        model.hv_free(host) * GI,
        model.blocks(host) * GI,
        model.usable(host, PROJECT, group, need),
        model.strict(host, PROJECT, group, need),
        model.room(host, need),
    )


def steered(seen: View, candidates: list[str], revision: str):
    """Activations and label of the weigher; (None, None) if the process dies."""
    try:
        answered = asked(MIGRATION_SLOT, request(*candidates), seen, WEIGHTS, with_revision(revision, SOUND))
    except ProcessDiedError:
        return None, None
    (count,) = answered.counts
    return dict(answered.activations), count.labels["result"]
