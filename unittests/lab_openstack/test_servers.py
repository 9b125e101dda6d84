"""Servers: status, power, building, deleting, locks, and what no state allows (openstack sheet §2, §3, §4)."""

import dataclasses

import pytest

from lab.openstack.compute.servers import Server
from lab.openstack.compute.statuses import states_of, status_of
from lab.openstack.founding import ShapeError
from lab.openstack.refusals import RefusalError
from lab.openstack.shape import AggregateShape, ServerShape
from unittests.lab_openstack.bed import Bed


@pytest.mark.parametrize(
    ("vm_state", "task", "status"),
    [
        ("active", None, "ACTIVE"),
        ("active", "deleting", "ACTIVE"),
        ("active", "powering-off", "ACTIVE"),
        ("active", "migrating", "MIGRATING"),
        ("active", "resize_prep", "RESIZE"),
        ("active", "rebooting", "REBOOT"),
        ("active", "rebooting_hard", "HARD_REBOOT"),
        ("paused", None, "PAUSED"),
        ("paused", "migrating", "MIGRATING"),
        ("stopped", None, "SHUTOFF"),
        ("stopped", "resize_finish", "RESIZE"),
        ("resized", None, "VERIFY_RESIZE"),
        ("resized", "resize_reverting", "REVERT_RESIZE"),
        ("error", "migrating", "ERROR"),
        ("building", "spawning", "BUILD"),
        ("suspended", None, "SUSPENDED"),
        ("rescued", None, "RESCUE"),
        ("shelved_offloaded", None, "SHELVED_OFFLOADED"),
        ("soft-delete", None, "SOFT_DELETED"),
    ],
)
def test_status(vm_state, task, status):
    assert status_of(vm_state, task) == status


def test_what_a_list_by_status_looks_for():
    assert states_of("migrating") == ({"active", "paused"}, {"migrating"})
    assert states_of("ACTIVE") == ({"active"}, frozenset())  # also finds those that migrate
    assert states_of("RESIZE")[0] == {"active", "stopped"}
    assert states_of("NO_SUCH") is None


@pytest.mark.parametrize(
    ("actions", "status", "power"),
    [
        (("os-stop",), "SHUTOFF", 4),
        (("os-stop", "os-start"), "ACTIVE", 1),
        (("pause",), "PAUSED", 3),
        (("pause", "unpause"), "ACTIVE", 1),
        (("suspend",), "SUSPENDED", 4),
        (("suspend", "resume"), "ACTIVE", 1),
    ],
)
def test_power(actions, status, power):
    bed = Bed()
    for action in actions:
        bed.cloud.verbs.simple(bed.vm(), action, bed.caller())
        bed.clock.advance(6)
    machine = bed.cloud.guests.machine(bed.vm().id)
    assert (bed.status(), bed.vm().power_state) == (status, power)
    assert (machine.running, machine.paused) == (status != "SHUTOFF", status in ("PAUSED", "SUSPENDED"))


def test_a_reboot_is_a_new_boot():
    bed = Bed()
    before = bed.cloud.guests.machine(bed.vm().id).boot_id
    bed.cloud.verbs.reboot(bed.vm(), bed.caller(), hard=False)
    assert bed.status() == "REBOOT"
    bed.clock.advance(6)
    assert bed.status() == "ACTIVE"
    assert bed.cloud.guests.machine(bed.vm().id).boot_id != before


@pytest.mark.parametrize(
    ("state", "action", "message"),
    [
        ("stopped", "os-migrateLive", "Cannot 'os-migrateLive' instance {} while it is in vm_state stopped"),
        ("error", "os-migrateLive", "Cannot 'os-migrateLive' instance {} while it is in vm_state error"),
        ("paused", "migrate", "Cannot 'migrate' instance {} while it is in vm_state paused"),
        ("suspended", "migrate", "Cannot 'migrate' instance {} while it is in vm_state suspended"),
        ("active", "unpause", "Cannot 'unpause' instance {} while it is in vm_state active"),
    ],
)
def test_states_that_do_not_allow_it(state, action, message):
    bed = Bed(vm={"state": state})
    with pytest.raises(RefusalError) as refusal:
        {"os-migrateLive": bed.live, "migrate": bed.cold}.get(
            action, lambda: bed.cloud.verbs.simple(bed.vm(), action, bed.caller())
        )()
    assert (refusal.value.status, refusal.value.message) == (409, message.format(bed.vm().id))


def test_a_deleting_server_is_refused_and_then_gone():
    bed = Bed()
    bed.cloud.verbs.delete(bed.vm(), bed.caller())
    with pytest.raises(RefusalError, match="while it is in task_state deleting"):
        bed.live()
    server_id = bed.vm().id
    bed.clock.advance(5)
    assert bed.cloud.state.server(server_id) is None
    gone = bed.cloud.state.any_server(server_id)
    assert (gone.vm_state, gone.deleted, gone.terminated) == ("deleted", True, gone.updated)


def test_a_locked_server_refuses_all_but_admins():
    bed = Bed()
    bed.cloud.verbs.lock(bed.vm(), "hands off", bed.caller())
    with pytest.raises(RefusalError, match=f"Instance {bed.vm().id} is locked"):
        bed.cloud.verbs.simple(bed.vm(), "pause", bed.caller("member"))
    bed.cloud.verbs.simple(bed.vm(), "pause", bed.caller("admin"))


def test_a_reset_server_can_be_migrated_again():
    bed = Bed(vm={"state": "error"})
    assert (bed.status(), bed.vm().fault.message) == ("ERROR", "Build of instance failed")
    with pytest.raises(RefusalError):
        bed.live()
    bed.cloud.verbs.reset(bed.vm(), "active", bed.caller())
    bed.live()
    bed.until("completed")


def test_a_server_that_was_never_launched_is_in_an_invalid_state():
    bed = Bed()
    bed.cloud.state.change_server(bed.vm().id, {"launched": None})
    with pytest.raises(RefusalError) as refusal:
        bed.live()
    assert refusal.value.message == f"Instance {bed.vm().id} is in an invalid state for 'os-migrateLive'"


def test_past_states_are_remembered():
    bed = Bed()
    before = bed.clock.now()
    bed.clock.advance(10)
    bed.live()
    assert bed.cloud.state.server_at(bed.vm().id, before).task_state is None
    assert bed.cloud.state.server_at(bed.vm().id, bed.clock.now()).task_state == "migrating"


def test_values_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Bed().vm().name = "other"
    assert Server.__slots__


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"servers": (ServerShape(name="a", host="nowhere"),)}, "server a: no host nowhere"),
        ({"servers": (ServerShape(name="a", host="node-1", flavor="huge"),)}, "server a: no flavor huge"),
        ({"servers": (ServerShape(name="a", host="node-1", group="g"),)}, "server a: no server group g"),
        ({"aggregates": (AggregateShape(name="z", hosts=("x",)),)}, "aggregate z: no host x"),
    ],
)
def test_a_shape_that_does_not_fit_together(shape, message):
    with pytest.raises(ShapeError, match=message):
        Bed(shape=shape)
