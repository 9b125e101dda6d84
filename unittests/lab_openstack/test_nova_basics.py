"""Nova's versions, headers and errors on the wire (openstack sheet §2)."""

from email.utils import parsedate_to_datetime

import pytest

from lab.openstack.shape import CloudShape, HostShape, NovaOptions
from unittests.lab_openstack.live import Client, LiveCloud


def test_version_documents(live):
    client = Client(live.url)
    old, new = client.send("GET", "/compute").json["versions"]
    assert (old["id"], old["status"], new["id"], new["status"]) == ("v2.0", "DEPRECATED", "v2.1", "CURRENT")
    assert (new["min_version"], new["version"]) == ("2.1", "2.95")
    assert new["links"] == [{"rel": "self", "href": f"{live.url}/compute/v2.1/"}]
    for path in ("/compute/v2.1", "/compute/v2.1/"):
        assert client.send("GET", path).json["version"]["version"] == "2.95"


def test_headers_are_echoed(live, admin):
    answer = admin.nova("GET", "/servers", version="2.90")
    assert answer.headers["openstack-api-version"] == "compute 2.90"
    assert answer.headers["x-openstack-nova-api-version"] == "2.90"
    assert answer.headers["vary"] == "OpenStack-API-Version, X-OpenStack-Nova-API-Version"
    assert answer.headers["x-openstack-request-id"] == answer.headers["x-compute-request-id"]
    assert answer.headers["x-openstack-request-id"].startswith("req-")


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ({}, "2.1"),
        ({"X-OpenStack-Nova-API-Version": "2.60"}, "2.60"),
        ({"OpenStack-API-Version": "compute latest"}, "2.95"),
        ({"OpenStack-API-Version": "placement 1.39"}, "2.1"),
        ({"OpenStack-API-Version": "compute 2.90", "X-OpenStack-Nova-API-Version": "2.2"}, "2.90"),
    ],
)
def test_which_version_is_asked_for(admin, headers, version):
    answer = admin.send("GET", "/compute/v2.1/servers", **headers)
    assert answer.headers["x-openstack-nova-api-version"] == version


def test_versions_that_are_not_served(admin):
    above = admin.nova("GET", "/servers", version="2.200")
    assert above.status == 406
    assert above.json == {"computeFault": {
        "code": 406,
        "message": "Version 2.200 is not supported by the API. Minimum is 2.1 and maximum is 2.95.",
    }}  # fmt: skip
    bad = admin.nova("GET", "/servers", version="two")
    assert bad.json == {"badRequest": {
        "code": 400,
        "message": "API Version String two is of invalid format. Must be of format MajorNum.MinorNum.",
    }}  # fmt: skip


def test_a_cloud_of_2_90_refuses_2_95():
    shape = CloudShape(hosts=(HostShape(name="n"),), nova=NovaOptions(microversion="2.90"))
    with LiveCloud(shape) as live:
        assert live.client().nova("GET", "/os-hypervisors", version="2.90").status == 200
        assert live.client().nova("GET", "/os-hypervisors", version="2.95").status == 406


def test_a_method_that_is_not_in_this_version(live, admin):
    server = live.server_id("vm-1")
    answer = admin.nova("GET", f"/servers/{server}/migrations", version="2.22")
    assert (answer.status, answer.json["itemNotFound"]["code"]) == (404, 404)
    assert admin.nova("GET", f"/servers/{server}/migrations", version="2.23").status == 200


def test_errors_have_their_name_and_charset(admin):
    answer = admin.nova("GET", "/servers/00000000-0000-4000-8000-000000000000")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert answer.json == {"itemNotFound": {
        "code": 404, "message": "Instance 00000000-0000-4000-8000-000000000000 could not be found.",
    }}  # fmt: skip


def test_what_is_not_simulated_is_said_in_novas_form(admin):
    answer = admin.nova("GET", "/os-keypairs")
    assert answer.status == 501
    assert answer.json == {"notImplemented": {
        "code": 501, "message": "the lab does not simulate GET /compute/v2.1/os-keypairs",
    }}  # fmt: skip
    for path in ("/os-hypervisors", "/os-services"):
        assert admin.nova("GET", path, version="2.50").status == 501


def test_malformed_bodies(live, admin):
    server = live.server_id("vm-1")
    for body in (b"{", b"[]", {}, {"a": 1, "b": 2}):
        answer = admin.act(server, body)
        assert (answer.status, answer.json["badRequest"]["message"]) == (400, "Malformed request body")
    assert admin.act(server, {"explode": None}).json["badRequest"]["message"] == "There is no such action: explode"
    assert admin.act(server, {"rebuild": {}}).status == 501
    assert admin.send("POST", "/compute/v2.1/servers", b"x" * (1 << 20) + b"x").status == 413


def test_replies_are_dated_by_the_clouds_own_clock(live, admin):
    live.advance(1000)
    date = parsedate_to_datetime(admin.nova("GET", "/servers").headers["date"])
    assert date.timestamp() == int(live.clock.now())
