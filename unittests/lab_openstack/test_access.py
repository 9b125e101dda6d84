"""Files and variables that lead to a cloud, and the calls of the operator as they are recorded (sheet §10)."""

import stat

import yaml

from unittests.lab_openstack.conftest import SHAPE
from unittests.lab_openstack.live import Client, LiveCloud


def test_clouds_yaml(tmp_path):
    with LiveCloud(SHAPE, directory=tmp_path / "new") as live:
        assert stat.S_IMODE(live.clouds_yaml.stat().st_mode) == 0o600
        clouds = yaml.safe_load(live.clouds_yaml.read_text())["clouds"]
        assert set(clouds) == {"lab", "lab-manager", "lab-demo"}
        for cloud in clouds.values():
            auth = cloud["auth"]
            assert auth["auth_url"] == f"{live.url}/identity/v3"
            client = Client(live.url)
            client.log_in(auth["username"], auth["password"], auth["project_name"])
            assert client.nova("GET", "/servers").status == 200
        assert "cacert" not in clouds["lab"]


def test_variables(live):
    given = live.variables()
    assert given["OS_AUTH_URL"] == f"{live.url}/identity/v3"
    client = Client(live.url)
    assert client.log_in(given["OS_USERNAME"], given["OS_PASSWORD"], given["OS_PROJECT_NAME"]).status == 201


def both(version: str) -> dict[str, str]:
    """The headers of gophercloud."""
    return {"X-OpenStack-Nova-API-Version": version, "OpenStack-API-Version": f"compute {version}"}


def test_the_calls_of_a_drain_as_the_operator_makes_them(live):
    """gophercloud: straight to the tokens, catalog by type, paths appended to the catalog's URL."""
    client, given = Client(live.url), live.variables()
    token = client.log_in(given["OS_USERNAME"], given["OS_PASSWORD"], given["OS_PROJECT_NAME"]).json["token"]
    urls = {entry["type"]: next(one["url"] for one in entry["endpoints"] if one["interface"] == "public")
            for entry in token["catalog"]}  # fmt: skip
    compute = urls["compute"].removeprefix(live.url)
    placement = urls["placement"].removeprefix(live.url)
    host = live.cloud.state.hosts["node-1"]

    def send(method, path, body=None, version="2.90"):
        return client.send(method, f"{compute}/{path}", body, **both(version))

    found = send("GET", "os-hypervisors/detail?hypervisor_hostname_pattern=node-1", version="2.95").json["hypervisors"]
    assert (found[0]["id"], found[0]["service"]["id"]) == (host.hypervisor_id, host.service_id)
    reason = {"status": "disabled", "disabled_reason": "Hypervisor CRD: spec.maintenance=manual"}
    assert send("PUT", f"os-services/{host.service_id}", reason).status == 200
    queue = send("GET", f"os-hypervisors/{host.hypervisor_id}?with_servers=true").json["hypervisor"]["servers"]
    for entry in queue:
        server = send("GET", f"servers/{entry['uuid']}").json["server"]
        running = server["status"] == "ACTIVE" or server["OS-EXT-STS:power_state"] == 1
        body = {"os-migrateLive": {"block_migration": False, "host": None}} if running else {"migrate": None}
        answer = send("POST", f"servers/{entry['uuid']}/action", body)
        assert answer.status == 202
        assert answer.headers["x-openstack-request-id"]
    live.advance(120)
    stopped = live.server_id("off")
    assert send("GET", f"servers/{stopped}").json["server"]["status"] == "VERIFY_RESIZE"
    assert send("POST", f"servers/{stopped}/action", {"confirmResize": None}).status == 204
    live.advance(10)
    shown = send("GET", f"os-hypervisors/{host.hypervisor_id}?with_servers=true").json["hypervisor"]
    assert shown["servers"] == []
    header = {"OpenStack-API-Version": "placement 1.39"}
    traits = client.send("GET", f"{placement}/resource_providers/{host.hypervisor_id}/traits", **header)
    assert "COMPUTE_STATUS_DISABLED" in traits.json["traits"]
    assert send("PUT", f"os-services/{host.service_id}", {"status": "enabled", "forced_down": False}).status == 200
    sources = {(record.source_compute, record.status) for record in live.cloud.state.records()}
    assert sources == {("node-1", "completed"), ("node-1", "confirmed")}


def test_offboarding(live):
    client, given = Client(live.url), live.variables()
    client.log_in(given["OS_USERNAME"], given["OS_PASSWORD"], given["OS_PROJECT_NAME"])
    found = client.nova("GET", "/os-hypervisors/detail?hypervisor_hostname_pattern=node-3&with_servers=true",
                        version="2.93").json["hypervisors"][0]  # fmt: skip
    assert found["servers"] == []
    assert client.placement("GET", f"/resource_providers/{found['id']}/allocations").json["allocations"] == {}
    assert client.nova("DELETE", f"/os-services/{found['service']['id']}", version="2.93").status == 204
    assert client.placement("GET", f"/resource_providers/{found['id']}").status == 404
