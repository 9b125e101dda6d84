"""What the product is known to break, and that the program with the fix does not (operator sheet §2.8, §7, §8)."""

import pytest

from lab.controllers.decisions import Faults
from lab.hypervisor_operator.fixes import ALL, FIXES
from lab.hypervisor_operator.kinds import HYPERVISOR
from unittests.lab_hypervisor_operator.drain import Drain, condition
from unittests.lab_hypervisor_operator.nova import SOURCE, failing

PRODUCT, FIXED = Faults(), ALL
FOUR = [f"vm-{number}" for number in range(4)]
both = pytest.mark.parametrize(("fixes", "holds"), [(PRODUCT, False), (FIXED, True)], ids=["product", "fixed"])


def under_way(drain, count):
    """Ask for maintenance and wait until so many migrations run."""
    drain.maintain()
    drain.until(lambda: len([post for post in drain.cloud.posts if post.code == 202]) >= count)
    drain.clock.advance(2)


@both
def test_1_a_server_that_cannot_be_read_is_in_flight(fixes, holds):
    drain = Drain(limit=1, takes=45, fixes=fixes)
    drain.cloud.add(*FOUR)
    under_way(drain, 1)
    drain.cloud.intercept = failing("GET", "/servers/vm-0")
    drain.clock.advance(30)
    assert (drain.cloud.peak() == 1) is holds


@both
def test_1_a_request_whose_reply_is_lost_is_in_flight(fixes, holds):
    drain = Drain(limit=1, takes=45, fixes=fixes)
    drain.cloud.add(*FOUR)

    def accepted_and_lost(request):
        if request.method == "POST" and request.url.endswith("/action"):
            drain.cloud.intercept = None
            drain.cloud.handle(request)
            return failing("POST", "/action", 504)(request)
        return None

    drain.cloud.intercept = accepted_and_lost
    under_way(drain, 1)
    drain.clock.advance(20)
    assert (drain.cloud.peak() == 1) is holds
    assert drain.told()[0][1].startswith("failed to evict VM vm-")


@both
def test_7_stale_traits(fixes, holds):
    drain = Drain(limit=4, by_trait="CUSTOM_EXCLUSIVE=1", fixes=fixes)
    body = {
        "status": {"conditions": [condition("Onboarding", False), condition("TraitsUpdated", False, "Failed", "x")]}
    }
    drain.api.patch(HYPERVISOR, "", SOURCE, body, subresource="status")
    drain.cloud.add(*FOUR)
    drain.drained()
    assert (drain.cloud.peak() == 1) is holds


@both
def test_14_success_with_late_arrivals(fixes, holds):
    drain = Drain(limit=4, fixes=fixes)
    drain.cloud.add(*FOUR)
    drain.cloud.migrations = [{"dest_compute": SOURCE, "status": "running", "instance_uuid": "late"}]
    under_way(drain, 4)

    def arrive():
        drain.cloud.land("late")
        drain.cloud.migrations[0]["status"] = "completed"

    drain.clock.call_later(40, arrive)
    drain.until(lambda: drain.said("Evicting")[0] == "False")
    drain.clock.advance(60)
    assert (drain.cloud.left() == []) is holds


@both
def test_14_success_without_a_known_host(fixes, holds):
    drain = Drain(fixes=fixes)
    drain.cloud.add("vm-0")
    drain.cloud.admin = False
    drain.maintain()
    drain.clock.advance(60)
    assert (drain.said("Evicting")[0] == "True") is holds
    assert drain.cloud.posts == []


@both
def test_16_a_server_that_is_being_deleted_blocks_nobody(fixes, holds):
    drain = Drain(limit=1, fixes=fixes)
    drain.cloud.add("dying", task="deleting")
    drain.cloud.add("vm-0")
    drain.maintain()
    drain.clock.advance(120)
    assert drain.cloud.verbs("dying") == []
    assert ("Failed", "Live migration of terminating instance dying skipped") in drain.told()
    assert (drain.cloud.verbs("vm-0") == ["os-migrateLive"]) is holds
    drain.cloud.remove("dying")
    drain.until(lambda: drain.said("Evicting")[0] == "False")


@both
def test_23_two_bad_servers_cause_no_loop(fixes, holds):
    drain = Drain(limit=1, fixes=fixes, takes=300)
    drain.cloud.add("bad-0", "bad-1", status="ERROR", fault="x")
    drain.cloud.add("vm-0")
    under_way(drain, 1)
    before, changes = len(drain.cloud.requests), len(drain.history)
    drain.clock.advance(60)
    assert (len(drain.cloud.requests) - before <= 3 * 7) is holds
    assert (len(drain.history) == changes) is holds


@both
def test_25_a_failed_eviction_is_not_reported_as_evicted(fixes, holds):
    drain = Drain(fixes=fixes)
    drain.cloud.add("vm-0")
    drain.cloud.known = False
    drain.drained()
    drain.clock.advance(2)
    assert drain.said("Evicting")[1] == "Failed"
    assert (drain.host()["status"]["evicted"] is False) is holds
    assert (drain.said("Evicting", drain.host())[1] == "Failed") is holds
    assert (drain.said("Ready", drain.host())[1] != "Evicted") is holds


@both
def test_a_server_that_comes_back_is_told_and_starves_nobody(fixes, holds):
    drain = Drain(limit=1, takes=5, fixes=fixes)
    drain.cloud.add("stubborn", moves="back")
    drain.cloud.add("vm-0")
    drain.maintain()
    drain.clock.advance(120)
    assert drain.cloud.verbs("stubborn")
    assert (drain.cloud.verbs("vm-0") == ["os-migrateLive"]) is holds
    assert any(reason == "Failed" and "stubborn" in message for reason, message in drain.told()) is holds


@both
def test_a_paused_server_moves(fixes, holds):
    drain = Drain(fixes=fixes)
    drain.cloud.add("paused", status="PAUSED", power=3)
    drain.maintain()
    drain.clock.advance(60)
    assert (drain.cloud.verbs("paused") == ["os-migrateLive"]) is holds


@both
def test_a_server_in_error_on_another_host_leaves(fixes, holds):
    drain = Drain(fixes=fixes)
    drain.cloud.add("vm-0")
    under_way(drain, 1)
    drain.cloud.servers["vm-0"].moves = "away"
    drain.cloud.end("vm-0")
    drain.cloud.servers["vm-0"].status = "ERROR"
    drain.clock.advance(30)
    assert (drain.outstanding() == []) is holds


@both
def test_a_confirmation_that_is_refused_is_told(fixes, holds):
    drain = Drain(fixes=fixes)
    drain.cloud.add("vm-0", status="SHUTOFF", power=4)
    under_way(drain, 1)
    drain.cloud.intercept = failing("POST", "/action", 409)
    drain.until(lambda: drain.said("Evicting")[0] == "False")
    assert any("failed to confirm resize of instance vm-0 due to" in message for _, message in drain.told()) is holds


@both
def test_a_name_with_dots_is_the_same_host(fixes, holds):
    drain = Drain(fixes=fixes)
    drain.hypervisor("hv-1.example.test")
    drain.cloud.add("vm-0")
    body = {"spec": {"maintenance": "manual", "maintenanceReason": "r"}}
    drain.api.patch(HYPERVISOR, "", "hv-1.example.test", body)
    drain.clock.advance(30)
    assert (drain.cloud.verbs("vm-0") == ["os-migrateLive"]) is holds


def test_what_holds_for_the_product_holds_with_the_fix():
    drain = Drain(limit=2, fixes=FIXED)
    drain.cloud.add("vm-0", "vm-1", "vm-2")
    drain.cloud.add("stopped", status="SHUTOFF", power=4)
    drain.drained()
    assert drain.cloud.peak() == 2
    assert drain.cloud.left() == []
    assert all(len(drain.cloud.verbs(uuid)) == 1 for uuid in drain.cloud.servers)
    assert drain.said("MigratingInstance")[1] == "Succeeded"


def test_every_fix_says_what_it_mends():
    assert len({fix.name for fix in FIXES}) == len(FIXES)
    assert all(fix.mends.endswith(".") and fix.rows for fix in FIXES)
    assert {number for fix in FIXES for number in fix.guarantees} == {1, 2, 7, 8, 10, 14, 16, 18, 23, 25}
