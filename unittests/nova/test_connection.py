"""Connections to a cloud: versions, pages, the server's clock, and errors in the suite's own words."""

import socket

import pytest
import yaml

from lab.openstack.shape import CloudShape, HostShape, NovaOptions, ServerShape
from utilities.errors import ApiError, Conflict, Forbidden, NotFound, SiteError, Unreachable
from utilities.nova import connection
from utilities.nova.connection import connect_cloud

from ..lab_openstack.live import LiveCloud

HOSTS = (HostShape(name="node-1"),)


def connected(live):
    return connect_cloud(live.clouds_yaml, "lab", request_timeout=20)


@pytest.mark.parametrize("offered", ["2.90", "2.95"])
def test_requests_go_out_at_the_version_that_is_offered(tmp_path, offered):
    shape = CloudShape(hosts=HOSTS, nova=NovaOptions(microversion=offered), token_lifetime=1e9)
    with LiveCloud(shape, directory=tmp_path) as live, connected(live) as cloud:
        assert cloud.microversion == offered
        assert [host["hypervisor_hostname"] for host in cloud.listed("/os-hypervisors", "hypervisors")]


def test_lists_are_read_to_their_end(tmp_path):
    servers = (ServerShape(name="vm", count=5, host="node-1"),)
    shape = CloudShape(hosts=HOSTS, servers=servers, nova=NovaOptions(max_limit=2), token_lifetime=1e9)
    with LiveCloud(shape, directory=tmp_path) as live, connected(live) as cloud:
        found = list(cloud.listed("/servers/detail", "servers", query={"all_tenants": True}))
    assert sorted(server["name"] for server in found) == [f"vm-{number}" for number in range(1, 6)]


def test_placement_and_images_are_reached(cloud):
    assert len(cloud.placement("GET", "/resource_providers")["resource_providers"]) == 3
    assert cloud.image("GET", "/images")["images"]


@pytest.mark.parametrize(
    ("method", "path", "body", "error", "words"),
    [
        ("GET", "/servers/nobody", None, NotFound, "404 itemNotFound to GET /servers/nobody: Instance nobody could"),
        ("GET", "/os-hypervisors/nobody", None, ApiError, "400 badRequest"),
        ("PUT", "/os-services/nobody", {}, ApiError, "400 badRequest"),
    ],
)
def test_refusals_are_told_in_the_servers_words(cloud, method, path, body, error, words):
    with pytest.raises(error, match=words) as caught:
        cloud.compute(method, path, body=body)
    assert caught.value.next_step


def test_a_stale_generation_is_a_conflict(cloud):
    provider = cloud.placement("GET", "/resource_providers")["resource_providers"][0]["uuid"]
    with pytest.raises(Conflict, match=r"placement\.concurrent_update"):
        cloud.placement(
            "PUT",
            f"/resource_providers/{provider}/traits",
            body={"traits": [], "resource_provider_generation": 99},
        )


def test_what_only_administrators_may_is_forbidden_to_others(live):
    with connect_cloud(live.clouds_yaml, "lab-demo", request_timeout=20) as cloud, pytest.raises(Forbidden):
        cloud.compute("GET", "/os-services")


def test_a_wrong_password_is_an_error_of_the_site_and_stays_secret(live, tmp_path):
    document = yaml.safe_load(live.clouds_yaml.read_text())
    document["clouds"]["lab"]["auth"]["password"] = "open-sesame"
    clouds = tmp_path / "wrong.yaml"
    clouds.write_text(yaml.safe_dump(document))
    with pytest.raises(SiteError, match="rejects the credentials") as caught:
        connect_cloud(clouds, "lab", request_timeout=20)
    assert "open-sesame" not in str(caught.value)


def test_a_cloud_that_is_not_in_the_file_is_named(live, tmp_path):
    with pytest.raises(SiteError, match="nowhere"):
        connect_cloud(live.clouds_yaml, "nowhere", request_timeout=20)
    with pytest.raises(SiteError, match=r"none\.yaml: no such file"):
        connect_cloud(tmp_path / "none.yaml", "lab", request_timeout=20)


def test_nobody_answers(live, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    document = yaml.safe_load(live.clouds_yaml.read_text())
    document["clouds"]["lab"]["auth"]["auth_url"] = f"http://127.0.0.1:{port}/v3"
    clouds = tmp_path / "away.yaml"
    clouds.write_text(yaml.safe_dump(document))
    with pytest.raises(Unreachable):
        connect_cloud(clouds, "lab", request_timeout=20)


def test_a_nova_that_is_too_old_is_refused(live, monkeypatch):
    monkeypatch.setattr(connection, "NEEDED", (2, 99))
    with pytest.raises(SiteError, match=r"up to 2\.95, the suite needs 2\.99"):
        connect_cloud(live.clouds_yaml, "lab", request_timeout=20)


def test_a_token_that_is_no_longer_good_is_renewed(live, cloud):
    before = cloud.compute("GET", "/os-services")
    live.call(live.cloud.tokens.expire_all)
    assert cloud.compute("GET", "/os-services") == before
    live.call(live.cloud.tokens.expire_all)
    assert cloud.fetch(f"{live.url}/lab/journal").body["now"] == live.clock.now()
