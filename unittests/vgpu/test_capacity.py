"""Free devices are counted by the scheduler's rule; what a site offers is what its free devices allow."""

from types import SimpleNamespace

import pytest

from utilities.errors import Blocked
from utilities.plugin.sites import OpenSite
from utilities.vgpu.capabilities import capabilities
from utilities.vgpu.capacity import free, occupied, offered

from ..kubevirt.acting import MemoryRest, Remembering

VGPU, WHOLE = "nvidia.com/GRID_T4_2Q", "nvidia.com/TU104GL_Tesla_T4"
GPU_NODES = "nvidia.com/gpu.present=true"


def node(name, unschedulable=False, **allocatable):
    counts = {resource: allocatable[key] for key, resource in (("vgpu", VGPU), ("whole", WHOLE)) if key in allocatable}
    return {
        "metadata": {"name": name},
        "spec": {"unschedulable": True} if unschedulable else {},
        "status": {"allocatable": {"cpu": "8", **counts}},
    }


def pod(where, *containers, phase="Running"):
    return {
        "metadata": {"name": "p"},
        "spec": {"nodeName": where, "containers": list(containers)},
        "status": {"phase": phase},
    }


def asking(count, kind="requests", resource=VGPU):
    return {"name": "c", "resources": {kind: {resource: count}}}


def cluster(*pods, nodes=None):
    nodes = nodes or [node("one", vgpu="8"), node("two", vgpu="4", whole="1"), node("three")]
    return MemoryRest({}, {"nodes": nodes, "pods": list(pods)})


def test_nodes_without_devices_offer_nothing():
    assert offered(cluster(), VGPU) == {"one": 8, "two": 4}
    assert offered(cluster(), WHOLE) == {"two": 1}


def test_a_cordoned_node_offers_nothing():
    assert offered(cluster(nodes=[node("one", unschedulable=True, vgpu="8"), node("two", vgpu="4")]), VGPU) == {
        "two": 4
    }


@pytest.mark.parametrize(
    ("pods", "left"),
    [
        ([], {"one": 8, "two": 4}),
        ([pod("one", asking("1"), asking("2"))], {"one": 5, "two": 4}),
        ([pod("one", asking("1", "limits"))], {"one": 7, "two": 4}),
        ([pod("one", asking("1")), pod("two", asking("3"), phase="Pending")], {"one": 7, "two": 1}),
        ([pod("one", asking("1"), phase="Succeeded"), pod("one", asking("1"), phase="Failed")], {"one": 8, "two": 4}),
        ([pod(None, asking("1"), phase="Pending")], {"one": 8, "two": 4}),
        ([pod("one", asking("1", resource=WHOLE)), pod("one", {"name": "c"})], {"one": 8, "two": 4}),
        ([pod("two", asking("9"))], {"one": 8, "two": 0}),
    ],
)
def test_free_is_what_no_unfinished_pod_holds(pods, left):
    assert free(cluster(*pods), VGPU) == left


def test_occupying_takes_every_free_device_but_on_one_node():
    actor = Remembering(
        cluster(pod("two", asking("1")), nodes=[node(name, vgpu="4") for name in ("one", "two", "three")])
    )
    with occupied(actor, "qa", VGPU, but="three"):
        taken = {made.body["metadata"]["name"]: made.body["spec"] for what, made in actor.changes if what == "made"}
    limits = {name: spec["containers"][0]["resources"]["limits"] for name, spec in taken.items()}
    assert limits == {"filler-one": {VGPU: "4"}, "filler-two": {VGPU: "3"}}
    assert taken["filler-one"]["nodeSelector"] == {"kubernetes.io/hostname": "one"}
    assert [what for what, _ in actor.changes] == ["made", "made", "undone", "undone"]


@pytest.mark.parametrize(
    ("leaving", "taken"),
    [
        (0, {"filler-one": "4", "filler-two": "3"}),
        (2, {"filler-one": "2", "filler-two": "3"}),
        (5, {"filler-two": "2"}),
        (9, {}),
    ],
)
def test_some_may_be_left_where_there_are_most(leaving, taken):
    nodes = [node(name, vgpu="4") for name in ("one", "two", "three")]
    actor = Remembering(cluster(pod("two", asking("1")), nodes=nodes))
    with occupied(actor, "qa", VGPU, but="three", leaving=leaving):
        made = {made.body["metadata"]["name"]: made.body["spec"] for what, made in actor.changes if what == "made"}
    assert {name: spec["containers"][0]["resources"]["limits"][VGPU] for name, spec in made.items()} == taken


def offering(rest, passthrough=WHOLE, unprivileged=None):
    gpu = SimpleNamespace(nodes=GPU_NODES, profile=SimpleNamespace(resource=VGPU), passthrough=passthrough)
    site = SimpleNamespace(gpu=gpu, kubernetes=SimpleNamespace(unprivileged=unprivileged))
    return capabilities(SimpleNamespace(site=site, rest=rest))


def test_only_labelled_nodes_with_a_free_device_count():
    rest = cluster(pod("one", asking("8")))
    assert offering(rest) == {"gpu_nodes": 1, "vgpus": 4, "passthrough": 1, "unprivileged": 0}
    rest.lists["nodes", GPU_NODES] = [node("one", vgpu="8")]
    assert offering(rest) == {"gpu_nodes": 0, "vgpus": 0, "passthrough": 1, "unprivileged": 0}


def test_what_the_site_does_not_name_it_does_not_offer():
    found = offering(cluster(), passthrough=None, unprivileged="tester")
    assert (found["passthrough"], found["unprivileged"]) == (0, 1)


@pytest.fixture
def site():
    """A site that offers one vGPU on one node, and nothing else."""
    opened = OpenSite(None)
    opened.__dict__["site"] = SimpleNamespace(name="my-site")
    opened.__dict__["capabilities"] = {"gpu_nodes": 1, "vgpus": 1, "passthrough": 0}
    return opened


@pytest.mark.parametrize("needs", [{}, {"gpu_nodes": 1}, {"gpu_nodes": 1, "vgpus": 1}, {"passthrough": 0}])
def test_needs_that_are_met(site, needs):
    site.require(needs)


@pytest.mark.parametrize(
    ("needs", "missing"),
    [
        ({"gpu_nodes": 2}, "gpu_nodes 2 (offers 1)"),
        ({"gpu_nodes": 1, "vgpus": 2, "passthrough": True}, "vgpus 2 (offers 1), passthrough True (offers 0)"),
        ({"teleport": 1}, "teleport 1 (offers 0)"),
    ],
)
def test_needs_that_are_not_met_block(site, needs, missing):
    with pytest.raises(Blocked) as blocked:
        site.require(needs)
    assert blocked.value.what == f"site my-site lacks {missing}"
