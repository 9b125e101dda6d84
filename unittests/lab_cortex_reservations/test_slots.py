"""The controller of slots: placing them, the reasons of their Ready condition, and the time each step takes."""

import itertools

import pytest

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.cortex.flavor_groups import learn
from lab.cortex.kinds import RESERVATION
from lab.cortex.reservations.settings import Settings
from lab.cortex.reservations.slots import STEPS, Step
from lab.hypervisor_operator.kinds import HYPERVISOR
from unittests.lab_cortex_reservations.region import FLAVORS, Reply, Slots


def test_a_new_slot_is_placed_by_cortexs_own_scheduler():
    slots = Slots()
    slots.slot(target="", ready=False)
    slots.clock.advance(2)
    assert slots.place() == ("hv-2", "hv-2")
    assert slots.ready() == ("True", "ReservationActive")
    ((_, asked),) = slots.heard
    assert asked["pipeline"] == "kvm-general-purpose-load-balancing"
    assert [entry["host"] for entry in asked["hosts"]] == ["hv-1", "hv-2", "hv-3"]
    assert set(asked["weights"].values()) == {0.0}
    said = asked["spec"]["nova_object.data"]
    assert (said["instance_uuid"], said["availability_zone"], said["num_instances"]) == ("slot-0", "az-1", 1)
    assert said["scheduler_hints"] == {"_nova_check_type": "reserve_for_committed_resource"}
    flavor = said["flavor"]["nova_object.data"]
    assert (flavor["name"], flavor["memory_mb"], flavor["vcpus"]) == ("medium", 16384, 4)
    assert flavor["extra_specs"] == {"quota:hw_version": "hw-1"}
    assert asked["options"]["lock_reservations"] is True
    assert "read_only" not in asked["options"]


def test_flavor_groups_may_have_a_pipeline_of_their_own():
    slots = Slots(settings=Settings(pipelines={"hw-1": "kvm-hana-bin-packing"}))
    slots.slot(target="", ready=False)
    slots.clock.advance(2)
    assert slots.heard[0][1]["pipeline"] == "kvm-hana-bin-packing"


@pytest.mark.parametrize(
    ("made", "place", "ready"),
    [
        ({"flavor": "", "ready": False, "target": "hv-1", "host": ""}, ("hv-1", ""), ("False", "MissingResourceName")),
        ({"target": "hv-1", "host": "", "ready": False}, ("hv-1", "hv-1"), ("True", "ReservationActive")),
        (
            {"target": "hv-1", "host": "", "ready": False, "vms": ("x",), "age": 0.0},
            ("hv-1", "hv-1"), ("True", "PreAllocated"),
        ),
    ],
)  # fmt: skip
def test_a_slot_with_a_host_is_taken_over(made, place, ready):
    slots = Slots()
    slots.slot(**made)
    slots.clock.advance(2)
    assert (slots.place(), slots.ready()) == (place, ready)
    assert slots.heard == []


def test_a_ready_slot_whose_target_is_cleared_is_revoked_and_placed_again():
    slots = Slots(vms=0)
    slots.slot(vms=("x",), age=0.0, confirmed=("x",))
    slots.api.patch(RESERVATION, "", "slot-0", {"spec": {"targetHost": None}})
    seen = []
    slots.api.listen(RESERVATION, lambda _: seen.append((slots.ready()[1], slots.place(), slots.confirmed())))
    slots.clock.advance(2)
    assert seen[0] == ("PlacementRevoked", ("", ""), {})
    assert slots.place() == ("hv-2", "hv-2")


def test_a_revoked_slot_keeps_a_map_of_nobody():
    """Go's merge patch sees no difference between no map and an empty one."""
    slots = Slots(says=lambda _: [], vms=0)
    slots.slot(age=0.0)
    slots.api.patch(RESERVATION, "", "slot-0", {"spec": {"targetHost": None}})
    slots.clock.advance(2)
    assert slots.place() == ("", "")
    assert slots.reservation()["status"]["committedResourceReservation"] == {"allocations": {}}


def test_no_answer_is_an_error_that_is_tried_again_later_each_time():
    slots = Slots(says=lambda _: [])
    slots.slot(target="", ready=False)
    slots.clock.advance(60)
    assert slots.ready() == ("False", "NoHostsFound")
    times = [at for at, _ in slots.heard]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert len(times) > 5
    assert gaps[-1] > 2 * gaps[3]


def test_null_hosts_are_no_hosts():
    slots = Slots(says=lambda _: Reply(200, b'{"hosts":null}'))
    slots.slot(target="", ready=False)
    slots.clock.advance(5)
    assert slots.ready() == ("False", "NoHostsFound")


@pytest.mark.parametrize("reply", [Reply(500, b"failed to process scheduling decision: x\n"), None])
def test_a_refusal_changes_nothing_and_is_tried_again(reply):
    slots = Slots(says=lambda _: reply)
    slots.slot(target="", ready=False)
    slots.clock.advance(5)
    assert slots.ready() == ("", "")
    assert len(slots.heard) > 3
    slots.says = lambda _: ["hv-3"]
    slots.clock.advance(20)
    assert slots.place() == ("hv-3", "hv-3")


def test_without_flavor_groups_it_looks_again_each_minute():
    slots = Slots(flavors=())
    slots.slot(target="", ready=False)
    slots.clock.advance(30)
    assert slots.heard == []
    learn(slots.api, FLAVORS)
    slots.clock.advance(25)
    assert slots.heard == []
    slots.clock.advance(10)
    assert slots.place() == ("hv-2", "hv-2")


def test_without_hypervisors_there_is_no_host():
    slots = Slots(vms=0)
    for name in ("hv-1", "hv-2", "hv-3"):
        slots.api.delete(HYPERVISOR, "", name)
    slots.slot(target="", ready=False)
    slots.clock.advance(2)
    assert slots.ready() == ("False", "NoHostsAvailable")


def test_reservations_of_other_types_are_left_alone():
    slots = Slots()
    slots.api.create(RESERVATION, {"metadata": {"name": "f"}, "spec": {"type": "FailoverReservation"}})
    slots.clock.advance(5)
    assert "status" not in slots.reservation("f")


def test_nothing_is_done_while_the_process_is_down_and_all_of_it_afterwards():
    slots = Slots()
    slots.process.alive = False
    slots.slot(target="", ready=False)
    slots.clock.advance(60)
    assert slots.heard == []
    slots.process.alive = True
    for starter in slots.process.starters:
        starter()
    slots.clock.advance(2)
    assert slots.place() == ("hv-2", "hv-2")


def test_a_settled_slot_is_not_written_again():
    slots = Slots()
    vm = slots.vm().id
    slots.slot(vms=(vm,), confirmed=(vm,))
    slots.clock.advance(5)
    before = slots.reservation()["metadata"]["resourceVersion"]
    slots.clock.advance(1200)
    assert slots.reservation()["metadata"]["resourceVersion"] == before


def test_a_fault_is_a_row_in_front():
    row = Row("fault:never placed", lambda slot: not slot.target, says(Step.UNNAMED))
    slots = Slots(faults=Faults({STEPS.name: (row,)}))
    slots.slot(target="", ready=False)
    slots.clock.advance(5)
    assert slots.ready() == ("False", "MissingResourceName")
