"""In-flight reservations: reasons, waiting, deletion; nothing in the product makes them (cortex sheet §1.1)."""

from dataclasses import replace

import pytest

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.cortex.kinds import RESERVATION
from lab.cortex.reservations.in_flight import CONCERNED
from unittests.lab_cortex_reservations.region import Slots

LABEL = {"reservations.cortex.cloud/type": "in-flight"}


def hold(region, name, vm, target="hv-1", intent="create", memory="4Gi", **spec):
    part = {"vmID": vm, "projectID": "p", "userID": "u", "intent": intent}
    wanted = {
        "type": "InFlightReservation", "schedulingDomain": "nova", "targetHost": target,
        "resources": {"memory": memory, "cpu": "2"}, "inFlightReservation": part, **spec,
    }  # fmt: skip
    obj = {"metadata": {"name": name, "labels": LABEL}, "spec": {k: v for k, v in wanted.items() if v is not None}}
    region.api.create(RESERVATION, obj)
    region.clock.advance(1)


def left(region):
    return [snapshot.name for snapshot in region.api.store.scan(RESERVATION.key)]


def test_all_reservations_of_a_vm_on_its_host_go_once_it_is_there():
    region = Slots()
    vm = region.vm().id
    hold(region, "elsewhere", vm, target="hv-2")
    assert left(region) == ["elsewhere"]  # stale: it waits to be deleted
    hold(region, "here", vm)
    assert left(region) == ["elsewhere"]


def test_a_vm_that_has_not_come_is_waited_for():
    region = Slots()
    hold(region, "r", "nobody")
    assert region.ready("r") == ("Unknown", "InstanceNotFound")
    region.clock.advance(600)
    assert left(region) == ["r"]


def test_the_arrival_of_a_vm_is_noticed():
    region = Slots()
    old, now = region.vm(), region.clock.now()
    new = replace(old, id=region.cloud.state.new_id(), name="new", vm_state="building", host=None, launched=None,
                  wanted_host="hv-2", entered=now)  # fmt: skip
    hold(region, "r", new.id, target="hv-2")
    region.cloud.state.add_server(new)
    region.until(lambda: left(region) == [], within=60)


def test_a_live_migration_leaves_its_reservation_until_guests_of_the_host_change_again():
    region = Slots(vms=2)
    hold(region, "r", region.vm("vm-1").id, target="hv-2", intent="live_migration")
    region.lands("vm-1")  # both hosts list it for a while, and the first in the list is taken for where it is
    region.clock.advance(120)
    assert left(region) == ["r"]
    region.lands("vm-2")
    region.clock.advance(1)
    assert left(region) == []


@pytest.mark.parametrize(("memory", "gone"), [("4Gi", True), ("4096Mi", True), ("8Gi", False)])
def test_a_resize_waits_for_the_size(memory, gone):
    region = Slots()
    hold(region, "r", region.vm().id, intent="resize", memory=memory)
    assert (left(region) == []) is gone
    if not gone:
        assert region.ready("r") == ("Unknown", "VMSizeMismatch")


def test_without_its_part_it_says_so():
    region = Slots()
    hold(region, "r", "x", inFlightReservation=None)
    assert region.ready("r") == ("False", "MissingSpec")


def test_slots_are_left_alone_unless_a_row_says_otherwise():
    def run(faults):
        region = Slots(faults=faults)
        vm = region.vm().id
        region.slot(vms=(vm,), confirmed=(vm,))
        seen = []
        region.api.listen(RESERVATION, lambda _: seen.append(region.ready()[1]))
        region.lands()
        region.clock.advance(5)
        return "UnexpectedType" in seen

    every = Faults({CONCERNED.name: (Row("fault:every reservation of the host", lambda _: True, says(True)),)})
    assert (run(None), run(every)) == (False, True)
