"""Evictions as on the main branch: one server a reconcile, from the tail of the queue (operator sheet §2.2, §2.3)."""

from unittests.lab_hypervisor_operator.drain import Drain
from unittests.lab_hypervisor_operator.nova import failing

FOUR = [f"vm-{number}" for number in range(4)]


def errors(drain):
    return [line for line in drain.log() if "Reconciler error" in line]


def test_one_after_the_other_from_the_tail():
    drain = Drain(parallel=False)
    drain.cloud.add(*FOUR)
    drain.drained()
    assert drain.cloud.peak() == 1
    assert [post.uuid for post in drain.cloud.posts] == FOUR[::-1]
    assert drain.said("Evicting") == ("False", "Succeeded", "eviction completed successfully")


def test_one_look_a_pass():
    drain = Drain(parallel=False, takes=35)
    drain.cloud.add(*FOUR)
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    drain.clock.advance(30)
    assert {path for _, method, path in drain.cloud.requests if method == "GET" and "/servers/" in path} == {
        "/compute/servers/vm-3"
    }


def test_a_server_in_error_goes_to_the_back_and_costs_a_reconcile_error():
    drain = Drain(parallel=False)
    drain.cloud.add("vm-0")
    drain.cloud.add("bad", status="ERROR", fault="no host")
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    assert drain.outstanding() == ["bad", "vm-0"]
    assert drain.said("MigratingInstance") == ("False", "Failed", "Migration of instance bad failed: no host")
    assert "error migrating instance bad" in errors(drain)[0]
    drain.until(lambda: drain.outstanding() == ["bad"])
    assert drain.said("MigratingInstance")[1] == "Failed"
    assert drain.cloud.verbs("bad") == []


def test_gone_overwrites_an_earlier_failure():
    drain = Drain(parallel=False)
    drain.cloud.add("vm-0", "vm-1")
    drain.cloud.add("bad", status="ERROR", fault="x")
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    drain.cloud.remove("vm-1")
    drain.until(lambda: "vm-1" not in drain.outstanding())
    assert drain.said("MigratingInstance") == ("False", "Succeeded", "Instance vm-1 is gone")


def test_a_server_that_is_being_deleted_lets_others_go_first():
    drain = Drain(parallel=False)
    drain.cloud.add("vm-0")
    drain.cloud.add("dying", task="deleting")
    drain.maintain()
    drain.until(lambda: drain.cloud.verbs("vm-0"))
    assert drain.outstanding() == ["dying", "vm-0"]
    assert drain.said("MigratingInstance")[2] == "Live migration of terminating instance dying skipped"


def test_a_refused_request_is_never_told_and_backs_off():
    drain = Drain(parallel=False)
    drain.cloud.add("vm-0")
    drain.cloud.intercept = failing("POST", "/servers/vm-0/action", 500, times=8)
    drain.drained()
    assert drain.told() == [("Succeeded", "Migration of instance vm-0 finished")]
    assert len(errors(drain)) == 8
    refused = [at for at, method, path in drain.cloud.requests if method == "POST" and path.endswith("vm-0/action")]
    assert 0.3 < refused[-1] - refused[-2] < 1.2  # 5 ms doubled with each failure


def test_stopped_servers_are_confirmed():
    drain = Drain(parallel=False)
    drain.cloud.add("vm-0", "vm-1", status="SHUTOFF", power=4)
    drain.drained()
    assert drain.cloud.verbs("vm-0") == ["migrate"]
    assert drain.cloud.verbs("vm-0", 204) == ["confirmResize"]
    assert {server.status for server in drain.cloud.servers.values()} == {"SHUTOFF"}
