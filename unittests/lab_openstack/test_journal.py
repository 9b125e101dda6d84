"""The lab's journal: exact times of requests, records and states."""

import itertools

from lab.clock import ManualClock
from lab.controllers.answers import says
from lab.controllers.decisions import Faults, Row
from lab.openstack.http.requests import REQUESTS, Treatment
from lab.openstack.refusals import RefusalError
from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import LiveCloud

LIVE = {"os-migrateLive": {"host": None, "block_migration": False}}


def test_the_journal_tells_what_records_cannot(live, admin):
    server = live.server_id("vm-1")
    live.advance(0.25)
    posted = live.clock.now()
    admin.act(server, LIVE)
    live.advance(60)
    journal = admin.send("GET", "/lab/journal").json
    (post,) = [one for one in journal["requests"] if one["action"] == "os-migrateLive"]
    assert (post["at"], post["status"], post["served"]) == (posted, 202, True)
    (record,) = journal["migrations"]
    assert (record["server"], record["request_id"], record["source"]) == (server, post["request_id"], "node-1")
    assert [status for _, status in record["history"]] == [
        "accepted", "queued", "preparing", "running", "completed",
    ]  # fmt: skip
    assert any(at != int(at) for at, _ in record["history"])  # finer than the 1 s of the API
    states = journal["servers"][server]
    assert [(task, host) for _, _, task, _, host in states] == [
        (None, "node-1"), ("migrating", "node-1"), (None, record["target"]),
    ]  # fmt: skip
    assert states[1][0] == posted
    assert states[2][0] == record["history"][-1][0]  # arrival and end of the record are one step
    assert journal["now"] == live.clock.now()


def test_a_request_is_no_later_than_what_it_did(live, admin, monkeypatch):
    """Between two steps of a lab's clock time flows, so that each look at it shows a later moment."""
    now, readings = ManualClock.now, itertools.count()
    monkeypatch.setattr(ManualClock, "now", lambda clock: now(clock) + next(readings) * 1e-6)
    server = live.server_id("vm-1")
    admin.act(server, LIVE)
    journal = admin.send("GET", "/lab/journal").json
    (post,) = [one for one in journal["requests"] if one["action"] == "os-migrateLive"]
    assert post["at"] <= journal["servers"][server][-1][0]


def test_the_journal_can_be_read_from_a_time_on_and_by_administrators_only(live, admin, demo):
    live.advance(10)
    admin.nova("GET", "/servers")
    since = live.clock.now()
    requests = admin.send("GET", f"/lab/journal?since={since}").json["requests"]
    assert [(one["method"], one["path"]) for one in requests][-1] == ("GET", "/v2.1/servers")
    assert admin.send("GET", f"/lab/journal?since={since + 1}").json["requests"] == []
    assert admin.send("GET", "/lab/journal?since=now").status == 400
    assert demo.send("GET", "/lab/journal").status == 403


def test_a_post_that_was_accepted_but_answered_with_an_error_is_told_apart():
    lost = Row("fault", lambda asked: asked.action != "", says(Treatment(lost=RefusalError(504, "late"))))
    with LiveCloud(SHAPE, faults=Faults({REQUESTS.name: (lost,)})) as live:
        admin = live.client()
        admin.act(live.server_id("vm-1"), LIVE)
        (post,) = [one for one in admin.send("GET", "/lab/journal").json["requests"] if one["action"]]
        assert (post["status"], post["served"]) == (504, True)
