"""Live migration: order of writes, failures, slots, aborting, forcing (openstack sheet §5)."""

import pytest

from lab.controllers.decisions import Faults, Row
from lab.openstack.compute.live import LIVE, broken
from lab.openstack.compute.records import Order, Stage
from lab.openstack.compute.steps import step
from lab.openstack.refusals import RefusalError
from unittests.lab_openstack.bed import Bed, statuses


def test_a_move_goes_through_all_statuses_and_ends_on_the_target_in_one_step():
    bed = Bed()
    bed.live()
    assert bed.status() == "MIGRATING"  # before the reply is sent
    assert bed.records() == []  # the conductor makes the record
    accepted = bed.until("accepted")
    assert (accepted.source_compute, accepted.dest_compute) == ("node-1", None)
    bed.until("preparing")
    assert bed.record().dest_compute in ("node-2", "node-3")
    bed.until("completed")
    server, record = bed.vm(), bed.record()
    assert statuses(record) == ["accepted", "queued", "preparing", "running", "completed"]
    assert (server.host, server.node) == (record.dest_compute, record.dest_node)
    assert (bed.status(), server.task_state, server.progress) == ("ACTIVE", None, 0)
    assert record.updated == record.history[-1][0] == server.entered


def test_with_a_lag_the_server_arrives_before_its_record_ends():
    bed = Bed(record_lag=3.0)
    bed.live()
    running = bed.until("running")
    while bed.vm().host == "node-1":
        bed.clock.advance(0.1)
    assert bed.record().status == "running"
    assert bed.vm().task_state is None
    bed.until("completed")
    assert bed.record().updated - bed.vm().entered == pytest.approx(3.0)
    assert running.id == bed.record().id


def test_allocations_follow_the_move_and_its_failure():
    bed = Bed()
    wanted = {"VCPU": 2, "MEMORY_MB": 4096}
    assert bed.held(bed.vm().id) == {"node-1": wanted}
    bed.live()
    record = bed.until("running")
    assert bed.held(record.uuid) == {"node-1": wanted}
    assert bed.held(bed.vm().id) == {record.dest_compute: wanted}
    bed.until("completed")
    assert bed.held(record.uuid) == {}
    bed.live()
    record = bed.until("running")
    bed.cloud.verbs.abort(bed.vm(), str(record.id), bed.caller(), early=True)
    bed.until("cancelled")
    assert bed.held(record.uuid) == {}
    assert bed.held(bed.vm().id) == {record.source_compute: wanted}


def test_the_guest_is_the_same_and_stood_still_only_for_the_switch():
    bed = Bed()
    machine = bed.cloud.guests.machine(bed.vm().id)
    boot = machine.boot_id
    pauses = []
    machine.subscribe(lambda event: pauses.append((event.value, bed.clock.now())))
    bed.live()
    bed.until("completed")
    assert machine.boot_id == boot
    assert [event for event, _ in pauses] == ["paused", "resumed"]
    assert pauses[1][1] - pauses[0][1] < 0.6


def test_statistics_are_saved_every_five_seconds_and_touch_record_and_server():
    bed = Bed(shape={"migration_bandwidth": 200 * 2**20})  # 4 GiB in some 20 s
    bed.live()
    started = bed.until("running")
    assert started.memory.remaining == started.memory.total == 4096 * 2**20
    bed.clock.advance(5.2)
    record = bed.record()
    assert 0 < record.memory.remaining < record.memory.total
    assert 4.9 <= record.updated - started.updated <= 5.2
    assert 0 < bed.vm().progress < 100
    assert bed.vm().updated == record.updated
    bed.until("completed")
    assert bed.record().memory.remaining == 0


@pytest.mark.parametrize(("slots", "active"), [(1, 1), (3, 3), (0, 5)])
def test_a_source_runs_so_many_at_once_and_queues_the_rest_in_order_of_arrival(slots, active):
    bed = Bed(5, max_concurrent_live_migrations=slots)
    for number in range(1, 6):
        bed.live(f"vm-{number}")
    most, seen = 0, set()
    for _ in range(1200):
        bed.clock.advance(0.1)
        holding = [r for r in bed.records() if r.status in ("preparing", "running")]
        most = max(most, len(holding))
        seen |= {r.status for r in bed.records()}
    assert most == active
    assert all(record.status == "completed" for record in bed.records())
    queued = [{s: at for at, s in r.history}["queued"] for r in bed.records()]
    prepared = [{s: at for at, s in r.history}["preparing"] for r in bed.records()]
    order = sorted(range(5), key=lambda i: queued[i])
    assert order == sorted(range(5), key=lambda i: prepared[i])


def test_no_valid_host_leaves_an_error_record_and_an_event_and_the_server_where_it_was():
    bed = Bed()
    for name in ("node-2", "node-3"):
        bed.cloud.services.disable(bed.cloud.state.hosts[name], "full")
    bed.live()
    record = bed.until("error")
    assert (record.dest_compute, record.dest_node, record.dest_host) == (None, None, None)
    assert (bed.status(), bed.vm().host) == ("ACTIVE", "node-1")
    assert bed.events("live-migration") == [("conductor_live_migrate_instance", "Error")]
    action = bed.cloud.state.actions_of(bed.vm().id)[0]
    assert action.message == "Error"
    assert action.events[0].details == "No valid host was found. There are not enough hosts available."


def test_below_2_34_no_valid_host_is_told_at_once():
    bed = Bed(vm={"disk": "local"})
    with pytest.raises(RefusalError, match="No valid host was found") as refusal:
        bed.live(block=False, wait=True)
    assert refusal.value.status == 400
    assert (bed.status(), bed.record().status) == ("ACTIVE", "error")
    with pytest.raises(RefusalError, match="node-2 is not on shared storage"):
        bed.live(block=False, wait=True, host="node-2")


def test_an_unknown_host_is_refused_and_the_own_host_fails():
    bed = Bed()
    with pytest.raises(RefusalError, match="Compute host nowhere could not be found"):
        bed.live(host="nowhere")
    bed.live(host="node-1")
    bed.until("error")
    assert "to current host (node-1)" in bed.cloud.state.actions_of(bed.vm().id)[0].events[0].details


def test_a_host_that_is_asked_for_is_taken_and_force_passes_the_scheduler():
    bed = Bed()
    bed.live(host="node-3")
    assert bed.until("completed").dest_compute == "node-3"
    bed.cloud.services.disable(bed.cloud.state.hosts["node-2"], None)
    bed.live(host="node-2")
    bed.until("error")
    bed.live(host="node-2", unchecked=True)
    bed.until("completed")
    assert bed.vm().host == "node-2"


def test_a_second_request_is_refused():
    bed = Bed()
    bed.live()
    server = bed.vm()
    with pytest.raises(RefusalError) as refusal:
        bed.live()
    assert refusal.value.status == 409
    message = f"Cannot 'os-migrateLive' instance {server.id} while it is in task_state migrating"
    assert refusal.value.message == message


def test_aborting_in_the_queue_and_in_mid_copy():
    bed = Bed(2, shape={"migration_bandwidth": 100 * 2**20})
    bed.live("vm-1")
    bed.until("running", "vm-1")
    bed.live("vm-2")
    waiting = bed.until("queued", "vm-2")
    with pytest.raises(RefusalError) as refusal:
        bed.cloud.verbs.abort(bed.vm("vm-2"), str(waiting.id), bed.caller(), early=False)
    assert refusal.value.message == (
        f"Migration {waiting.id} state of instance {waiting.server_id} is queued. "
        "Cannot abort live migration while the migration is in this state."
    )
    for name in ("vm-2", "vm-1"):
        bed.cloud.verbs.abort(bed.vm(name), str(bed.record(name).id), bed.caller(), early=True)
        record = bed.until("cancelled", name)
        assert (bed.status(name), bed.vm(name).host) == ("ACTIVE", "node-1")
        assert bed.events("live_migration_cancel", name) == [("compute_live_migration_abort", "Success")]
    assert statuses(record) == ["accepted", "queued", "preparing", "running", "cancelled"]
    with pytest.raises(RefusalError) as refusal:
        bed.cloud.verbs.abort(bed.vm("vm-1"), str(record.id), bed.caller(), early=True)
    assert refusal.value.message == f"Instance {record.server_id} is in an invalid state for 'abort live migration'"


def test_a_busy_guest_never_converges_until_it_is_forced():
    bed = Bed(shape={"migration_bandwidth": 100 * 2**20, "dirty_rate": 200 * 2**20}, vm={"flavor": "m1.xlarge"})
    bed.cloud.guests.machine(bed.vm().id).kernel.load.idle_working_set = 8 << 30
    bed.live()
    bed.until("running")
    bed.clock.advance(600)
    assert bed.record().status == "running"
    bed.cloud.verbs.force_complete(bed.vm(), str(bed.record().id), bed.caller())
    bed.until("completed", within=300)
    assert bed.cloud.guests.machine(bed.vm().id).paused is False
    assert bed.events("live_migration_force_complete") == [("compute_live_migration_force_complete", "Success")]


def test_post_copy_moves_the_busy_guest_when_it_is_permitted():
    bed = Bed(shape={"migration_bandwidth": 100 * 2**20, "dirty_rate": 200 * 2**20},
              live_migration_permit_post_copy=True)  # fmt: skip
    bed.cloud.guests.machine(bed.vm().id).kernel.load.idle_working_set = 2 << 30
    bed.live()
    bed.until("running")
    bed.cloud.verbs.force_complete(bed.vm(), str(bed.record().id), bed.caller())
    record = bed.until("completed", within=300)
    assert statuses(record)[-2:] == ["running (post-copy)", "completed"]


@pytest.mark.parametrize(("action", "end"), [("abort", "cancelled"), ("force_complete", "completed")])
def test_a_copy_that_takes_too_long_is_ended(action, end):
    bed = Bed(shape={"migration_bandwidth": 100 * 2**20, "dirty_rate": 200 * 2**20},
              live_migration_completion_timeout=30, live_migration_timeout_action=action)  # fmt: skip
    bed.cloud.guests.machine(bed.vm().id).kernel.load.idle_working_set = 2 << 30
    bed.live()
    started = bed.until("running")
    record = bed.until(end, within=400)
    assert record.updated - started.updated >= 30 * 4  # per GiB of its four


def test_a_copy_that_takes_too_long_ends_by_post_copy_where_that_is_permitted():
    bed = Bed(shape={"migration_bandwidth": 100 * 2**20, "dirty_rate": 200 * 2**20},
              live_migration_completion_timeout=30, live_migration_timeout_action="force_complete",
              live_migration_permit_post_copy=True)  # fmt: skip
    bed.cloud.guests.machine(bed.vm().id).kernel.load.idle_working_set = 2 << 30
    bed.live()
    assert "running (post-copy)" in statuses(bed.until("completed", within=400))
    assert not bed.cloud.guests.machine(bed.vm().id).paused


def test_a_target_that_stops_answering_fails_the_preparation_and_rolls_back():
    bed = Bed()
    bed.live(host="node-2")
    bed.until("preparing")
    bed.cloud.services.set_up(bed.cloud.state.hosts["node-2"], False)
    record = bed.until("failed")
    assert statuses(record) == ["accepted", "queued", "preparing", "error", "failed"]
    assert (bed.status(), bed.vm().host) == ("ACTIVE", "node-1")


def test_a_source_that_does_not_answer_fails_before_a_target_is_chosen():
    bed = Bed()
    bed.cloud.services.force_down(bed.cloud.state.hosts["node-1"], True)
    bed.live()
    bed.until("error")
    details = bed.cloud.state.actions_of(bed.vm().id)[0].events[0].details
    assert details == "Compute service of node-1 is unavailable at this time."


def test_a_server_deleted_in_mid_flight_takes_its_record_along():
    bed = Bed(shape={"migration_bandwidth": 50 * 2**20})
    bed.live()
    record = bed.until("running")
    server_id = record.server_id
    bed.cloud.verbs.delete(bed.vm(), bed.caller())
    assert (bed.status(), bed.vm().task_state) == ("ACTIVE", "deleting")
    bed.clock.advance(10)
    assert bed.cloud.state.server(server_id) is None
    record = bed.cloud.state.record(record.id)
    assert record.hidden
    assert record.stage is Stage.OVER
    assert bed.held(server_id) == bed.held(record.uuid) == {}
    assert bed.cloud.guests.machine(server_id) is None
    assert [action.name for action in bed.cloud.state.actions_of(server_id)] == ["live-migration", "delete"]


def test_a_paused_server_ends_paused():
    bed = Bed(vm={"state": "paused"})
    bed.live()
    assert bed.status() == "MIGRATING"
    bed.until("completed")
    assert (bed.status(), bed.vm().power_state) == ("PAUSED", 3)
    assert bed.cloud.guests.machine(bed.vm().id).paused


def test_the_events_of_a_success():
    bed = Bed()
    bed.live()
    bed.until("completed")
    assert bed.events("live-migration") == [
        ("conductor_live_migrate_instance", "Success"),
        ("compute_check_can_live_migrate_destination", "Success"),
        ("compute_check_can_live_migrate_source", "Success"),
        ("compute_live_migration", "Success"),
        ("compute_pre_live_migration", "Success"),
        ("compute_post_live_migration_at_destination", "Success"),
    ]


@pytest.mark.parametrize("status", ["accepted", "preparing", "running"])
def test_a_server_that_is_reset_in_mid_flight_stays_and_can_be_moved_again(status):
    bed = Bed()
    bed.live()
    bed.until(status)
    bed.cloud.verbs.reset(bed.vm(), "active", bed.caller())
    assert (bed.record().status, bed.vm().host) == ("error", "node-1")
    assert bed.held(bed.vm().id) == {"node-1": {"VCPU": 2, "MEMORY_MB": 4096}}
    bed.live()
    bed.until("completed")
    assert len(bed.records()) == 2


def test_a_server_that_is_reset_before_its_record_is_made_gets_one_record_only():
    bed = Bed()
    bed.live()
    bed.cloud.verbs.reset(bed.vm(), "active", bed.caller())
    bed.live()
    bed.until("completed")
    assert len(bed.records()) == 1


def test_a_source_that_stops_cancels_its_queue_and_breaks_what_runs_once_it_is_back():
    bed = Bed(2, shape={"migration_bandwidth": 100 * 2**20})
    bed.live("vm-1")
    bed.until("running", "vm-1")
    bed.live("vm-2")
    bed.until("queued", "vm-2")
    bed.cloud.services.set_up(bed.cloud.state.hosts["node-1"], False)
    assert [record.status for record in bed.records()] == ["running", "cancelled"]
    bed.clock.advance(100)
    assert [bed.status("vm-1"), bed.status("vm-2")] == ["MIGRATING", "MIGRATING"]  # until it is back
    assert bed.record("vm-1").status == "running"
    bed.cloud.services.set_up(bed.cloud.state.hosts["node-1"], True)
    assert [record.status for record in bed.records()] == ["error", "cancelled"]
    assert [bed.status("vm-1"), bed.status("vm-2")] == ["ACTIVE", "ACTIVE"]
    assert bed.held(bed.vm("vm-1").id) == {"node-1": {"VCPU": 2, "MEMORY_MB": 4096}}
    bed.live("vm-1")
    bed.until("completed", "vm-1")


def test_a_row_in_front_breaks_the_driver_in_mid_flight():
    crash = Row(
        "fault: the driver raises",
        lambda move: move.record.stage is Stage.COPYING,
        step(broken("Live migration failed.")),
        1.0,
    )
    bed = Bed(faults=Faults({LIVE.name: (crash,)}))
    bed.live()
    bed.until("error")
    assert (bed.status(), bed.vm().host, bed.vm().task_state) == ("ERROR", "node-1", None)
    assert bed.vm().fault.message == "Live migration failed."
    assert bed.held(bed.vm().id) == {"node-1": {"VCPU": 2, "MEMORY_MB": 4096}}


def test_the_same_seed_gives_the_same_history():
    def run(seed):
        bed = Bed(4, seed=seed, max_concurrent_live_migrations=2)
        for number in range(1, 5):
            caller = bed.caller()
            bed.cloud.verbs.live_migrate(bed.vm(f"vm-{number}"), Order(caller.request_id), caller, wait=False)
        bed.clock.advance(120)
        return [(record.uuid, record.dest_compute, record.history) for record in bed.records()]

    assert run(7) == run(7)
    assert run(7) != run(8)
