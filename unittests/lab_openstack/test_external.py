"""Nova asks an external scheduler: what it says, what it makes of the answer, one question a try (Cortex sheet §2)."""

import asyncio
from dataclasses import replace

import orjson
import pytest
from aiohttp import web

from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.openstack.compute.external.doors import Answer
from lab.openstack.compute.external.far import FarScheduler
from lab.openstack.compute.external.verdicts import VERDICTS, Heard, verdict
from lab.openstack.compute.scheduling import PRE_CHECKS
from lab.openstack.refusals import RefusalError
from lab.openstack.shape import GroupShape, HostShape, ServerShape
from unittests.lab_openstack.bed import Bed, statuses
from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import LiveCloud
from unittests.lab_openstack.outside import Outside, offered, spec

OWN = ("node-2", "node-3")  # Nova's own order, best first


def asked(replies=offered, **options):
    """A bed whose Nova asks, and whom it asks."""
    bed = Bed(**options)
    outside = Outside(bed.clock, replies)
    bed.cloud.searches.connect(outside)
    return bed, outside


def moved(bed, **order):
    bed.live(**order)
    record = bed.until("completed")
    return record.dest_compute


def test_a_live_migration_lands_on_the_first_host_of_the_answer():
    bed, outside = asked(lambda document: list(reversed(offered(document))))
    assert moved(bed) == "node-3"
    (document,) = outside.heard
    assert offered(document) == ["node-2", "node-3"]
    assert document["hosts"][0]["hypervisor_hostname"] == "node-2.lab.internal"
    assert document["weights"] == {"node-2": 1.0, "node-3": 1.0}
    assert "pipeline" not in document
    assert "options" not in document


def test_the_question_is_what_saps_nova_asks():
    bed, outside = asked()
    moved(bed)
    document, vm = outside.heard[0], bed.cloud.state.any_server(bed.record().server_id)
    said = spec(document)
    assert document["spec"]["nova_object.name"] == "RequestSpec"
    assert said["scheduler_hints"] == {
        "source_host": ["node-1"], "source_node": ["node-1.lab.internal"], "_nova_check_type": ["live_migrate"],
    }  # fmt: skip
    assert said["ignore_hosts"] == ["node-1"]
    assert (said["force_hosts"], said["force_nodes"], said["availability_zone"]) == (None, None, None)
    assert (said["instance_uuid"], said["project_id"], said["num_instances"]) == (vm.id, vm.project_id, 1)
    assert said["is_bfv"] is True
    flavor = said["flavor"]["nova_object.data"]
    assert (flavor["name"], flavor["memory_mb"], flavor["vcpus"]) == ("m1.medium", 4096, 2)
    assert said["requested_destination"]["nova_object.data"]["host"] is None
    assert said["instance_group"] is None
    assert document["context"]["user"] == "someone"
    assert (document["live"], document["resize"]) == (True, False)


def test_the_context_is_that_of_the_caller():
    bed, outside = asked()
    bed.live()
    bed.until("completed")
    assert outside.heard[0]["context"]["request_id"] == bed.record().order.request_id
    assert outside.heard[0]["context"]["project_id"] == bed.vm().project_id


def test_weights_are_free_memory_and_the_group_comes_along():
    servers = (ServerShape(name="vm", host="node-1", group="apart"),
               ServerShape(name="other", host="node-2", flavor="m1.xlarge", group="apart"))  # fmt: skip
    shape = {"servers": servers, "groups": (GroupShape(name="apart", policy="soft-anti-affinity"),)}
    bed, outside = asked(shape=shape)
    assert moved(bed) == "node-3"
    document = outside.heard[0]
    assert offered(document) == ["node-3", "node-2"]
    assert document["weights"]["node-2"] == pytest.approx(1 - 16384 / (524288 - 512))
    group = spec(document)["instance_group"]["nova_object.data"]
    assert (group["policy"], group["hosts"]) == ("soft-anti-affinity", ["node-1", "node-2"])


def test_a_host_that_was_asked_for_is_the_only_one_offered():
    bed, outside = asked()
    assert moved(bed, host="node-3") == "node-3"
    assert offered(outside.heard[0]) == ["node-3"]
    assert spec(outside.heard[0])["requested_destination"]["nova_object.data"]["node"] == "node-3.lab.internal"


def test_nobody_is_asked_when_there_is_no_host_to_offer_or_it_is_forced():
    bed, outside = asked()
    bed.live(host="node-1")
    bed.until("error")
    assert outside.heard == []
    bed.live(host="node-2", unchecked=True)
    bed.until("completed")
    assert outside.heard == []


@pytest.mark.parametrize(
    ("answer", "name", "hosts"),
    [
        (Answer(200, b'{"hosts":["node-3","node-2"]}'), "ordered", ("node-3", "node-2")),
        (Answer(200, b'{"hosts":["node-3"]}'), "ordered", ("node-3",)),
        (Answer(200, b'{"hosts":[]}'), "no host is left", ()),
        (Answer(200, b'{"hosts":null}'), "not the schema", OWN),
        (Answer(200, b"{}"), "not the schema", OWN),
        (Answer(200, b'{"hosts":["node-3"],"more":1}'), "not the schema", OWN),
        (Answer(200, b'{"hosts":[1,2]}'), "not the schema", OWN),
        (Answer(200, b'{"hosts":"node-3"}'), "not the schema", OWN),
        (Answer(200, b"node-3"), "no JSON", OWN),
        (Answer(500, b"failed to process scheduling decision: x\n"), "refused", OWN),
        (Answer(400, b"missing weight for host\n"), "refused", OWN),
        (Answer(0, problem="timed out"), "no answer", OWN),
        (Answer(200, b'{"hosts":["node-9","node-2"]}'), "an unknown host", ()),
    ],
)
def test_nova_trusts_a_list_and_otherwise_its_own_order(answer, name, hosts):
    found = verdict(VERDICTS, Heard(answer, OWN))
    assert (found.name, found.hosts) == (name, hosts)
    assert bool(found.error) is (name == "an unknown host")


def test_an_empty_answer_is_no_valid_host():
    bed, outside = asked(lambda _: [])
    bed.live()
    record = bed.until("error")
    assert (record.dest_compute, statuses(record)) == (None, ["accepted", "error"])
    assert bed.status() == "ACTIVE"
    assert bed.vm().fault.message.startswith("No valid host was found.")
    assert len(outside.heard) == 1


def test_null_hosts_leave_novas_own_order():
    bed, _ = asked(lambda _: Answer(200, b'{"hosts":null}'))
    assert moved(bed) == "node-2"
    assert bed.cloud.searches.asked[0].verdict == "not the schema"
    assert bed.cloud.searches.asked[0].answer is None


def test_a_silent_service_costs_ten_seconds():
    bed, outside = asked(lambda _: None)
    assert moved(bed) == "node-2"
    (asking,) = bed.cloud.searches.asked
    assert asking.answered - asking.at == pytest.approx(10.0)
    assert asking.at - bed.record().created < 2
    assert asking.verdict == "no answer"
    assert len(outside.heard) == 1


def test_an_answer_that_comes_too_late_is_dropped():
    bed = Bed()

    class Late(Outside):
        def send(self, body, answered):
            self.heard.append(orjson.loads(body))
            self._clock.call_later(11.0, answered, Answer(200, b'{"hosts":["node-3"]}'))

    bed.cloud.searches.connect(Late(bed.clock, None))
    assert moved(bed) == "node-2"
    bed.clock.advance(20)
    assert bed.cloud.searches.asked[0].status is None


def test_an_unknown_host_breaks_the_search():
    bed, _ = asked(lambda _: ["elsewhere"])
    bed.live()
    bed.until("error")
    assert bed.vm().fault.message == "Migration select destinations error: Remote error: KeyError 'elsewhere'"


def test_each_try_asks_again_with_one_more_host_to_ignore():
    pre_check = Row("cpu", lambda c: c.wish.live and c.host.name == "node-2", says("cpu"))
    bed, outside = asked(faults=Faults({PRE_CHECKS.name: (pre_check,)}))
    assert moved(bed) == "node-3"
    assert [offered(each) for each in outside.heard] == [["node-2", "node-3"], ["node-3"]]
    assert [spec(each)["ignore_hosts"] for each in outside.heard] == [["node-1"], ["node-1", "node-2"]]
    first, second = bed.cloud.searches.asked
    assert (first.attempt, first.target, second.attempt, second.target) == (1, "node-2", 2, "node-3")


def test_tries_end_when_no_host_is_left():
    pre_check = Row("cpu", lambda c: c.wish.live, says("cpu"))
    bed, outside = asked(faults=Faults({PRE_CHECKS.name: (pre_check,)}))
    bed.live()
    bed.until("error")
    assert len(outside.heard) == 2
    assert bed.vm().fault.message.startswith("No valid host was found.")


def test_a_host_that_was_filled_meanwhile_is_passed_over():
    bed = Bed(shape={"hosts": tuple(HostShape(name=name, ram=6000) for name in ("node-1", "node-2", "node-3"))})
    other = replace(bed.vm(), id="11111111-1111-4111-8111-111111111111")

    def prefers_node_3(_):
        bed.clock.call_later(0.02, bed.cloud.tasks._claims.place, other, "node-3")
        return ["node-3", "node-2"]

    bed.cloud.searches.connect(Outside(bed.clock, prefers_node_3))
    assert moved(bed) == "node-2"


def test_the_old_form_that_waits_is_refused_by_novas_own_filters_and_asks_otherwise():
    bed, outside = asked(lambda document: list(reversed(offered(document))))
    with pytest.raises(RefusalError):
        bed.live(host="node-1", wait=True)
    assert outside.heard == []
    bed.live(wait=True)
    assert bed.until("completed").dest_compute == "node-3"


def test_cold_migrations_ask_too():
    bed, outside = asked(lambda document: list(reversed(offered(document))))
    bed.cold()
    bed.until("finished")
    assert bed.vm().host == "node-3"
    assert spec(outside.heard[0])["scheduler_hints"] == {"_nova_check_type": ["resize"]}
    assert spec(outside.heard[0])["ignore_hosts"] == ["node-1"]


def test_nobody_connected_is_nova_alone():
    bed = Bed()
    assert moved(bed) == "node-2"
    assert bed.cloud.searches.asked == []


def test_a_real_service_is_asked_over_http():
    got = []

    async def handle(request):
        got.append((request.path, await request.json()))
        return web.json_response({"hosts": ["b"]})

    async def scenario():
        runner = web.ServerRunner(web.Server(handle))
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        answers: asyncio.Queue = asyncio.Queue()
        door = FarScheduler(f"http://127.0.0.1:{port}/scheduler/nova/external")
        door.send(b'{"a":1}', answers.put_nowait)
        good = await asyncio.wait_for(answers.get(), 30)
        await runner.cleanup()
        door.send(b"{}", answers.put_nowait)
        bad = await asyncio.wait_for(answers.get(), 30)
        await door.stop()
        return good, bad

    good, bad = asyncio.run(scenario())
    assert (good.status, orjson.loads(good.body)) == (200, {"hosts": ["b"]})
    assert got == [("/scheduler/nova/external", {"a": 1})]
    assert bad.problem


def test_builds_ask_without_a_hint_and_the_journal_tells():
    with LiveCloud(SHAPE) as live:
        outside = Outside(live.clock, lambda document: list(reversed(offered(document))))
        live.cloud.searches.connect(outside)
        admin = live.client()
        network = admin.send("GET", "/network/v2.0/networks?shared=false").json["networks"][0]["id"]
        image = admin.send("GET", "/image/v2/images?name=cirros-kvm").json["images"][0]["id"]
        wanted = {"name": "new", "flavorRef": "1", "imageRef": image, "networks": [{"uuid": network}]}
        assert admin.nova("POST", "/servers", {"server": wanted}).status == 202
        live.advance(30)
        (document,) = outside.heard
        assert spec(document)["scheduler_hints"] == {}
        assert spec(document)["requested_destination"] is None
        (said,) = admin.send("GET", "/lab/journal").json["external_scheduler"]
        assert (said["check"], said["migration"], said["verdict"], said["status"]) == ("", "", "ordered", 200)
        assert said["target"] == said["hosts"][-1]
        built = admin.nova("GET", f"/servers/{said['server']}").json["server"]
        assert (built["status"], built["OS-EXT-SRV-ATTR:host"]) == ("ACTIVE", said["target"])


def test_two_runs_are_alike():
    def run():
        bed, _ = asked(vms=4)
        for number in (1, 2, 3, 4):
            bed.live(f"vm-{number}")
        bed.clock.advance(400)
        return [(one.at, one.answered, one.server, one.target) for one in bed.cloud.searches.asked]

    assert run() == run()
