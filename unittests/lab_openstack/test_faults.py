"""Rows in front: an API that fails, readers that see the past, admission and policies that are broken."""

import http.client
import threading

import pytest

from lab.apiserver.certificates import Authority
from lab.controllers.answers import answering, says
from lab.controllers.decisions import Faults, Row
from lab.openstack.compute.checks import ACTIONS
from lab.openstack.compute.policies import POLICIES
from lab.openstack.compute.transfers import BANDWIDTH
from lab.openstack.http.nova.views import SHOWN, true_picture
from lab.openstack.http.requests import REQUESTS, Treatment
from lab.openstack.refusals import RefusalError
from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import Client, LiveCloud

LIVE = {"os-migrateLive": {"host": None, "block_migration": False}}


def treated(when, treatment: Treatment) -> Faults:
    return Faults({REQUESTS.name: (Row("fault", when, says(treatment)),)})


def test_a_get_that_fails_every_second_time():
    broken = treated(
        lambda asked: asked.method == "GET" and asked.server is not None and asked.before % 2 == 1,
        Treatment(refusal=RefusalError(503, "no time")),
    )
    with LiveCloud(SHAPE, faults=broken) as live:
        path, admin = f"/servers/{live.server_id('vm-1')}", live.client()
        assert [admin.nova("GET", path).status for _ in range(4)] == [200, 503, 200, 503]
        assert admin.nova("GET", path).status == 200
        assert admin.nova("GET", path).json == {"serviceUnavailable": {"code": 503, "message": "no time"}}


def test_a_post_that_is_accepted_and_answered_with_an_error():
    lost = treated(lambda asked: asked.action == "os-migrateLive", Treatment(lost=RefusalError(504, "Gateway Timeout")))
    with LiveCloud(SHAPE, faults=lost) as live:
        server, admin = live.server_id("vm-1"), live.client()
        assert admin.act(server, LIVE).status == 504
        assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == "MIGRATING"


def test_a_request_that_is_held_for_product_time():
    came = threading.Event()

    def comes(asked) -> bool:
        if asked.path != "/v2.1/flavors":
            return False
        came.set()
        return True

    with LiveCloud(SHAPE, faults=treated(comes, Treatment(held=300.0))) as live:
        admin, seen = live.client(), []
        waiting = threading.Thread(target=lambda: seen.append(admin.nova("GET", "/flavors").status))
        waiting.start()
        assert came.wait(10)
        live.advance(299)
        assert seen == []
        live.advance(2)
        waiting.join(10)
        assert seen == [200]


def test_readers_that_see_the_past_for_a_while():
    stale = Row(
        "fault: stale reads",
        lambda seen: seen.server.task_state == "migrating" and seen.now - seen.server.entered < 5,
        answering(lambda seen: true_picture(seen.state.server_at(seen.server.id, seen.server.entered - 0.001))),
    )
    with LiveCloud(SHAPE, faults=Faults({SHOWN.name: (stale,)})) as live:
        server, admin = live.server_id("vm-1"), live.client()
        live.advance(10)
        assert admin.act(server, LIVE).status == 202
        assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == "ACTIVE"
        assert admin.nova("GET", "/servers/detail?all_tenants=1&task_state=migrating").json["servers"] == []
        live.advance(5)
        assert admin.nova("GET", f"/servers/{server}").json["server"]["status"] == "MIGRATING"


@pytest.mark.parametrize("table", [ACTIONS.name, POLICIES.name])
def test_admission_and_policies_can_be_broken(table):
    answers = {ACTIONS.name: None, POLICIES.name: False}
    row = Row("fault", lambda _: True, says(answers[table]))
    with LiveCloud(SHAPE, faults=Faults({table: (row,)})) as live:
        admin = live.client()
        if table == ACTIONS.name:
            assert admin.act(live.server_id("off"), LIVE).status == 202  # a stopped server
        else:
            assert admin.nova("GET", "/os-hypervisors").status == 403


def test_a_line_that_carries_nothing_holds_a_migration_for_ever():
    dead = Row("fault: no bandwidth", lambda line: line.server.name == "vm-1", says(0.0))
    with LiveCloud(SHAPE, faults=Faults({BANDWIDTH.name: (dead,)})) as live:
        admin = live.client()
        admin.act(live.server_id("vm-1"), LIVE)
        live.advance(1000)
        (record,) = admin.nova("GET", "/os-migrations").json["migrations"]
        assert record["status"] == "running"
        live.advance(3000)
        (record,) = live.client().nova("GET", "/os-migrations").json["migrations"]
        assert record["status"] == "cancelled"  # 800 s per GiB


def test_the_front_listens_on_the_loopback_only_and_ends_with_open_connections(live):
    with pytest.raises(ValueError, match="loopback addresses only"):
        live._run(live.openstack.front.start("192.0.2.1"))


def test_over_https_with_the_labs_own_authority(tmp_path):
    with LiveCloud(SHAPE, authority=Authority(), directory=tmp_path) as live:
        assert live.url.startswith("https://")
        assert live.client().nova("GET", "/servers").status == 200
        assert "cacert" in live.clouds_yaml.read_text()
        assert Client(live.url, live.openstack.front.authority).send("GET", "/identity/v3").status == 200


def test_the_lab_ends_while_a_request_is_held():
    came, seen = threading.Event(), []
    held = treated(lambda asked: asked.path == "/v2.1/flavors" and not came.set(), Treatment(held=1e9))
    with LiveCloud(SHAPE, faults=held) as live:
        admin = live.client()

        def ask() -> None:
            try:
                seen.append(admin.nova("GET", "/flavors").status)
            except (ConnectionError, http.client.HTTPException) as error:
                seen.append(type(error).__name__)

        waiting = threading.Thread(target=ask)
        waiting.start()
        assert came.wait(10)
    waiting.join(10)
    assert seen in (["RemoteDisconnected"], ["ConnectionResetError"])
