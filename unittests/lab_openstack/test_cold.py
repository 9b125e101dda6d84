"""Cold migration: order of writes, confirmation, the way back (openstack sheet §5)."""

import pytest

from lab.openstack.refusals import RefusalError
from unittests.lab_openstack.bed import Bed, statuses


def moved(**keywords) -> Bed:
    bed = Bed(**keywords)
    bed.cold()
    bed.until("finished")
    return bed


def test_a_stopped_server_goes_through_all_states_and_waits_for_confirmation():
    bed = Bed(vm={"state": "stopped"})
    bed.cold()
    assert (bed.status(), bed.vm().task_state) == ("RESIZE", "resize_prep")
    bed.until("pre-migrating")
    bed.until("migrating")
    assert (bed.vm().task_state, bed.vm().host) == ("resize_migrating", "node-1")
    record = bed.until("post-migrating")
    assert (bed.vm().task_state, bed.vm().host) == ("resize_migrated", record.dest_compute)
    bed.until("finished")
    assert (bed.status(), bed.vm().task_state, bed.vm().power_state) == ("VERIFY_RESIZE", None, 4)
    bed.clock.advance(86_400)
    assert bed.status() == "VERIFY_RESIZE"  # resize_confirm_window 0
    bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    assert bed.record().status == "confirming"
    record = bed.until("confirmed")
    assert statuses(record) == [
        "pre-migrating", "migrating", "post-migrating", "finished", "confirming", "confirmed",
    ]  # fmt: skip
    assert (bed.status(), bed.vm().host) == ("SHUTOFF", record.dest_compute)
    assert bed.events("confirmResize") == [("compute_confirm_resize", "Success")]


def test_a_running_server_is_booted_anew_on_the_target():
    bed = Bed()
    boot = bed.cloud.guests.machine(bed.vm().id).boot_id
    bed.cold()
    bed.until("migrating")
    assert bed.cloud.guests.machine(bed.vm().id).running is False
    bed.until("finished")
    machine = bed.cloud.guests.machine(bed.vm().id)
    assert machine.running
    assert machine.boot_id != boot
    bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    bed.until("confirmed")
    assert (bed.status(), bed.vm().power_state) == ("ACTIVE", 1)
    assert bed.events("migrate") == [
        ("conductor_migrate_server", "Success"),
        ("cold_migrate", "Success"),
        ("compute_prep_resize", "Success"),
        ("compute_resize_instance", "Success"),
        ("compute_finish_resize", "Success"),
    ]


def test_cold_migrations_take_no_slot_of_live_ones():
    bed = Bed(2)
    bed.cold("vm-1")
    bed.until("migrating", "vm-1")
    bed.live("vm-2")
    bed.until("preparing", "vm-2")
    assert bed.record("vm-1").status == "migrating"


def test_allocations_are_doubled_until_the_confirmation():
    bed = moved()
    record = bed.record()
    wanted = {"VCPU": 2, "MEMORY_MB": 4096}
    assert bed.held(record.uuid) == {"node-1": wanted}
    assert bed.held(bed.vm().id) == {record.dest_compute: wanted}
    bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    bed.until("confirmed")
    assert bed.held(record.uuid) == {}


def test_the_way_back():
    bed = moved()
    bed.cloud.verbs.revert(bed.vm(), bed.caller())
    assert (bed.status(), bed.record().status) == ("REVERT_RESIZE", "reverting")
    record = bed.until("reverted")
    assert (bed.status(), bed.vm().host, bed.vm().node) == ("ACTIVE", "node-1", "node-1.lab.internal")
    assert bed.held(bed.vm().id) == {"node-1": {"VCPU": 2, "MEMORY_MB": 4096}}
    assert bed.held(record.uuid) == {}


def test_confirming_by_itself_after_the_window():
    bed = moved(resize_confirm_window=60)
    bed.clock.advance(70)
    assert bed.record().status == "confirmed"


def test_no_valid_host_gives_the_server_back():
    bed = Bed(vm={"state": "stopped"})
    for name in ("node-2", "node-3"):
        bed.cloud.services.disable(bed.cloud.state.hosts[name], None)
    bed.cold()
    bed.until("error")
    assert (bed.status(), bed.vm().task_state) == ("SHUTOFF", None)
    assert bed.events("migrate") == [("conductor_migrate_server", "Error"), ("cold_migrate", "Error")]


def test_what_cannot_be_confirmed():
    bed = Bed()
    with pytest.raises(RefusalError) as refusal:
        bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    message = f"Cannot 'confirmResize' instance {bed.vm().id} while it is in vm_state active"
    assert (refusal.value.status, refusal.value.message) == (409, message)
    bed.cold()
    bed.until("finished")
    bed.cloud.services.force_down(bed.cloud.state.hosts["node-1"], True)
    with pytest.raises(RefusalError) as refusal:
        bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    assert (refusal.value.status, refusal.value.message) == (409, "Service is unavailable at this time.")
    bed.cloud.services.force_down(bed.cloud.state.hosts["node-1"], False)
    bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    with pytest.raises(RefusalError) as refusal:
        bed.cloud.verbs.confirm(bed.vm(), bed.caller())
    assert (refusal.value.status, refusal.value.message) == (400, "Instance has not been resized.")


def test_a_cold_migration_wants_its_source_up_and_another_host():
    bed = Bed()
    with pytest.raises(RefusalError, match="can't be the same one"):
        bed.cold(host="node-1")
    bed.cloud.services.force_down(bed.cloud.state.hosts["node-1"], True)
    with pytest.raises(RefusalError, match="Service is unavailable at this time"):
        bed.cold()


@pytest.mark.parametrize(("status", "host"), [("migrating", "node-1"), ("post-migrating", "node-2")])
def test_a_server_that_is_reset_in_mid_flight_stays_where_it_is(status, host):
    bed = Bed()
    bed.cold()
    bed.until(status)
    bed.cloud.verbs.reset(bed.vm(), "active", bed.caller())
    assert (bed.record().status, bed.vm().host) == ("error", host)
    assert bed.held(bed.vm().id) == {host: {"VCPU": 2, "MEMORY_MB": 4096}}
    assert bed.held(bed.record().uuid) == {}
    assert bed.cloud.guests.machine(bed.vm().id).running


def test_a_server_deleted_before_confirmation_gives_everything_back():
    bed = moved()
    record = bed.record()
    bed.cloud.verbs.delete(bed.vm(), bed.caller())
    bed.clock.advance(10)
    assert bed.held(record.uuid) == bed.held(record.server_id) == {}
    assert bed.cloud.state.record(record.id).over
