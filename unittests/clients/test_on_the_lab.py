"""Clients, waits, recordings and changes on the lab, reached as any site: what the stub server promises holds there."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest
from ocp_resources.config_map import ConfigMap

from utilities.clients import EVENTS, NODES, PODS, Resource, connected, observe_versions
from utilities.errors import Forbidden
from utilities.history import dig
from utilities.reversible import Create, Patch, Reversible, Target, annotation
from utilities.site import load_site
from utilities.watching import Waits, Watched, recording

ROOT = Path(__file__).parents[2]
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
NAMESPACE = "default"
SUBJECT = Target(CONFIG_MAPS, "a", NAMESPACE)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("lab")
    command = [sys.executable, "-m", "lab", "up", "--directory", str(directory), "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as lab:
        try:
            for line in lab.stdout:
                if line.startswith("site: "):
                    yield load_site(Path(line.removeprefix("site: ").strip()))
                    break
            else:
                pytest.fail("the lab did not start")
        finally:
            lab.stdin.close()


@pytest.fixture(scope="module")
def clients(site):
    with connected(site) as found:
        yield found


@pytest.fixture
def waits(site, clients):
    return Waits(clients.admin.rest, site.wall)


@pytest.fixture
def config_map(clients):
    with ConfigMap(client=clients.admin.dynamic, name="a", namespace=NAMESPACE, data={"x": "1"}) as found:
        yield found


def test_versions_are_observed(site, clients):
    versions = observe_versions(clients.admin.rest, site.product)

    assert site.product.gate_for(versions.kubevirt) == "VGPULiveMigration"


def test_the_wrapper_works_with_our_client(config_map):
    assert config_map.exists.data.to_dict() == {"x": "1"}


def test_a_user_without_rights_is_refused(clients):
    with pytest.raises(Forbidden, match='User "tester" cannot list resource "nodes"') as refused:
        clients.unprivileged.rest.list(NODES)

    assert refused.value.reason == "Forbidden"


@pytest.mark.usefixtures("config_map")
def test_changes_are_recorded_and_leave_no_trace(clients, waits):
    before = clients.admin.rest.get(CONFIG_MAPS, "a", NAMESPACE)
    watches = [Watched(CONFIG_MAPS, NAMESPACE), Watched(PODS), Watched(NODES), Watched(EVENTS, NAMESPACE)]
    with ExitStack() as stack:
        recorded = stack.enter_context(recording(clients.admin.rest, watches))
        changes = stack.enter_context(Reversible(waits, deletion=60))
        changes.apply(Patch(SUBJECT, {"data": {"x": None, "y": "2"}}, "other data"))
        changes.apply(annotation(SUBJECT, "a/b", "c", "marked"))
        changes.apply(Create(CONFIG_MAPS, {"metadata": {"generateName": "short-"}}, NAMESPACE))
    after = clients.admin.rest.get(CONFIG_MAPS, "a", NAMESPACE)
    timeline = recorded.timeline
    seen = timeline.steps("ConfigMap", f"{NAMESPACE}/a", lambda obj: obj.get("data"))
    short = [record for record in timeline.of_kind("ConfigMap") if record.key.startswith(f"{NAMESPACE}/short-")]

    assert [step.value for step in seen] == [{"x": "1"}, {"y": "2"}, {"x": "1"}]
    assert [record.change for record in short] == ["added", "deleted"]
    assert (after["data"], after["metadata"].get("annotations")) == (before["data"], None)
    assert timeline.gaps == ()


@pytest.mark.usefixtures("config_map")
def test_a_wait_sees_the_change(clients, waits):
    def change():
        clients.admin.rest.patch(CONFIG_MAPS, "a", {"data": {"x": "2"}}, NAMESPACE)

    changer = Thread(target=change)
    changer.start()
    found = waits.wait_for(
        Watched(CONFIG_MAPS, NAMESPACE, "a"), lambda obj: dig(obj, "data", "x") == "2", expecting="x=2", within=60
    )
    changer.join()

    assert found["data"] == {"x": "2"}
