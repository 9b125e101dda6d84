"""
When steering has no say: nothing fits, no source slot that can be used, and requests of other kinds

STP: stps/cobaltcore/cr-migration-slot.md

Preconditions:
    - Candidates with a free slot of 24 GiB, with room, and with neither
    - Pipeline with the steering alone, weights 0.1 and 0
"""

import pytest

from tests.cr_migration_slot.stage import CONFIRMED, EXPECTED, ORDINARY, UNREADY, UNSPECIFIED, WEIGHTLESS

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(cortex_metrics=1)]

REQUESTS = [
    pytest.param(None, id="build"),
    pytest.param("rebuild", id="rebuild"),
    pytest.param("resize", id="resize"),
    pytest.param("evacuate", id="evacuate"),
    pytest.param("live_migration", id="unknown"),
]


@pytest.mark.scenario("CRMS-16", caught_by=("cortex_uneven_when_nothing_fits", "cortex_unfit_hosts_removed"))
def test_order_stays_when_nothing_fits(decide):
    """
    [NEGATIVE] Test that steering cannot change an order or lose a host when no candidate can take the slot.

    Preconditions:
        - VM confirmed in a source slot of 16 GiB
        - Three candidates, none with a slot or room for it
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - All candidates get the same weight, and come out in the order of the weights they came with
    """
    run = decide("tight-room", "bare", "small-slot")
    assert run.steering == dict.fromkeys(run.candidates, 0.0), run.story()
    assert run.hosts == run.candidates, run.story()


@pytest.mark.scenario("CRMS-17", caught_by="cortex_any_slot_steers")
def test_ordinary_vm_is_not_steered(decide):
    """
    [NEGATIVE] Test that an ordinary VM cannot be drawn anywhere: its candidates get no weight, and keep their order.

    Preconditions:
        - VM in no slot
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - No candidate gets a weight, and they come out in the order of the weights they came with
    """
    run = decide("bare", "room", "slot", vm=ORDINARY)
    assert run.steering == dict.fromkeys(run.candidates, 0.0), run.story()
    assert run.hosts == run.candidates, run.story()


@pytest.mark.scenario("CRMS-18", caught_by=("cortex_expected_source", "cortex_any_slot_steers"))
def test_confirmed_slot_is_the_source(decide):
    """
    Test that a VM is steered by the slot it is confirmed in, and not by one that merely expects it.

    Preconditions:
        - VM that a slot of 16 GiB confirms, VM that another slot of 16 GiB expects
    Steps:
        1. Have Cortex decide about a live migration of the confirmed VM
        2. Have Cortex decide about a live migration of the expected VM
    Expected:
        - The candidate with the slot gets the boost for the confirmed VM, and none gets a weight for the expected one
    """
    confirmed = decide("bare", "slot", vm=CONFIRMED)
    expected = decide("bare", "slot", vm=EXPECTED)
    assert confirmed.boosted == {"slot"}, confirmed.story()
    assert expected.steering == dict.fromkeys(expected.candidates, 0.0), expected.story()


@pytest.mark.scenario("CRMS-19", caught_by="cortex_unready_source_accepted")
def test_unready_source_does_not_steer(decide):
    """
    [NEGATIVE] Test that a source slot that is not Ready cannot steer.

    Preconditions:
        - VM confirmed in a slot of 16 GiB that is not Ready
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - No candidate gets a weight
    """
    run = decide("bare", "room", "slot", vm=UNREADY)
    assert run.steering == dict.fromkeys(run.candidates, 0.0), run.story()


@pytest.mark.scenario("CRMS-20", caught_by="cortex_unspecified_source_unguarded")
def test_unspecified_source_does_no_harm(decide):
    """
    [NEGATIVE] Test that a source slot without its part of the specification can neither steer nor stop Cortex.

    Preconditions:
        - VM confirmed in a slot that does not say whose it is
    Steps:
        1. Ask Cortex over HTTP about a live migration of the VM
    Expected:
        - Cortex answers with all candidates in the order of the weights they came with
    """
    run = decide("bare", "room", "slot", vm=UNSPECIFIED, door="HTTP")
    assert run.trouble == "", run.story()
    assert run.hosts == run.candidates, run.story()


@pytest.mark.scenario(
    "CRMS-21",
    caught_by=("cortex_empty_source_steers", "cortex_counted_per_host", "cortex_counted_twice", "cortex_uncounted"),
)
def test_weightless_source_does_not_steer(decide):
    """
    [NEGATIVE] Test that a source slot without memory cannot steer, and is told by the counter.

    Preconditions:
        - VM confirmed in a slot without memory
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - No candidate gets a weight, and the run is counted once, as one with an invalid source slot, or by an older
          revision as one without a source slot
    """
    run = decide("bare", "room", "slot", vm=WEIGHTLESS)
    assert run.steering == dict.fromkeys(run.candidates, 0.0), run.story()
    assert run.counted in ({"invalid_source_slot": 1}, {"no_source_slot": 1}), run.story()


@pytest.mark.scenario("CRMS-22", caught_by=("cortex_evacuations_steered", "cortex_every_intent_steered"))
@pytest.mark.parametrize("check", REQUESTS)
def test_other_requests_are_not_steered(decide, check):
    """
    [NEGATIVE] Test that a request other than a live migration cannot be steered, and is not counted.

    Parametrize:
        - check: [build, rebuild, resize, evacuate, unknown]
    Preconditions:
        - VM confirmed in a source slot of 16 GiB
    Steps:
        1. Have Cortex decide about a request of that kind for the VM
    Expected:
        - No candidate gets a weight, they come out in the order of the weights they came with, and nothing is counted
    """
    run = decide("bare", "room", "slot", check=check)
    assert run.steering == dict.fromkeys(run.candidates, 0.0), run.story()
    assert run.hosts == run.candidates, run.story()
    assert run.counted == {}, run.story()
