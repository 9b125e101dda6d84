"""Cortex in a whole lab: a live migration through Nova, and what is left for a real one."""

import json
import stat
from pathlib import Path

import pytest

from lab.apiserver.builtin.kinds import SECRET
from lab.choice import Choice, ChoiceError
from lab.cluster import Cluster
from lab.cortex.kinds import HISTORY, KNOWLEDGE, PIPELINE, RESERVATION
from lab.cortex.real import command
from lab.hypervisor_operator.kinds import HYPERVISOR
from lab.openstack.shape import ServerShape
from lab.profiles import load
from unittests.lab_composition.composed import composed

GI = 2**30


def with_server(**servers):
    """The default profile with these servers: host by name, all of the flavor gp.medium."""
    profile = load("full")
    shapes = tuple(ServerShape(name=name, host=host, flavor="gp.medium") for name, host in servers.items())
    return profile.model_copy(update={"openstack": profile.openstack.model_copy(update={"servers": shapes})})


def slot(lab, name, host, project, vm=None):
    """A slot of 16 GiB that is Ready on a host; with a VM: expected and confirmed in it."""
    expected = {vm: {"creationTimestamp": lab.clock.stamp(), "resources": {"memory": "16Gi", "cpu": "4"}}} if vm else {}
    spec = {
        "type": "CommittedResourceReservation",
        "schedulingDomain": "nova",
        "targetHost": host,
        "resources": {"memory": "16Gi", "cpu": "4"},
        "committedResourceReservation": {
            "projectID": project, "resourceGroup": "gp-v1", "resourceName": "gp.medium", "commitmentUUID": "c-1",
            "allocations": expected,
        },
    }  # fmt: skip
    label = {"reservations.cortex.cloud/type": "committed-resource"}
    lab.api.create(RESERVATION, {"metadata": {"name": name, "labels": label}, "spec": spec})
    ready = {
        "type": "Ready", "status": "True", "reason": "ReservationActive", "message": "",
        "lastTransitionTime": lab.clock.stamp(),
    }  # fmt: skip
    status = {"host": host, "conditions": [ready]}
    if vm:
        status["committedResourceReservation"] = {"allocations": {vm: host}}
    lab.api.patch(RESERVATION, "", name, {"status": status}, subresource="status")


def migrate(lab, server):
    """Ask Nova for a live migration that leaves the host to it, and let it end."""
    cloud = lab.cluster.openstack.cloud
    before = cloud.state.server(server.id).host
    lab.loop.run_until_complete(_post(lab, server))
    lab.clock.advance(300)
    after = cloud.state.server(server.id)
    assert (after.vm_state, after.task_state) == ("active", None)
    assert after.host != before
    return after.host


async def _post(lab, server):
    import aiohttp

    cloud = lab.cluster.openstack
    variables = cloud.variables()
    user = {
        "name": variables["OS_USERNAME"],
        "password": variables["OS_PASSWORD"],
        "domain": {"name": variables["OS_USER_DOMAIN_NAME"]},
    }
    scope = {"project": {"name": variables["OS_PROJECT_NAME"], "domain": {"name": variables["OS_PROJECT_DOMAIN_NAME"]}}}
    auth = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as session:
        async with session.post(f"{variables['OS_AUTH_URL']}/auth/tokens", json=auth) as reply:
            token = reply.headers["X-Subject-Token"]
            catalog = (await reply.json())["token"]["catalog"]
        compute = next(each for each in catalog if each["type"] == "compute")["endpoints"][0]["url"]
        headers = {"X-Auth-Token": token, "OpenStack-API-Version": "compute 2.90"}
        body = {"os-migrateLive": {"host": None, "block_migration": "auto"}}
        async with session.post(f"{compute}/servers/{server.id}/action", json=body, headers=headers) as reply:
            assert reply.status == 202, await reply.text()


def test_the_site_file_says_where_it_is(tmp_path):
    with composed(tmp_path) as lab:
        section = lab.site["cortex"]
        assert section["revision"] == "R3"
        assert section["url"].startswith("http://127.0.0.1:")
        assert section["metrics"].endswith("/metrics")
        assert f"cortex: {section['url']}" in lab.ready.tells
        lab.clock.advance(5)
        assert len(lab.api.list(PIPELINE)) == 4
        [group] = lab.api.get(KNOWLEDGE, "", "flavor-groups")["status"]["raw"]["features"]
        assert [flavor["name"] for flavor in group["flavors"]] == ["gp.large", "gp.medium", "gp.small"]


def test_a_vm_in_a_slot_goes_where_the_slot_can_follow(tmp_path):
    """All hosts are alike for Nova but full, except for a slot on hv-6: the scheduler picks that one."""
    with composed(tmp_path, with_server(vm="hv-1")) as lab:
        [server] = lab.cluster.openstack.cloud.state.servers()
        lab.clock.advance(30)
        assert [each["id"] for each in lab.api.get(HYPERVISOR, "", "hv-1")["status"]["instances"]] == [server.id]
        slot(lab, "c-1-0", "hv-1", server.project_id, vm=server.id)
        slot(lab, "c-1-1", "hv-6", server.project_id)
        for number in (2, 3, 4, 5, 7, 8):  # blocked by a slot of somebody else that leaves too little room
            big = {"resources": {"memory": "500Gi", "cpu": "4"}}
            slot(lab, f"other-{number}", f"hv-{number}", "somebody else")
            lab.api.patch(RESERVATION, "", f"other-{number}", {"spec": big})
        assert migrate(lab, server) == "hv-6"
        history = lab.api.get(HISTORY, "", f"nova-{server.id}")["status"]["current"]
        assert (history["intent"], history["targetHost"]) == ("live_migration", "hv-6")
        asked = lab.cluster.openstack.cloud.searches.asked
        assert [(each.attempt, each.status, each.target) for each in asked] == [(1, 200, "hv-6")]


def test_flavors_that_cortex_does_not_know_move_as_before(tmp_path):
    profile = load("full")
    shapes = (ServerShape(name="vm", host="hv-1"),)
    profile = profile.model_copy(update={"openstack": profile.openstack.model_copy(update={"servers": shapes})})
    with composed(tmp_path, profile) as lab:
        [server] = lab.cluster.openstack.cloud.state.servers()
        lab.clock.advance(30)
        assert migrate(lab, server) == "hv-2"  # the first of the emptiest
        assert lab.api.list(HISTORY) == []
        [asked] = lab.cluster.openstack.cloud.searches.asked
        assert (asked.status, asked.answer) == (400, None)


def test_the_same_seed_the_same_moves(tmp_path):
    def moves(directory):
        with composed(directory, with_server(one="hv-1", two="hv-1"), seed=5) as lab:
            lab.clock.advance(30)
            servers = list(lab.cluster.openstack.cloud.state.servers())
            return [migrate(lab, server) for server in servers]

    assert moves(tmp_path / "a") == moves(tmp_path / "b")


def test_a_real_one_finds_everything(tmp_path):
    with composed(tmp_path, without=frozenset({"cortex"})) as lab:
        lab.clock.advance(30)
        assert "status" not in lab.api.get(PIPELINE, "", "kvm-hana-bin-packing")
        assert "capacity" in lab.api.get(HYPERVISOR, "", "hv-1")["status"]
        assert lab.site["cortex"] == {
            "url": "http://127.0.0.1:8080", "metrics": "http://127.0.0.1:2112/metrics", "revision": None,
        }  # fmt: skip
        conf = json.loads((tmp_path / "cortex" / "conf.json").read_text())
        kinds = conf["apiservers"]["home"]["gvks"]
        assert {"cortex.cloud/v1alpha1/HistoryList", "kvm.cloud.sap/v1/Hypervisor", "v1/Secret"} <= set(kinds)
        assert len(kinds) == len(set(kinds))
        assert set(conf["enabledControllers"]) == {  # what is simulated, too
            "nova-pipeline-controllers",
            "inflight-reservation-controller",
            "committed-resource-reservations-controller",
        }
        assert conf["committedResourceTracking"] is True
        controller = conf["committedResourceReservationController"]
        assert (controller["allocationGracePeriod"], controller["requeueIntervalActive"]) == ("900s", "300s")
        secret = lab.api.get(SECRET, conf["keystoneSecretRef"]["namespace"], conf["keystoneSecretRef"]["name"])
        assert set(secret["data"]) == {
            "url", "availability", "username", "password", "projectName", "userDomainName", "projectDomainName",
        }  # fmt: skip
        assert json.loads((tmp_path / "cortex" / "secrets.json").read_text()) == {}
        assert b"BEGIN CERTIFICATE" in (tmp_path / "cortex" / "tls.crt").read_bytes()
        assert stat.S_IMODE((tmp_path / "cortex" / "tls.key").stat().st_mode) == 0o600
        told = "\n".join(lab.ready.tells)
        assert f"export KUBECONFIG={tmp_path}/admin.kubeconfig" in told
        assert f"--webhook-cert-path={tmp_path}/cortex" in told


def test_the_manual_starts_it_as_the_lab_says():
    manual = (Path(__file__).parents[2] / "docs/plug-in-a-cortex.md").read_text(encoding="utf-8")
    assert set(command(Path("/tmp/lab/cortex")).split()[1:]) <= set(manual.split())


def test_a_real_one_elsewhere(tmp_path):
    with composed(tmp_path, without=frozenset({"cortex"}), cortex_url="http://127.0.0.9:9/") as lab:
        assert lab.site["cortex"]["url"] == "http://127.0.0.9:9"
        assert lab.site["cortex"]["metrics"] == "http://127.0.0.9:2112/metrics"


@pytest.mark.parametrize(
    ("profile", "choice", "expected"),
    [
        ("vgpu", {"without": frozenset({"cortex"})}, "lab profile 'vgpu' has no cortex"),
        ("full", {"externals": {"cortex": "/bin/true"}}, "start it yourself, and say --without cortex"),
        ("full", {"cortex_url": "http://127.0.0.1:8080"}, "say --without cortex too"),
        ("full", {"cortex_url": "localhost", "without": frozenset({"cortex"})}, "--cortex-url localhost is no URL"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(profile, choice, expected):
    with pytest.raises(ChoiceError, match=expected):
        Cluster(Choice(load(profile), **choice))
