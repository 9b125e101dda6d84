"""The SlotEvaluator, example by example as the Cortex sheet has them (§4)."""

import pytest

from lab.cortex.scheduling.slots import SlotEvaluator, Wanted
from unittests.lab_cortex_scheduling.bodies import GI, GROUP, PROJECT
from unittests.lab_cortex_scheduling.objects import hypervisor, slot, view

WANTED = Wanted(PROJECT, GROUP)
YES, NO = True, False


def host(effective, capacity, allocation):
    return [hypervisor("h", effective, allocation, capacity)]


def one(size, used=0, **more):
    return [slot("s", "h", size, used, **more)]


EXAMPLES = {
    "E1": (host(32, None, 0), [], 16, 32, 0, (NO, NO, YES)),
    "E2": (host(16, None, 0), [], 16, 16, 0, (NO, NO, YES)),
    "E3": (host(15, None, 0), [], 16, 15, 0, (NO, NO, NO)),
    "E4": (host(64, None, 32), one(16), 16, 32, 16, (YES, YES, YES)),
    "E5": (host(32, None, 16), one(16), 16, 16, 16, (YES, YES, NO)),
    "E6": (host(32, None, 24), one(16), 16, 8, 16, (NO, YES, NO)),
    "E7": (host(64, None, 40), one(16, 8), 24, 24, 16, (NO, NO, NO)),
    "E7b": (host(64, None, 40), one(16, 8), 16, 24, 16, (YES, NO, NO)),
    "E8": (host(None, 48, 20), [], 16, 28, 0, (NO, NO, YES)),
    "E9": (host(40, 64, 30), [], 16, 10, 0, (NO, NO, NO)),
    "E10": (host(32, None, 48), one(16), 16, 0, 16, (NO, YES, NO)),
    "E11": (host(64, None, 16), one(8, 16), 8, 48, 8, (NO, NO, YES)),
    "E12": (host(48, None, 16), one(32, ready=False), 16, 32, 0, (NO, NO, YES)),
    "E13": (host(48, None, 16), one(24, group="other"), 16, 32, 24, (NO, NO, NO)),
    "E14": ([], one(16), 16, 0, 16, (NO, YES, NO)),
    "E15": (host(64, None, 48), [slot("s", "h", 16, 8), slot("t", "h", 16, 8)], 16, 16, 32, (NO, NO, NO)),
    "E16": (host(64, None, 32), one(16, 16), 32, 32, 16, (NO, NO, NO)),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_examples(example):
    hosts, slots, need, free, blocks, verdicts = EXAMPLES[example]
    evaluator = SlotEvaluator(view(hosts, slots))
    offer = evaluator.offer("h", WANTED, need * GI)
    assert (offer.free, offer.blocks) == (free * GI, blocks * GI)
    assert verdicts == (
        evaluator.has_usable_slot("h", WANTED, need * GI),
        evaluator.has_slot_with_capacity(offer),
        evaluator.can_accommodate(offer),
    )


def test_an_effective_capacity_without_memory_is_none():
    hosts = [hypervisor("h", None, 0, 64)]
    hosts[0]["status"]["effectiveCapacity"] = {"cpu": "4"}
    assert SlotEvaluator(view(hosts)).free("h") == 0


@pytest.mark.parametrize(
    "more",
    [
        {"label": "failover"},
        {"part": False},
        {"ready": False},
    ],
)
def test_what_is_no_slot_neither_offers_nor_blocks(more):
    evaluator = SlotEvaluator(view(host(32, None, 0), one(16, **more)))
    assert (evaluator.blocks("h"), evaluator.matching("h", WANTED)) == (0, ())


def test_the_type_of_a_slot_is_not_looked_at_and_its_status_host_neither():
    evaluator = SlotEvaluator(view(host(32, None, 0), one(16, kind="FailoverReservation", host="other")))
    assert evaluator.blocks("h") == 16 * GI
    assert evaluator.blocks("other") == 0


def test_sizes_are_compared_to_the_byte():
    hosts = [hypervisor("h", 32)]
    hosts[0]["status"]["effectiveCapacity"] = {"memory": str(16 * GI - 1)}
    evaluator = SlotEvaluator(view(hosts))
    assert not evaluator.can_accommodate(evaluator.offer("h", WANTED, 16 * GI))
    assert evaluator.can_accommodate(evaluator.offer("h", WANTED, 16 * GI - 1))
