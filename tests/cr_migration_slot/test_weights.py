"""
How strong steering is beside other preferences

STP: stps/cobaltcore/cr-migration-slot.md

Preconditions:
    - VM confirmed in a source slot of 16 GiB
"""

import pytest

pytestmark = pytest.mark.needs(cortex_metrics=1)

CLOSE = pytest.param({"bare": 0.55, "slot": 0.5}, ("slot", "bare"), id="close")
APART = pytest.param({"bare": 0.8, "slot": 0.5}, ("bare", "slot"), id="apart")


@pytest.mark.scenario(
    "CRMS-23",
    caught_by=(
        "cortex_weights_as_commented",
        "cortex_tanh_in_step",
        "cortex_weights_swapped",
        "cortex_unfit_hosts_removed",
    ),
)
def test_default_weights(decide):
    """
    Test that without options candidates that can take the slot get 0.1, and the others 0.

    Preconditions:
        - Pipeline that names the steering without options
        - Candidates with a free slot, and without a slot and without room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the slot gets 0.1, the other one 0
    """
    run = decide("bare", "slot", through="defaults")
    assert run.steering == {"bare": 0.0, "slot": 0.1}, run.story()


@pytest.mark.scenario(
    "CRMS-24", caught_by=("cortex_weights_ignored", "cortex_tanh_in_step", "cortex_unfit_hosts_removed")
)
def test_configured_weights(decide):
    """
    Test that configured weights are given as they are, and reach the score through tanh once.

    Preconditions:
        - Pipeline with weights 1.0 and 0.1
        - Candidates with a weight of 0 and a free slot, and with a weight of 0.6 and neither slot nor room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidates get 1.0 and 0.1, and the one with the slot comes first because tanh(1.0) is larger than
          tanh(0.6) + tanh(0.1)
    """
    run = decide(through="strong", weights={"slot": 0.0, "bare": 0.6})
    assert run.steering == {"slot": 1.0, "bare": 0.1}, run.story()
    assert run.hosts == ("slot", "bare"), run.story()


@pytest.mark.scenario("CRMS-25", caught_by=("cortex_unfit_hosts_removed", "cortex_intent_read_as_hint"))
@pytest.mark.parametrize(("weights", "order"), [CLOSE, APART])
def test_boost_is_a_nudge(decide, weights, order):
    """
    Test that the boost decides between candidates that are closer than it, and is outweighed by a larger difference.

    Parametrize:
        - weights, order: [close, apart]
    Preconditions:
        - Candidate with a free slot and a weight of 0.5
        - Candidate with neither slot nor room and a weight of 0.55, then of 0.8
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the slot comes first while they are close, the other one otherwise, and none is lost
    """
    run = decide(weights=weights)
    assert run.boosted == {"slot"}, run.story()
    assert run.hosts == order, run.story()


@pytest.mark.scenario(
    "CRMS-26", caught_by=("cortex_foreign_blocks_ignored", "cortex_unfit_hosts_removed", "cortex_blocks_ignored")
)
def test_other_weighers_keep_their_say(decide):
    """
    Test that a weigher for emptier hosts keeps its say beside the steering.

    Preconditions:
        - Pipeline with a weigher that prefers emptier hosts, and the steering
        - Candidates of 128 GiB: 64 GiB taken by VMs and a free slot; 48 GiB and 8 GiB taken, without slot and room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The emptiest candidate stays first, the one with the slot passes the one that is a little emptier
    """
    weights = dict.fromkeys(("full-with-slot", "half-full", "empty"), 0.0)
    run = decide(through="balanced", weights=weights)
    assert run.boosted == {"full-with-slot"}, run.story()
    assert run.hosts == ("empty", "full-with-slot", "half-full"), run.story()
