"""Each fault breaks what it says, on the program with the fixes, which keeps every guarantee without it."""

import re

import pytest

from lab.controllers.decisions import Faults
from lab.faults.eviction import EVICTION_FAULTS
from lab.faults.fault import together
from lab.hypervisor_operator.fixes import ALL
from lab.hypervisor_operator.flags import StartError, read
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.hypervisor_operator.tables import Tables
from lab.hypervisor_operator.wire import HttpReply
from unittests.lab_hypervisor_operator.drain import Drain, condition
from unittests.lab_hypervisor_operator.nova import SOURCE, failing

NAMED = {fault.name: fault for fault in EVICTION_FAULTS}
FIVE = [f"vm-{number}" for number in range(5)]
TRAITED = ("COMPUTE_NODE", "CUSTOM_EXCLUSIVE")


def rows(name):
    """The rows of a fault; "" stands for none."""
    return together([NAMED[name]]) if name else Faults()


def drain(name, **options):
    return Drain(fixes=ALL, faults=rows(name), **options)


def under_way(bed, count=1):
    bed.maintain()
    bed.until(lambda: len([post for post in bed.cloud.posts if post.code == 202]) >= count)


def finished(bed, within=400):
    """Whether the eviction ends in time, and how."""
    bed.maintain()
    end = bed.clock.now() + within
    while bed.clock.now() < end:
        bed.clock.advance(1)
        if (bed.said("Evicting") or ("True",))[0] == "False":
            return True
    return False


def broken(name):
    """Cases: the fault, and the sound operator beside it."""
    return pytest.mark.parametrize("fault", ["", name])


def unreadable(bed):
    """Nova does not answer for a server in flight."""

    def busy(request):
        server = bed.cloud.servers.get(request.url.rpartition("/")[2])
        moving = request.method == "GET" and server is not None and server.task == "migrating"
        return HttpReply(503) if moving else None

    bed.cloud.intercept = busy


def replies_lost(bed):
    """The first request to move a server is accepted, and answered with an error."""
    asked = set()

    def lost(request):
        if request.method != "POST" or not request.url.endswith("/action") or request.url in asked:
            return None
        asked.add(request.url)
        bed.cloud.intercept = None
        bed.cloud.handle(request)
        bed.cloud.intercept = lost
        return HttpReply(504)

    bed.cloud.intercept = lost


@pytest.mark.parametrize(
    ("fault", "nova"),
    [
        ("fresh_triggers_uncounted", None),
        ("unreadable_uncounted", unreadable),
        ("lost_reply_uncounted", replies_lost),
        ("drain_limit_ignored", None),
    ],
)
@pytest.mark.parametrize("broken", [False, True], ids=["sound", "broken"])
def test_the_bound(fault, nova, broken):
    bed = drain(fault if broken else "", limit=2, takes=45)
    bed.cloud.add(*FIVE)
    if nova:
        nova(bed)
    assert finished(bed)
    assert (bed.cloud.peak() == 2) is not broken


@broken("one_start_a_pass")
def test_slots_are_filled_in_one_pass(fault):
    bed = drain(fault, limit=3, takes=45)
    bed.cloud.add(*FIVE)
    under_way(bed)
    bed.clock.advance(1)
    assert len(bed.cloud.posts) == (1 if fault else 3)


@broken("asked_twice")
def test_one_request_a_server(fault):
    bed = drain(fault, limit=2)
    bed.cloud.add(*FIVE)
    assert finished(bed)
    refused = [post for post in bed.cloud.posts if post.code == 409]
    assert bool(refused) is bool(fault)
    assert ("Failed" in {reason for reason, _ in bed.told()}) is bool(fault)


@broken("in_flight_in_memory")
def test_the_bound_over_a_restart(fault):
    bed = drain(fault, limit=2, takes=45)
    bed.cloud.add(*FIVE)
    under_way(bed, 2)
    bed.restart()
    bed.clock.advance(20)
    assert bed.cloud.peak() == (4 if fault else 2)


@pytest.mark.parametrize(
    ("fault", "by_trait", "peak"),
    [
        ("", "CUSTOM_EXCLUSIVE=1", 1),
        ("traits_ignored", "CUSTOM_EXCLUSIVE=1", 3),
        ("trait_raises_limit", "CUSTOM_EXCLUSIVE=1", 3),
        ("", "CUSTOM_EXCLUSIVE=5", 3),
        ("trait_raises_limit", "CUSTOM_EXCLUSIVE=5", 5),
        ("serial_for_ever", "", 1),
    ],
)
def test_the_limit_of_traits(fault, by_trait, peak):
    bed = drain(fault, limit=3, by_trait=by_trait, traits=TRAITED)
    bed.cloud.add(*FIVE)
    assert finished(bed)
    assert bed.cloud.peak() == peak


@broken("two_by_default")
def test_the_default(fault):
    bed = drain(fault, limit=1)
    bed.cloud.add(*FIVE)
    assert finished(bed)
    assert bed.cloud.peak() == (2 if fault else 1)


@broken("stale_traits_trusted")
def test_stale_traits(fault):
    bed = drain(fault, limit=3)
    known = [condition("Onboarding", False), condition("TraitsUpdated", False, "Failed", "x")]
    bed.api.patch(HYPERVISOR, "", SOURCE, {"status": {"conditions": known}}, subresource="status")
    bed.cloud.add(*FIVE)
    assert finished(bed)
    assert bed.cloud.peak() == (3 if fault else 1)


@pytest.mark.parametrize("fault", ["", "failure_forgotten", "error_dropped", "bad_server_first", "trouble_backs_off"])
def test_a_server_in_error_beside_others(fault):
    bed = drain(fault, limit=1, takes=15)
    bed.cloud.add("bad", status="ERROR", fault="x", power=0)
    bed.cloud.add(*FIVE)
    bed.maintain()
    bed.clock.advance(160)
    listed = [status.get("outstandingInstances") for _, status in bed.history if status.get("outstandingInstances")]
    assert all("bad" in queue for queue in listed) is (fault != "error_dropped")
    forgotten = any(reason == "Succeeded" for reason, _ in bed.told())
    assert forgotten is (fault in ("failure_forgotten", "error_dropped"))
    assert (bed.cloud.left() == ["bad"]) is (fault not in ("bad_server_first", "trouble_backs_off"))


@broken("bad_servers_swap")
def test_two_bad_servers(fault):
    bed = drain(fault, limit=1)
    bed.cloud.add("bad-0", "bad-1", status="ERROR", fault="x", power=0)
    bed.maintain()
    bed.until(lambda: bed.said("MigratingInstance"))
    bed.clock.advance(3)
    changes = len(bed.history)
    bed.clock.advance(30)
    assert (len(bed.history) > changes + 30) is bool(fault)


@broken("deleting_holds_slot")
def test_a_server_that_is_being_deleted(fault):
    bed = drain(fault, limit=1)
    bed.cloud.add("dying", task="deleting")
    bed.cloud.add("vm-0")
    bed.maintain()
    bed.clock.advance(60)
    assert bool(bed.cloud.verbs("vm-0")) is not bool(fault)


@broken("never_confirmed")
def test_confirmation(fault):
    bed = drain(fault)
    bed.cloud.add("vm-0", status="SHUTOFF", power=4)
    assert finished(bed, 120) is not bool(fault)
    assert bed.cloud.servers["vm-0"].status == ("VERIFY_RESIZE" if fault else "SHUTOFF")


@pytest.mark.parametrize("fault", ["", "listed_once", "success_too_early"])
def test_success_means_empty(fault):
    bed = drain(fault, limit=2)
    bed.cloud.add("vm-0", "vm-1", "vm-2")
    under_way(bed, 2)
    if fault != "success_too_early":
        bed.cloud.land("late")
    bed.until(lambda: bed.said("Evicting")[0] == "False")
    assert (bed.cloud.left() == []) is not bool(fault)


@broken("seen_as_moved")
def test_servers_are_moved(fault):
    bed = drain(fault)
    bed.cloud.add(*FIVE)
    bed.maintain()
    bed.clock.advance(30)
    assert (bed.cloud.posts == []) is bool(fault)


@broken("came_back_silently")
def test_a_server_that_comes_back(fault):
    bed = drain(fault, limit=1, takes=5)
    bed.cloud.add("vm-0")
    bed.cloud.add("stubborn", moves="back")
    bed.cloud.servers = dict(reversed(bed.cloud.servers.items()))
    bed.maintain()
    bed.clock.advance(100)
    assert bool(bed.cloud.verbs("vm-0")) is not bool(fault)
    assert ("Failed" in {reason for reason, _ in bed.told()}) is not bool(fault)


@broken("not_disabled_first")
def test_the_service_is_disabled_first(fault):
    bed = drain(fault)
    bed.cloud.add("vm-0")
    under_way(bed)
    assert (bed.cloud.service["status"] == "disabled") is not bool(fault)


@pytest.mark.parametrize("fault", ["", "gone_stays", "gone_is_failure"])
def test_a_server_that_is_gone(fault):
    bed = drain(fault)
    bed.cloud.add("vm-0", "vm-1")
    under_way(bed)
    gone = next(uuid for uuid in bed.cloud.servers if not bed.cloud.verbs(uuid))
    bed.cloud.remove(gone)
    bed.clock.advance(15)
    assert (gone in bed.outstanding()) is (fault == "gone_stays")
    assert (("Failed", f"Instance {gone} is gone") in bed.told()) is (fault == "gone_is_failure")


@broken("refusal_untold")
def test_a_refused_request(fault):
    bed = drain(fault)
    bed.cloud.add("vm-0")
    bed.cloud.intercept = failing("POST", "/servers/vm-0/action", 409)
    assert finished(bed)
    assert ("Failed" in {reason for reason, _ in bed.told()}) is not bool(fault)


@broken("written_per_server")
def test_one_write_a_pass(fault):
    bed = drain(fault, limit=5)
    bed.cloud.add(*FIVE)
    assert finished(bed)
    lengths = {len(status.get("outstandingInstances") or ()) for _, status in bed.history}
    assert ({4, 3, 2, 1} <= lengths) is bool(fault)


@pytest.mark.parametrize("fault", ["", "drain_goes_on", "service_stays_disabled"])
def test_out_of_maintenance(fault):
    bed = drain(fault, limit=2)
    bed.cloud.add(*FIVE)
    under_way(bed, 2)
    bed.api.patch(HYPERVISOR, "", SOURCE, {"status": {"numInstances": 5}}, subresource="status")
    bed.maintain("")
    bed.clock.advance(90)
    assert (bed.cloud.service["status"] == "enabled") is (fault != "service_stays_disabled")
    assert (len(bed.cloud.posts) > 2) is (fault == "drain_goes_on")
    assert (bed.api.find(EVICTION, "", SOURCE) is None) is (fault != "drain_goes_on")


@broken("failed_counts_as_evicted")
def test_a_failed_eviction(fault):
    bed = drain(fault)
    bed.cloud.known = False
    assert finished(bed)
    bed.clock.advance(2)
    assert bed.host()["status"]["evicted"] is bool(fault)


@broken("evicted_too_early")
def test_a_drain_that_goes_on(fault):
    bed = drain(fault)
    bed.cloud.add("vm-0")
    under_way(bed)
    assert bed.host()["status"]["evicted"] is bool(fault)


@broken("error_elsewhere_stays")
def test_a_server_in_error_on_another_host(fault):
    bed = drain(fault)
    bed.cloud.add("vm-0")
    bed.cloud.servers["vm-0"].moves = "away"
    under_way(bed)
    bed.cloud.end("vm-0")
    bed.cloud.servers["vm-0"].status = "ERROR"
    bed.clock.advance(30)
    assert (bed.outstanding() == ["vm-0"]) is bool(fault)


@broken("paused_moved_cold")
def test_a_paused_server(fault):
    bed = drain(fault)
    bed.cloud.add("paused", status="PAUSED", power=3)
    bed.maintain()
    bed.clock.advance(30)
    assert bool(bed.cloud.verbs("paused", 409)) is bool(fault)


def test_invalid_flags():
    arguments = ["--agent-namespaces=lab", "--eviction-concurrency=0"]
    with pytest.raises(StartError):
        read(arguments, Tables(), parallel=True)
    accepted = read(arguments, Tables(rows("invalid_flags_accepted")), parallel=True)
    assert accepted.concurrency == 0


@pytest.mark.parametrize("fault", EVICTION_FAULTS, ids=lambda fault: fault.name)
def test_each_says_what_it_breaks(fault):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", fault.name)
    assert fault.breaks.endswith(".")
    assert fault.breaks.count(".") == 1
    assert fault.rows
    assert all(row.name.startswith("fault: ") for extra in fault.rows.values() for row in extra)
    assert all(re.fullmatch(r"EVIC-(0[1-9]|[12]\d|3[0-2])|CRMS-\d\d", scenario) for scenario in fault.scenarios)


def test_every_scenario_is_caught():
    caught = frozenset().union(*(fault.scenarios for fault in EVICTION_FAULTS))
    assert caught >= {f"EVIC-{number:02}" for number in range(1, 33)}
    assert len(NAMED) == len(EVICTION_FAULTS)
