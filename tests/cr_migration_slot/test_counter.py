"""
What the counter tells, where steering is wired in, and runs that change nothing

STP: stps/cobaltcore/cr-migration-slot.md

Preconditions:
    - VM confirmed in a source slot of 16 GiB, and a VM in no slot
"""

import uuid

import pytest

from tests.cr_migration_slot.stage import COMMITTED, ORDINARY
from utilities.cortex.kinds import COMMITTED_RESOURCES, HISTORIES, RESERVATIONS
from utilities.cortex.pipelines import unsteered
from utilities.history import Change
from utilities.reversible import Create
from utilities.watching import Watched, recording

pytestmark = [pytest.mark.exclusive, pytest.mark.needs(cortex_metrics=1)]

FOUND = pytest.param(COMMITTED, ("bare", "slot"), "slot_found", id="slot-found")
NO_SLOT = pytest.param(COMMITTED, ("bare", "tight-room"), "no_slot", id="no-slot")
NO_SOURCE = pytest.param(ORDINARY, ("bare", "slot"), "no_source_slot", id="no-source-slot")


@pytest.fixture
def commitment(admin, cortex, stage, flavors):
    """A commitment in force of the VM's project and flavor group, which its slots could be for."""
    name = cortex.name("commitment")
    spec = {
        "commitmentUUID": str(uuid.uuid4()),
        "schedulingDomain": "nova",
        "flavorGroupName": flavors[1].group,
        "resourceType": "cores",
        "amount": "64",
        "availabilityZone": stage.prefix.rstrip("-"),
        "projectID": stage.mine.project,
        "domainID": "default",
        "state": "confirmed",
    }
    with admin.applied(Create(COMMITTED_RESOURCES, {"metadata": {"name": name}, "spec": spec})):
        yield name


@pytest.fixture
def read_only_run(admin, stage, commitment, decide):
    """A run over HTTP with all options against side effects, and what was written of slots and histories meanwhile.

    A VM that was written into the slot all the same is taken out again: other tests need it free.
    """
    with recording(admin.rest, [Watched(RESERVATIONS), Watched(HISTORIES)]) as taken:
        run = decide("bare", "slot", door="HTTP")
    ours = (stage.prefix, f"nova-{stage.ids[COMMITTED]}")
    records = [one for kind in ("Reservation", "History") for one in taken.timeline.of_kind(kind)]
    yield run, [one for one in records if one.change is not Change.LISTED and one.key.startswith(ours)]
    free = {"spec": {"committedResourceReservation": {"allocations": {stage.ids[COMMITTED]: None}}}}
    admin.rest.patch(RESERVATIONS, stage.named("slot"), free)


@pytest.mark.scenario(
    "CRMS-27",
    caught_by=(
        "cortex_slot_counted_as_none",
        "cortex_counted_per_host",
        "cortex_counted_twice",
        "cortex_uncounted",
        "cortex_any_slot_steers",
    ),
)
@pytest.mark.parametrize(("vm", "hosts", "outcome"), [FOUND, NO_SLOT, NO_SOURCE])
def test_run_is_counted_once(decide, vm, hosts, outcome):
    """
    Test that a run is counted exactly once, by what was found.

    Parametrize:
        - vm, hosts, outcome: [slot-found, no-slot, no-source-slot]
    Preconditions:
        - Two candidates, one with a free slot; two with neither slot nor room; two for the VM in no slot
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The counter of that outcome gains one, and no other one gains anything
    """
    run = decide(*hosts, vm=vm)
    assert run.counted == {outcome: 1}, run.story()


@pytest.mark.scenario(
    "CRMS-28",
    caught_by=("cortex_room_counted_as_slot", "cortex_counted_per_host", "cortex_counted_twice", "cortex_uncounted"),
)
def test_room_is_counted_as_no_slot(decide):
    """
    Test that a run with room alone is counted once, as one without a slot.

    Preconditions:
        - Candidates with 32 GiB of room, and with neither slot nor room
    Steps:
        1. Have Cortex decide about a live migration of the VM
    Expected:
        - The candidate with room gets the boost, and the counter of runs without a slot alone gains one
    """
    run = decide("bare", "room")
    assert run.boosted == {"room"}, run.story()
    assert run.counted == {"no_slot": 1}, run.story()


@pytest.mark.scenario("CRMS-29", caught_by="cortex_steering_missing_for_hana")
def test_all_pipelines_steer(cortex):
    """
    Test that every pipeline for KVM has the steering, and knows all of its steps.

    Preconditions:
        - Pipelines for KVM as Cortex is installed with
    Steps:
        1. Read the pipelines
    Expected:
        - The ones for general purpose and for HANA are there, and all have the steering and report all steps as known
    """
    kvm = [one for one in cortex.pipelines() if one["metadata"]["name"].startswith("kvm-")]
    reasons = {one["metadata"]["name"]: unsteered(one) for one in kvm}
    assert {"kvm-general-purpose-load-balancing", "kvm-hana-bin-packing"} <= reasons.keys()
    assert not any(reasons.values()), "\n".join(f"{name}: {why or 'steers'}" for name, why in reasons.items())


@pytest.mark.scenario("CRMS-30", caught_by=("cortex_read_only_remembered", "cortex_read_only_tracked"))
def test_read_only_run_changes_nothing(read_only_run):
    """
    [NEGATIVE] Test that a run that is asked to change nothing cannot change a slot or leave a history.

    Preconditions:
        - Commitment in force of the VM's project and flavor group
        - Candidate with a free slot of it
    Steps:
        1. Ask Cortex over HTTP with all options against side effects
    Expected:
        - The candidate with the slot comes first, no slot is written, and there is no history of the VM
    """
    run, written = read_only_run
    assert run.hosts[:1] == ("slot",), run.story()
    assert written == [], run.story()
