"""Evictions in the form of pull request 353, as the product is: guarantees of operator sheet §7, warts of §2.8."""

from itertools import pairwise

import pytest

from lab.hypervisor_operator.kinds import EVICTION
from unittests.lab_hypervisor_operator.drain import Drain
from unittests.lab_hypervisor_operator.nova import SOURCE, failing

PASSED = ("Succeeded", "Preflight checks passed, hypervisor is disabled and ready for eviction")
SIX = [f"vm-{number}" for number in range(6)]


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_the_limit_is_reached_and_never_passed(limit):
    drain = Drain(limit=limit)
    drain.cloud.add(*SIX)
    drain.drained()
    assert drain.cloud.peak() == limit
    assert all(drain.cloud.verbs(uuid) == ["os-migrateLive"] for uuid in SIX)
    assert drain.said("Evicting") == ("False", "Succeeded", "eviction completed successfully")
    assert drain.cloud.left() == []


def test_the_story_of_a_drain():
    drain = Drain(limit=2)
    drain.cloud.add("vm-0", "vm-1")
    drain.drained()
    assert drain.told("Evicting")[0] == ("Running", "Running")
    assert drain.told("PreflightChecksSucceeded")[-1] == PASSED
    assert drain.told() == [("Succeeded", "Migration of instance vm-1 finished")]
    assert drain.eviction()["status"]["outstandingInstances"] == []
    assert drain.eviction()["status"]["outstandingRamMb"] == 0
    assert drain.eviction()["spec"]["reason"] == "openstack-hypervisor-operator maintenance"


def test_the_first_request_follows_the_disabled_service():
    drain = Drain(limit=2)
    drain.cloud.add(*SIX)
    drain.drained()
    (_, enabled), (disabled_at, body) = drain.cloud.service_changes
    assert enabled == {"status": "enabled", "forced_down": False}  # found without a condition at the start
    assert body == {"status": "disabled", "disabled_reason": "Hypervisor CRD: spec.maintenance=manual"}
    assert disabled_at < drain.cloud.posts[0].at
    assert drain.said("HypervisorDisabled", drain.host()) == ("True", "Succeeded", "Hypervisor is disabled")


def test_an_eviction_waits_for_the_service_to_be_disabled():
    drain = Drain(limit=2)
    drain.cloud.add("vm-0")
    drain.api.create(EVICTION, {"metadata": {"name": SOURCE}, "spec": {"hypervisor": SOURCE, "reason": "r"}})
    drain.clock.advance(3)
    assert drain.told("PreflightChecksSucceeded") == [("Failed", "hypervisor not disabled")]
    drain.maintain()
    drain.clock.advance(3)
    assert not drain.cloud.posts
    drain.clock.advance(10)
    assert drain.told("PreflightChecksSucceeded") == [("Failed", "hypervisor not disabled"), PASSED]
    assert drain.cloud.posts


def test_the_first_pass_starts_all_it_may():
    drain = Drain(limit=4)
    drain.cloud.add(*SIX)
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    drain.clock.advance(3)
    assert [post.uuid for post in drain.cloud.posts] == SIX[:4]


def test_passes_follow_each_other_after_ten_seconds():
    drain = Drain(limit=2, takes=45)
    drain.cloud.add("vm-0", "vm-1")
    drain.drained()
    looks = [at for at, method, path in drain.cloud.requests if path == "/compute/servers/vm-0" and method == "GET"]
    gaps = [later - earlier for earlier, later in pairwise(looks)]
    assert all(10 <= gap < 10.5 for gap in gaps), gaps


@pytest.mark.parametrize(
    ("by_trait", "limit", "expected"),
    [
        ("CUSTOM_EXCLUSIVE=1", 4, 1),
        ("CUSTOM_EXCLUSIVE=3, CUSTOM_OTHER=2", 4, 2),
        ("CUSTOM_EXCLUSIVE=8", 2, 2),
        ("CUSTOM_UNKNOWN=1", 4, 4),
    ],
)
def test_traits_lower_the_limit(by_trait, limit, expected):
    drain = Drain(limit=limit, by_trait=by_trait, traits=("COMPUTE_NODE", "CUSTOM_EXCLUSIVE", "CUSTOM_OTHER"))
    drain.cloud.add(*SIX)
    drain.drained()
    assert drain.cloud.peak() == expected


def test_fresh_triggers_hold_a_slot_before_the_status_says_so():
    drain = Drain(limit=2)
    drain.cloud.add(*SIX)
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    for uuid in SIX[:2]:
        drain.cloud.servers[uuid].status = "ACTIVE"  # as was seen live: the task is there, the status is not yet
    drain.until(lambda: drain.outstanding() == [])
    assert drain.cloud.peak() == 2


def test_a_server_that_is_gone_is_a_success():
    drain = Drain(limit=1)
    drain.cloud.add("vm-0", "vm-1", "vm-2")
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    drain.cloud.remove("vm-2")
    drain.until(lambda: drain.said("Evicting")[0] == "False")
    assert ("Succeeded", "Instance vm-2 is gone") in drain.told()
    assert "Failed" not in [reason for reason, _ in drain.told()]
    assert drain.cloud.verbs("vm-2") == []


def test_a_server_in_error_stays_and_does_not_hold_others_up():
    quick, drain = Drain(limit=1), Drain(limit=1)
    drain.cloud.add("bad", status="ERROR", fault="no host", power=0)
    for bed in (quick, drain):
        bed.cloud.add("vm-0", "vm-1")
        bed.maintain()
        bed.until(lambda bed=bed: bed.cloud.servers["vm-1"].host.startswith("hv-2"))
    assert drain.cloud.verbs("bad") + drain.cloud.verbs("bad", 409) == []
    assert drain.clock.now() <= quick.clock.now() + 15
    drain.clock.advance(30)
    assert drain.outstanding() == ["bad"]
    assert drain.said("MigratingInstance") == ("False", "Failed", "Migration of instance bad failed: no host")
    assert {reason for reason, _ in drain.told()} == {"Failed"}
    drain.cloud.servers["bad"].status, drain.cloud.servers["bad"].power = "ACTIVE", 1
    drain.until(lambda: drain.said("Evicting")[0] == "False")
    assert drain.said("MigratingInstance") == ("False", "Succeeded", "Migration of instance bad finished")


def test_the_time_of_migrating_instance_never_moves():
    drain = Drain(limit=1)
    drain.cloud.add(*SIX[:3])
    drain.drained()
    times = {
        entry["lastTransitionTime"]
        for _, status in drain.history
        for entry in status.get("conditions") or ()
        if entry["type"] == "MigratingInstance"
    }
    assert len(times) == 1


def test_stopped_servers_move_cold_and_are_confirmed():
    drain = Drain(limit=2)
    drain.cloud.add("vm-0", "vm-1", status="SHUTOFF", power=4)
    drain.cloud.add("vm-2")
    drain.drained()
    assert drain.cloud.verbs("vm-0") == ["migrate"]
    assert drain.cloud.verbs("vm-0", 204) == ["confirmResize"]
    assert {server.status for server in drain.cloud.servers.values()} == {"SHUTOFF", "ACTIVE"}
    assert drain.cloud.peak() <= 2


def test_a_refused_request_is_told_and_tried_again_while_others_go():
    drain = Drain(limit=1)
    drain.cloud.add("paused", status="PAUSED", power=3)
    drain.cloud.add("vm-0")
    drain.maintain()
    drain.until(lambda: drain.outstanding() == ["paused"])
    kind, reason, message = drain.said("MigratingInstance")
    assert (kind, reason) == ("False", "Failed")
    assert message.startswith(
        "failed to evict stopped server paused due to Expected HTTP response code [201 202] when "
    )
    assert "accessing [POST http://cloud.test/compute/servers/paused/action], but got 409 instead: {" in message
    drain.clock.advance(5)
    assert len(drain.cloud.verbs("paused", 409)) > 3
    drain.cloud.servers["paused"].status, drain.cloud.servers["paused"].power = "ACTIVE", 1
    drain.until(lambda: drain.said("Evicting")[0] == "False")


def test_trouble_with_one_server_is_no_reconcile_error():
    drain = Drain(limit=2, takes=60)
    drain.cloud.add("bad", status="ERROR", fault="x")
    drain.cloud.add("vm-0")
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    drain.clock.advance(50)
    assert not [line for line in drain.log() if "Reconciler error" in line]
    looks = [at for at, _, path in drain.cloud.requests if path == "/compute/servers/vm-0"]
    assert max(later - earlier for earlier, later in pairwise(looks)) < 11


def test_the_status_is_written_once_a_pass():
    drain = Drain(limit=6)
    drain.cloud.add(*SIX)
    drain.drained()
    passes = [line for line in drain.log() if "\tpoll\t" in line]
    writes = [at for at, status in drain.history if status.get("outstandingInstances") is not None]
    assert len(writes) <= len(passes) + 2  # and the listing, and the end


def test_a_restart_in_the_middle_changes_neither_bound_nor_outcome():
    drain = Drain(limit=2)
    drain.cloud.add(*SIX)
    drain.maintain()
    drain.until(lambda: len(drain.cloud.posts) == 2)
    for _ in range(3):
        drain.clock.advance(7)
        drain.restart()
    drain.until(lambda: drain.said("Evicting")[0] == "False")
    assert drain.cloud.peak() == 2
    assert all(drain.cloud.verbs(uuid) == ["os-migrateLive"] for uuid in SIX)


def test_unsetting_maintenance_stops_new_starts_and_puts_the_host_back_into_service():
    drain = Drain(limit=2)
    drain.cloud.add(*SIX)
    drain.maintain()
    drain.until(lambda: len(drain.cloud.posts) == 2)
    drain.maintain("")
    drain.clock.advance(60)
    assert len(drain.cloud.posts) == 2
    assert drain.eviction() is None
    assert len(drain.cloud.left()) == 4
    assert drain.cloud.service == {
        "status": "enabled",
        "forced_down": False,
        "disabled_reason": "Hypervisor CRD: spec.maintenance=manual",
    }
    assert drain.said("Evicting", drain.host()) is None
    assert drain.host()["status"]["evicted"] is False


def test_a_hypervisor_after_success():
    drain = Drain(limit=2)
    drain.cloud.add(*SIX[:2])
    drain.drained()
    drain.clock.advance(1)
    assert drain.said("Evicting", drain.host()) == ("False", "Succeeded", "Evicted")
    assert drain.host()["status"]["evicted"] is True
    assert drain.said("Ready", drain.host()) == ("False", "Evicted", "Hypervisor is disabled and evicted")
    drain.maintain("")
    drain.clock.advance(2)
    assert drain.eviction() is None
    assert drain.said("Ready", drain.host()) == ("True", "Ready", "Hypervisor is ready")


def test_one_hanging_request_stops_everything():
    drain = Drain(limit=2)
    drain.cloud.add(*SIX)
    drain.maintain()
    drain.cloud.intercept = lambda request: "hang" if request.url.endswith("/servers/vm-3") else None
    drain.clock.advance(300)
    assert drain.cloud.posts == []


@pytest.mark.parametrize("code", [404, 500])
def test_when_nova_does_not_answer_about_the_hypervisor(code):
    drain = Drain(limit=2)
    drain.cloud.add("vm-0")
    drain.cloud.intercept = failing("GET", "/os-hypervisors/11111111-1111-4111-8111-111111111111", code)
    drain.drained()
    if code == 500:
        assert drain.said("Evicting")[1] == "Succeeded"
        assert any("Reconciler error" in line and "got 500 instead" in line for line in drain.log())
    else:
        kind, reason, message = drain.said("Evicting")
        assert (kind, reason) == ("False", "Failed")
        assert message.startswith("failed to get hypervisor Expected HTTP response code [200] when accessing [GET ")
        assert "got 404 instead" in message
        drain.clock.advance(1)
        assert drain.host()["status"]["evicted"] is True  # the wart: a failed eviction counts as evicted


def test_an_eviction_of_a_hypervisor_that_never_registered():
    drain = Drain()
    drain.api.create(EVICTION, {"metadata": {"name": "never"}, "spec": {"hypervisor": "never", "reason": "r"}})
    drain.clock.advance(5)
    drain.hypervisor("never", registered=False)
    drain.clock.advance(60)
    assert "status" not in drain.api.get(EVICTION, "", "never")  # hypervisors are not followed
    drain.api.patch(EVICTION, "", "never", {"spec": {"reason": "now"}})
    drain.clock.advance(2)
    message = "eviction completed successfully due to expected case of no hypervisor"
    found = drain.api.get(EVICTION, "", "never")
    assert drain.said("Evicting", found) == ("False", "Succeeded", message)
    assert "/compute/os-hypervisors/?with_servers=true" in [path for _, _, path in drain.cloud.requests]
