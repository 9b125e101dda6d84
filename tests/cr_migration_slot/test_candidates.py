"""
Which candidates of a live migration get the boost

STP: stps/cobaltcore/cr-migration-slot.md

Preconditions:
    - VM confirmed in a source slot of 16 GiB, of a project and a flavor group
    - Pipeline with the steering alone, weights 0.1 and 0
"""

import uuid

import pytest

from tests.cr_migration_slot.stage import COMMITTED

pytestmark = pytest.mark.needs(cortex_metrics=1)


@pytest.mark.scenario("CRMS-01", caught_by=("cortex_unfit_hosts_lost", "cortex_intent_read_as_hint"))
def test_free_slot_draws_the_vm(decide):
    """
    Test that the candidate with a free slot of the VM's project and flavor group gets the boost and comes first.

    Preconditions:
        - One candidate with a free slot of 24 GiB, one with a free slot of 8 GiB, one without a slot and without room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the large slot alone gets the boost, and comes first although its weight is the lowest
    """
    run = decide("bare", "small-slot", "slot")
    assert run.boosted == {"slot"}, run.story()
    assert run.hosts[0] == "slot", run.story()


@pytest.mark.scenario("CRMS-02", caught_by=("cortex_unfit_hosts_lost", "cortex_intent_read_as_hint"))
def test_room_draws_the_vm(decide):
    """
    Test that a candidate without any slot gets the boost when it has room for the source slot.

    Preconditions:
        - One candidate with 32 GiB of room, one with 8 GiB
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with room alone gets the boost, and comes first although its weight is the lowest
    """
    run = decide("bare", "room")
    assert run.boosted == {"room"}, run.story()
    assert run.hosts[0] == "room", run.story()


@pytest.mark.scenario("CRMS-03", caught_by="cortex_equality_refused")
def test_exactly_enough_is_enough(decide):
    """
    Test that a slot and room of exactly the size of the source slot get the boost.

    Preconditions:
        - Candidates with exactly 16 GiB of room, 15 GiB of room, and a slot of 32 GiB of which 16 GiB are free
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - Both candidates with exactly 16 GiB get the boost, the one with 15 GiB does not
    """
    run = decide("tight-room", "exact-room", "exact-slot")
    assert run.boosted == {"exact-room", "exact-slot"}, run.story()


@pytest.mark.scenario("CRMS-04", caught_by=("cortex_overfill_accepted", "cortex_blocks_ignored"))
def test_host_does_not_make_up_for_a_slot(decide):
    """
    [NEGATIVE] Test that a slot that is too small cannot draw the VM, although the host could make up for the rest.

    Preconditions:
        - Candidates with a free slot of 24 GiB, and with 8 GiB free in a slot beside 12 GiB of room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the large slot alone gets the boost
    """
    run = decide("overfill", "slot")
    assert run.boosted == {"slot"}, run.story()


@pytest.mark.scenario("CRMS-05", caught_by="cortex_slots_added_up")
def test_slots_are_not_added_up(decide):
    """
    [NEGATIVE] Test that two free slots that are too small cannot draw the VM together.

    Preconditions:
        - Candidates with a free slot of 24 GiB, and with two free slots of 10 GiB
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the large slot alone gets the boost
    """
    run = decide("halves", "slot")
    assert run.boosted == {"slot"}, run.story()


@pytest.mark.scenario("CRMS-06", caught_by="cortex_first_slot_only")
def test_every_slot_of_a_host_counts(decide):
    """
    Test that a second slot of a candidate draws the VM when the first one is too small.

    Preconditions:
        - Candidates with free slots of 8 GiB and 24 GiB, and without a slot and without room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with both slots gets the boost
    """
    run = decide("bare", "second-slot")
    assert run.boosted == {"second-slot"}, run.story()


@pytest.mark.scenario("CRMS-07", caught_by="cortex_expected_ignored")
def test_memory_of_expected_vms_is_not_offered(decide):
    """
    [NEGATIVE] Test that memory of a slot in which another VM is expected cannot draw the VM.

    Preconditions:
        - Candidates with a free slot of 24 GiB, and with a slot of 20 GiB in which a VM of 8 GiB is
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the free slot alone gets the boost
    """
    run = decide("filled", "slot")
    assert run.boosted == {"slot"}, run.story()


@pytest.mark.scenario("CRMS-08", caught_by=("cortex_group_not_matched", "cortex_project_not_matched"))
def test_slots_of_others_are_not_offered(decide):
    """
    [NEGATIVE] Test that slots of another flavor group and of another project cannot draw the VM.

    Preconditions:
        - Candidates with a free slot of 24 GiB of the VM's own, of another flavor group, and of another project
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the slot of the VM's own alone gets the boost
    """
    run = decide("other-group", "other-project", "slot")
    assert run.boosted == {"slot"}, run.story()


@pytest.mark.scenario("CRMS-09", caught_by=("cortex_foreign_blocks_ignored", "cortex_blocks_ignored"))
def test_slots_of_others_take_room(decide):
    """
    [NEGATIVE] Test that memory that slots of others hold cannot count as room, and that what they leave does.

    Preconditions:
        - Candidates with 32 GiB beside VMs and a foreign slot of 24 GiB, and with 48 GiB and a foreign slot of 16 GiB
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with 32 GiB left gets the boost, the one with 8 GiB left does not
    """
    run = decide("crowded", "crowded-room")
    assert run.boosted == {"crowded-room"}, run.story()


@pytest.mark.scenario("CRMS-10", caught_by="cortex_unready_slots_offered")
def test_unready_slots_do_not_count(decide):
    """
    [NEGATIVE] Test that a slot that is not Ready cannot draw the VM, and takes no room.

    Preconditions:
        - Candidates with 12 GiB and a slot of 24 GiB that is not Ready, and with 24 GiB and one of 16 GiB
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with 24 GiB gets the boost by its room, the one with 12 GiB does not
    """
    run = decide("unready", "unready-room")
    assert run.boosted == {"unready-room"}, run.story()


@pytest.mark.scenario("CRMS-11", caught_by=("cortex_slots_on_both_hosts", "cortex_slots_where_they_were"))
def test_slot_in_transit_counts_where_it_goes(decide):
    """
    Test that a slot in transit draws the VM to the host it goes to, and not to the one it comes from.

    Preconditions:
        - Slot of 24 GiB on its way from one candidate to another one
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate that the slot goes to alone gets the boost
    """
    run = decide("leaving", "arriving")
    assert run.boosted == {"arriving"}, run.story()


@pytest.mark.scenario("CRMS-12", caught_by=("cortex_capacity_counted", "cortex_only_effective_counted"))
def test_effective_capacity_counts(decide):
    """
    Test that room is counted by effective capacity where it is told, and by capacity where it is not.

    Preconditions:
        - Candidates with 10 GiB left of effective capacity and 34 GiB of capacity, and with 28 GiB of capacity alone
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate that tells capacity alone gets the boost, the other one does not
    """
    run = decide("overcommitted", "capacity-only")
    assert run.boosted == {"capacity-only"}, run.story()


@pytest.mark.scenario("CRMS-13", caught_by=("cortex_flavor_size_counted", "cortex_intent_read_as_hint"))
def test_size_of_the_slot_counts(decide):
    """
    Test that a VM smaller than its slot is drawn to room for the slot, not to room for the VM alone.

    Preconditions:
        - VM of 8 GiB in the slot of 16 GiB
        - Candidates with 12 GiB and with 32 GiB of room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with 32 GiB alone gets the boost, and comes first
    """
    run = decide("small-room", "room", small=True)
    assert run.boosted == {"room"}, run.story()
    assert run.hosts[0] == "room", run.story()


@pytest.mark.scenario("CRMS-14", caught_by=("cortex_own_slot_free", "cortex_expected_ignored"))
def test_own_slot_does_not_draw(decide):
    """
    [NEGATIVE] Test that the slot that the VM is in cannot draw it to the source host.

    Preconditions:
        - Source host among the candidates, with 12 GiB beside its VMs
        - Candidate with a free slot of 24 GiB
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with the free slot alone gets the boost
    """
    run = decide("source", "slot")
    assert run.boosted == {"slot"}, run.story()


@pytest.mark.scenario("CRMS-15", caught_by="cortex_project_of_context")
def test_project_of_the_vm_counts(decide):
    """
    Test that slots are matched with the project of the VM, not with the one of whoever asks for the migration.

    Preconditions:
        - Candidates with a free slot of the VM's project, and without a slot and without room
    Steps:
        1. Have Cortex decide about a live migration of the VM that a user of another project asks for
    Expected:
        - The candidate with the slot gets the boost
    """
    run = decide("bare", "slot", vm=COMMITTED, caller=uuid.uuid4().hex)
    assert run.boosted == {"slot"}, run.story()
