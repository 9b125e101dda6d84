"""Faults of Nova break what they say, for the operator alone."""

import pytest

from lab.controllers.decisions import Faults
from lab.faults.fault import together
from lab.faults.nova import DISABLED_HOST_CHOSEN, REPLIES_LOST, UNREADABLE
from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import LiveCloud

LIVE = {"os-migrateLive": {"host": None, "block_migration": False}}
OPERATOR = {"User-Agent": "gophercloud/v2.13.0"}


@pytest.mark.parametrize("rows", [{}, UNREADABLE], ids=["sound", "broken"])
def test_a_server_in_flight_that_the_operator_cannot_read(rows):
    with LiveCloud(SHAPE, faults=Faults(rows)) as live:
        operator, admin, server = live.client(**OPERATOR), live.client(), live.server_id("vm-1")
        assert operator.nova("GET", f"/servers/{server}").status == 200
        admin.act(server, LIVE)
        assert operator.nova("GET", f"/servers/{server}").status == (503 if rows else 200)
        assert admin.nova("GET", f"/servers/{server}").status == 200
        live.advance(60)
        assert operator.nova("GET", f"/servers/{server}").status == 200


@pytest.mark.parametrize("rows", [{}, REPLIES_LOST], ids=["sound", "broken"])
def test_a_request_of_the_operator_that_is_accepted_and_not_answered(rows):
    with LiveCloud(SHAPE, faults=Faults(rows)) as live:
        operator, server, other = live.client(**OPERATOR), live.server_id("vm-1"), live.server_id("vm-2")
        assert operator.act(server, LIVE).status == (504 if rows else 202)
        assert operator.nova("GET", f"/servers/{server}").json["server"]["status"] == "MIGRATING"
        assert operator.act(server, LIVE).status == 409  # the second one is answered
        assert live.client().act(other, LIVE).status == 202


@pytest.mark.parametrize("faults", [[], [DISABLED_HOST_CHOSEN]], ids=["sound", "broken"])
def test_a_disabled_host_as_target(faults):
    with LiveCloud(SHAPE, faults=together(faults)) as live:
        admin, server = live.client(), live.server_id("vm-1")
        for service in admin.nova("GET", "/os-services?binary=nova-compute").json["services"]:
            if service["host"] == "node-3":
                admin.nova("PUT", f"/os-services/{service['id']}", {"status": "disabled"})
        admin.act(server, LIVE)
        live.advance(60)
        (record,) = admin.nova("GET", "/os-migrations").json["migrations"]
        assert record["dest_compute"] == ("node-3" if faults else "node-2")
