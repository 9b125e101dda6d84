"""Nodes are cordoned for a while, and all but one when VMs are to start there."""

import pytest

from utilities.drains.cordons import cordoned, only, tainted, uncordon
from utilities.errors import SiteError

from ..kubevirt.acting import MemoryRest, Remembering
from ..vgpu.test_capacity import VGPU, cluster, node


def test_cordons_are_taken_back():
    actor = Remembering(MemoryRest())
    with cordoned(actor, "one", "two"):
        assert [str(change.target) for _, change in actor.changes] == ["Node one", "Node two"]
    assert [what for what, _ in actor.changes] == ["made", "made", "undone", "undone"]


def test_only_nodes_that_offer_the_resource_are_cordoned():
    actor = Remembering(cluster(nodes=[node(name, vgpu="4") for name in ("one", "two")] + [node("three")]))
    with only(actor, "one", VGPU):
        assert [str(change.target) for _, change in actor.changes] == ["Node two"]


def test_a_node_without_the_resource_is_refused():
    with pytest.raises(SiteError, match="node three offers no nvidia"), only(Remembering(cluster()), "three", VGPU):
        pass


def test_a_taint_is_one_more():
    rest = MemoryRest({("nodes", "one"): {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}})
    actor = Remembering(rest)
    with tainted(actor, "one"):
        ((_, change),) = actor.changes
    taints = change.body(rest.objects["nodes", "one"])["spec"]["taints"]
    assert taints == [{"key": "a", "effect": "NoSchedule"}, {"key": "kubevirt.io/drain", "effect": "NoSchedule"}]
    assert change.body({"spec": {}})["spec"]["taints"] == taints[1:]
    assert [what for what, _ in actor.changes] == ["made", "undone"]


def test_uncordoning_is_a_patch():
    rest = MemoryRest()
    uncordon(Remembering(rest), "one")
    assert rest.written == [("patch", "nodes", "one", {"spec": {"unschedulable": None}}, None)]
