"""The garbage collector: each row of the sheet's table, within a second of product time."""

import pytest

from lab.apiserver.builtin.kinds import CONFIG_MAP, DEPLOYMENT, EVENT, NODE, REPLICA_SET, SECRET
from lab.apiserver.collector import GarbageCollector
from lab.apiserver.options import DeleteOptions
from unittests.apiserver_kinds.objects import workload

FOREGROUND = DeleteOptions(propagation="Foreground")


@pytest.fixture(autouse=True)
def collector(api, runtime):
    GarbageCollector(api).start(runtime)


def owned(api, name, *owners, kind=CONFIG_MAP, namespace="t", **metadata):
    if kind is REPLICA_SET:
        return api.create(REPLICA_SET, workload(name, ownerReferences=list(owners)))
    return api.create(
        kind, {"metadata": {"name": name, "namespace": namespace, "ownerReferences": list(owners), **metadata}}
    )


def ref(owner, block=False, **changed):
    entry = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
             "uid": owner["metadata"]["uid"]}  # fmt: skip
    return {**entry, **({"blockOwnerDeletion": True} if block else {}), **changed}


@pytest.fixture
def node(api):
    return api.create(NODE, {"metadata": {"name": "n1"}})


@pytest.fixture
def secret(api):
    return api.create(SECRET, {"metadata": {"name": "s", "namespace": "t"}})


def names(api, kind=CONFIG_MAP):
    return [obj["metadata"]["name"] for obj in api.list(kind)]


def test_a_dependent_goes_with_its_cluster_scoped_owner_written_with_slash_v1(api, clock, node):
    owned(api, "x", ref(node, apiVersion="/v1"))
    clock.advance(5)
    assert names(api) == ["x"]
    api.delete(NODE, "", "n1")
    clock.advance(1)
    assert names(api) == []


def test_a_wrong_uid_is_a_missing_owner(api, clock, node):
    owned(api, "x", ref(node, uid="other"))
    clock.advance(1)
    assert names(api) == []


def test_one_living_owner_keeps_the_dependent_and_the_dead_reference_goes(api, clock, node, secret):
    owned(api, "x", ref(node), ref(secret))
    api.delete(NODE, "", "n1")
    clock.advance(1)
    assert [owner["kind"] for owner in api.get(CONFIG_MAP, "t", "x")["metadata"]["ownerReferences"]] == ["Secret"]


def test_a_namespaced_owner_is_looked_for_in_the_namespace_of_the_dependent(api, clock, secret):
    owned(api, "x", ref(secret), namespace="u")
    clock.advance(1)
    assert names(api) == []


def test_chains_go_link_by_link_in_the_background(api, clock):
    top = api.create(DEPLOYMENT, workload("d"))
    middle = owned(api, "r", ref(top), kind=REPLICA_SET)
    owned(api, "x", ref(middle))
    api.delete(DEPLOYMENT, "t", "d")
    clock.advance(1)
    assert names(api, REPLICA_SET) == names(api) == []


def test_an_owner_with_a_finalizer_of_its_own_is_alive_until_it_goes(api, clock):
    owner = api.create(SECRET, {"metadata": {"name": "s", "namespace": "t", "finalizers": ["a/b"]}})
    owned(api, "x", ref(owner, block=True))
    api.delete(SECRET, "t", "s")
    clock.advance(1)
    assert names(api) == ["x"]
    api.patch(SECRET, "t", "s", {"metadata": {"finalizers": None}})
    clock.advance(1)
    assert names(api) == []


def test_foreground_waits_for_blocking_dependents(api, clock, secret):
    owned(api, "blocking", ref(secret, block=True), finalizers=["a/b"])
    owned(api, "other", ref(secret))
    held = api.delete(SECRET, "t", "s", options=FOREGROUND)
    assert held["metadata"]["finalizers"] == ["foregroundDeletion"]
    clock.advance(1)
    assert api.get(CONFIG_MAP, "t", "blocking")["metadata"]["deletionTimestamp"]
    assert api.find(SECRET, "t", "s") is not None
    assert "deletionTimestamp" not in api.get(CONFIG_MAP, "t", "other")["metadata"]
    api.patch(CONFIG_MAP, "t", "blocking", {"metadata": {"finalizers": None}})
    clock.advance(1)
    assert api.find(SECRET, "t", "s") is None
    assert names(api) == []


def test_foreground_reaches_through_the_dependents_of_dependents(api, clock):
    top = api.create(DEPLOYMENT, workload("d"))
    middle = owned(api, "r", ref(top, block=True), kind=REPLICA_SET)
    owned(api, "x", ref(middle, block=True), finalizers=["a/b"])
    api.delete(DEPLOYMENT, "t", "d", options=FOREGROUND)
    clock.advance(1)
    assert api.get(REPLICA_SET, "t", "r")["metadata"]["finalizers"] == ["foregroundDeletion"]
    api.patch(CONFIG_MAP, "t", "x", {"metadata": {"finalizers": None}})
    clock.advance(1)
    assert names(api) == names(api, REPLICA_SET) == names(api, DEPLOYMENT) == []


def test_foreground_without_dependents_is_over_at_once(api, clock, secret):
    api.delete(SECRET, "t", "s", options=FOREGROUND)
    clock.advance(1)
    assert api.find(SECRET, "t", "s") is None


def test_a_dependent_that_drops_its_reference_no_longer_blocks(api, clock, secret):
    owned(api, "x", ref(secret, block=True), finalizers=["a/b"])
    api.delete(SECRET, "t", "s", options=FOREGROUND)
    api.patch(CONFIG_MAP, "t", "x", {"metadata": {"ownerReferences": None}})
    clock.advance(1)
    assert api.find(SECRET, "t", "s") is None
    assert names(api) == ["x"]


def test_orphans_lose_the_reference_and_stay(api, clock, secret, node):
    owned(api, "x", ref(secret), ref(node))
    held = api.delete(SECRET, "t", "s", options=DeleteOptions(propagation="Orphan"))
    assert held["metadata"]["finalizers"] == ["orphan"]
    clock.advance(1)
    assert api.find(SECRET, "t", "s") is None
    assert [owner["kind"] for owner in api.get(CONFIG_MAP, "t", "x")["metadata"]["ownerReferences"]] == ["Node"]


def test_an_owner_of_an_unknown_kind_is_left_alone(api, clock, node):
    owned(api, "x", ref(node, apiVersion="example.com/v1", kind="Thing"))
    clock.advance(1)
    assert names(api) == ["x"]


def test_a_cluster_scoped_object_never_goes_with_a_namespaced_owner(api, clock, secret):
    api.create(NODE, {"metadata": {"name": "n2", "ownerReferences": [ref(secret, uid="gone")]}})
    clock.advance(1)
    assert names(api, NODE) == ["n2"]


def test_events_are_not_collected(api, clock, node):
    owned(api, "e", ref(node, uid="gone"), kind=EVENT, namespace="default")
    clock.advance(1)
    assert names(api, EVENT) == ["e"]


def test_what_existed_before_the_collector_is_seen_too(api, runtime, clock, node):
    owned(api, "x", ref(node, uid="gone"))
    GarbageCollector(api, name="second").start(runtime)
    clock.advance(1)
    assert names(api) == []
