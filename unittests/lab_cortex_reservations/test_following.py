"""A slot and its VM after a migration: who follows, who does not, when, and what stays behind (cortex sheet §6)."""

import pytest

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Faults, Row, hold
from lab.cortex.kinds import RESERVATION
from lab.cortex.reservations.following import CONFIRMATIONS, FOLLOWS, OCCUPANTS, Fate, Moves, review
from lab.cortex.scheduling.hosts import host_of
from lab.cortex.scheduling.reserved import reservation_of
from lab.cortex.scheduling.view import View
from unittests.lab_cortex_reservations.region import Slots

GI = 2**30


def settled(faults=None, **slot):
    """A VM of 4 GiB on hv-1, confirmed in its slot of 16 GiB there."""
    slots = Slots(faults=faults)
    vm = slots.vm().id
    slots.slot(vms=(vm,), confirmed=(vm,), **slot)
    slots.clock.advance(5)
    return slots, vm


def test_a_slot_follows_its_only_vm_and_nothing_is_left_behind():
    slots, vm = settled()
    slots.lands()
    slots.clock.advance(1)
    assert slots.place() == ("hv-2", "hv-2")
    assert slots.confirmed() == {vm: "hv-2"}
    assert slots.expected() == [vm]
    assert slots.ready() == ("True", "R")  # neither the condition nor its reason change


def test_the_window_is_measured_in_product_time():
    slots, vm = settled()
    seen = []

    def watch(change):
        obj = change.new.obj
        seen.append((slots.clock.now(), obj["spec"]["targetHost"], obj["status"]["host"]))

    slots.api.listen(RESERVATION, watch)
    landed = slots.lands()
    left = slots.until(lambda: vm not in dict(slots.listed("hv-1")))
    slots.clock.advance(5)
    assert [where for _, *where in seen] == [["hv-2", "hv-1"], ["hv-2", "hv-2"]]  # two patches, the spec first
    first, second = (at for at, *_ in seen)
    assert landed <= left <= first + 0.05
    assert first < second < first + 0.03
    assert second - left < 0.5


def test_during_the_copy_the_slot_stays_though_both_hosts_list_the_vm():
    slots, vm = settled()
    slots.live()
    slots.until(lambda: vm in dict(slots.listed("hv-2")))
    slots.clock.advance(0.2)
    assert vm in dict(slots.listed("hv-1"))
    assert slots.place() == ("hv-1", "hv-1")


def test_with_several_vms_only_the_one_that_moved_leaves_the_slot():
    slots = Slots(vms=2)
    first, second = slots.vm("vm-1").id, slots.vm("vm-2").id
    slots.slot(vms=(first, second), confirmed=(first, second))
    slots.clock.advance(5)
    slots.lands("vm-1")
    slots.clock.advance(2)
    assert slots.place() == ("hv-1", "hv-1")
    assert (slots.expected(), slots.confirmed()) == ([second], {second: "hv-1"})


def test_without_room_on_the_target_the_vm_leaves_and_the_slot_stays():
    slots, _ = settled()
    slots.slot("blocker", target="hv-2", size=500, cpu=1)
    slots.clock.advance(2)
    slots.lands()
    slots.clock.advance(2)
    assert slots.place() == ("hv-1", "hv-1")
    assert (slots.expected(), slots.confirmed()) == ([], {})


def test_a_vm_that_is_gone_is_removed_at_once():
    slots, _ = settled()
    slots.cloud.verbs.delete(slots.vm(), slots.caller)
    slots.until(lambda: slots.expected() == [], within=30)
    assert slots.place() == ("hv-1", "hv-1")
    assert slots.confirmed() == {}


def test_a_slot_that_lost_its_last_vm_has_no_map_of_them():
    """Go leaves out an empty map, so that its merge patch takes the whole map away."""
    slots = Slots()
    vm = slots.vm().id
    slots.slot("other", vms=(vm,), age=1)
    slots.slot(vms=(vm,))
    slots.until(lambda: slots.confirmed() == {vm: "hv-1"}, within=30)
    assert "allocations" not in slots.reservation("other")["spec"]["committedResourceReservation"]
    slots.cloud.verbs.delete(slots.vm(), slots.caller)
    slots.until(lambda: slots.expected() == [], within=30)
    slots.clock.advance(1)
    slot = slots.reservation()
    assert "allocations" not in slot["spec"]["committedResourceReservation"]
    assert slot["status"]["committedResourceReservation"] == {}


def test_a_vm_is_confirmed_only_after_the_grace_period_though_the_host_lists_it():
    slots = Slots()
    vm = slots.vm().id
    slots.slot(vms=(vm,), age=0.0)
    slots.slot("slot-1", target="hv-2", vms=(vm,), age=0.0)
    slots.clock.advance(880)
    assert slots.confirmed() == {}
    assert slots.expected("slot-1") == [vm]
    slots.clock.advance(90)  # it looks each minute
    assert slots.confirmed() == {vm: "hv-1"}
    assert slots.expected("slot-1") == []  # confirmed here, expected nowhere else


def test_a_vm_that_never_came_leaves_after_the_grace_period():
    slots = Slots()
    slots.slot(vms=("nobody",), age=0.0)
    slots.clock.advance(880)
    assert slots.expected() == ["nobody"]
    slots.clock.advance(90)
    assert slots.expected() == []


def test_a_vm_that_is_switched_off_still_holds_its_slot():
    slots = Slots(state="stopped")
    vm = slots.vm().id
    slots.slot(vms=(vm,), confirmed=(vm,))
    slots.clock.advance(30)
    assert slots.confirmed() == {vm: "hv-1"}


def test_a_cold_migration_is_followed_when_it_is_confirmed():
    slots = Slots(state="stopped")
    vm = slots.vm().id
    slots.slot(vms=(vm,), confirmed=(vm,))
    slots.cold()
    slots.until(lambda: vm in dict(slots.listed("hv-2")))
    slots.clock.advance(20)
    assert slots.place() == ("hv-1", "hv-1")
    slots.cloud.verbs.confirm(slots.vm(), slots.caller)
    slots.until(lambda: slots.place() == ("hv-2", "hv-2"), within=30)


def test_a_slot_without_expected_vms_keeps_stale_confirmations():
    slots = Slots()
    slots.slot(confirmed=("gone",))
    slots.clock.advance(400)
    assert slots.confirmed() == {"gone": "hv-1"}


def test_an_ordinary_vm_moves_and_no_slot_does():
    slots = Slots(vms=2)
    vm = slots.vm("vm-1").id
    slots.slot(vms=(vm,), confirmed=(vm,))
    slots.clock.advance(5)
    before = slots.reservation()["metadata"]["resourceVersion"]
    slots.lands("vm-2")
    slots.clock.advance(30)
    assert slots.reservation()["metadata"]["resourceVersion"] == before


def test_a_fault_that_never_follows_leaves_the_slot_where_it_was():
    slots, _ = settled(Faults({OCCUPANTS.name: (Row("fault", lambda vm: vm.left, says(Fate.REMOVE)),)}))
    slots.lands()
    slots.clock.advance(5)
    assert (slots.place(), slots.expected()) == (("hv-1", "hv-1"), [])


def test_a_fault_that_follows_late_has_a_delay():
    late = Row("fault", lambda vm: vm.left and vm.alone, says(Fate.FOLLOW), after=600.0)
    slots, vm = settled(Faults({OCCUPANTS.name: (late,)}))
    landed = slots.lands()
    slots.clock.advance(500)
    assert (slots.place(), slots.confirmed()) == (("hv-1", "hv-1"), {vm: "hv-1"})
    followed = slots.until(lambda: slots.place() == ("hv-2", "hv-2"))
    assert 600 <= followed - landed < 602


def test_a_fault_that_follows_without_room_is_seen_in_the_gauge():
    blind = Row("fault", lambda vm: vm.left and vm.alone, says(Fate.FOLLOW))
    slots, _ = settled(Faults({OCCUPANTS.name: (blind,)}))
    slots.be_ready("hv-2")
    slots.slot("blocker", target="hv-2", size=500, cpu=1)
    slots.lands()
    slots.clock.advance(90)
    assert slots.place() == ("hv-2", "hv-2")
    assert slots.process.metrics.oversubscribed.values == {("hv-2", "az-1", "memory"): 4.0 * GI}


def test_a_fault_that_follows_one_of_several_goes_back_and_forth():
    greedy = Row("fault", lambda vm: vm.left, says(Fate.FOLLOW))
    slots = Slots(vms=2, faults=Faults({OCCUPANTS.name: (greedy,)}))
    vms = (slots.vm("vm-1").id, slots.vm("vm-2").id)
    slots.slot(vms=vms, confirmed=vms)
    slots.clock.advance(5)
    slots.lands("vm-1")
    seen = set()
    slots.api.listen(RESERVATION, lambda _: seen.add(slots.place()[0]))
    slots.clock.advance(10)
    assert seen == {"hv-1", "hv-2"}
    assert slots.expected() == sorted(vms)


@pytest.mark.parametrize(
    ("moves", "place"), [(Moves(host=False), ("hv-2", "hv-1")), (Moves(target=False), ("hv-1", "hv-2"))]
)
def test_a_fault_may_move_one_host_only(moves, place):
    slots, _ = settled(Faults({FOLLOWS.name: (Row("fault", lambda _: True, says(moves)),)}))
    slots.lands()
    slots.clock.advance(2)
    assert slots.place() == place
    slots.clock.advance(900)
    assert slots.place() == place


def test_a_fault_may_keep_confirmations():
    keep = Row("fault", lambda _: True, answering(lambda both: {**both.before, **both.seen}))
    slots, vm = settled(Faults({CONFIRMATIONS.name: (keep,)}))
    slots.slot("blocker", target="hv-2", size=500, cpu=1)
    slots.lands()
    slots.clock.advance(5)
    assert (slots.expected(), slots.confirmed()) == ([], {vm: "hv-1"})


def host(name, memory, used=0, instances=(), cpu=64):
    return host_of(
        {
            "metadata": {"name": name},
            "status": {
                "effectiveCapacity": {"memory": f"{memory}Gi", "cpu": str(cpu)},
                "allocation": {"memory": f"{used}Gi", "cpu": "0"},
                "instances": [{"id": vm, "name": vm, "active": True} for vm in instances],
            },
        }
    )


def slot(name, where, size, vm=0, confirmed=True, cpu="0"):
    expected = {"m": {"creationTimestamp": "2026-01-01T00:00:00Z", "resources": {"memory": f"{vm}Gi"}}} if vm else {}
    return reservation_of(
        {
            "metadata": {"name": name},
            "spec": {
                "type": "CommittedResourceReservation",
                "targetHost": where,
                "resources": {"memory": f"{size}Gi", "cpu": cpu},
                "committedResourceReservation": {"allocations": expected},
            },
            "status": {
                "host": where,
                "committedResourceReservation": {"allocations": {"m": where} if vm and confirmed else {}},
            },
        }
    )


@pytest.mark.parametrize(
    ("target", "blockers", "cpu", "follows"),
    [
        ((960, 240), (), "0", True),  # upstream's example: 240 of 480 GiB are the VM's, and in the allocation already
        ((480, 240), (480,), "0", False),
        ((480, 240), (), "0", True),  # equality is enough
        ((479, 240), (), "0", False),
        ((960, 240), (480,), "0", True),
        ((960, 241), (480,), "0", False),
        ((960, 240), (), "64", True),
        ((960, 240), (), "65", False),  # every resource of the slot counts
    ],
)
def test_room_is_what_is_free_beside_other_reservations_and_the_rest_of_the_slot(target, blockers, cpu, follows):
    moved = slot("s", "src", 480, 240, cpu=cpu)
    others = [slot(f"b{number}", "dst", size) for number, size in enumerate(blockers)]
    view = View([host("src", 960), host("dst", *target, ("m",))], [moved, *others])
    decided = review(moved, view, {"m": 5000.0}, {}, 900.0, Faults())
    assert (decided.target, decided.removed) == (("dst", ()) if follows else ("", ("m",)))


def test_a_row_that_holds_leaves_a_vm_as_it_is():
    moved = slot("s", "src", 16, 8)
    view = View([host("src", 64), host("dst", 64, 8, ("m",))], [moved])
    held = Faults({OCCUPANTS.name: (Row("fault", lambda vm: vm.left, hold),)})
    decided = review(moved, view, {"m": 5000.0}, {}, 900.0, held)
    assert (decided.confirmed, decided.removed, decided.target) == ({"m": "src"}, (), "")
