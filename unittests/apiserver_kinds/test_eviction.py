"""Evictions, the budgets they spend, and bindings."""

import pytest

from lab.apiserver.binding import bind
from lab.apiserver.builtin.disruption import DisruptionController, desired_healthy
from lab.apiserver.builtin.kinds import PDB, POD, REPLICA_SET
from lab.apiserver.errors import ApiError
from lab.apiserver.eviction import evict
from lab.apiserver.options import DeleteOptions, WriteOptions
from unittests.apiserver_kinds import objects as manifests

BINDING = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p1"}, "target": {"kind": "Node", "name": "n2"}}


def body(name="p1", api_version="policy/v1"):
    return {"apiVersion": api_version, "kind": "Eviction", "metadata": {"name": name, "namespace": "t"}}


@pytest.fixture
def pod(api):
    def create(name, ready=True, phase="Running", owner=None, node="n1"):
        owners = {"ownerReferences": [owner]} if owner else {}
        spec = {"nodeName": node} if node else {}
        api.create(POD, manifests.pod(name, spec=spec, labels={"app": "x"}, **owners))
        status = {"phase": phase, "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}
        return api.patch(POD, "t", name, {"status": status}, subresource="status")

    return create


@pytest.fixture
def budget(api, runtime, clock):
    runtime.add(DisruptionController(api))

    def create(name="b", **spec):
        spec = {"selector": {"matchLabels": {"app": "x"}}, **spec}
        api.create(PDB, {"metadata": {"name": name, "namespace": "t"}, "spec": spec})
        clock.advance(1)
        return api.get(PDB, "t", name)["status"]

    return create


@pytest.mark.parametrize("eviction", [body(), body(api_version="policy/v1beta1"), {"metadata": {"name": "p1"}}])
def test_without_a_budget_the_pod_goes(api, pod, eviction):
    pod("p1")
    status = evict(api, "t", "p1", eviction)
    assert status == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    gone = api.get(POD, "t", "p1")
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 30
    target = {entry["type"]: entry for entry in gone["status"]["conditions"]}["DisruptionTarget"]
    assert (target["reason"], target["message"]) == ("EvictionByEvictionAPI", "Eviction API: evicting")


def test_the_delete_options_apply(api, pod):
    pod("p1")
    evict(api, "t", "p1", body(), options=DeleteOptions(grace_period=0))
    assert api.find(POD, "t", "p1") is None


@pytest.mark.parametrize(
    ("eviction", "message"),
    [
        (body("other"), "name in URL does not match name in Eviction object"),
        ({**body(), "apiVersion": "v1"}, 'no kind "Eviction" is registered for version "v1"'),
    ],
)
def test_an_eviction_of_something_else_is_400(api, pod, eviction, message):
    pod("p1")
    with pytest.raises(ApiError) as refused:
        evict(api, "t", "p1", eviction)
    assert (refused.value.code, refused.value.message) == (400, message)


def test_a_missing_pod_is_404(api):
    with pytest.raises(ApiError, match='pods "p1" not found'):
        evict(api, "t", "p1", body())


def test_a_validator_may_veto_before_anything_happens(api, pod):
    before = pod("p1")
    seen = []

    def veto(review):
        seen.append((review.obj["metadata"]["name"], review.obj["metadata"]["namespace"], review.dry_run))
        raise ApiError(429, "TooManyRequests", "not now", {})

    api.admission.validate_with(POD.key, ["CREATE"], veto, "eviction")
    with pytest.raises(ApiError, match="not now"):
        evict(api, "t", "p1", body(), options=DeleteOptions(dry_run=True))
    assert seen == [("p1", "t", True)]
    assert api.get(POD, "t", "p1") == before


def test_a_spent_budget_refuses_without_retry_after(api, pod, budget):
    before = pod("p1")
    assert budget(minAvailable=1)["disruptionsAllowed"] == 0
    with pytest.raises(ApiError) as refused:
        evict(api, "t", "p1", body())
    error = refused.value
    assert (error.code, error.reason, error.retry_after) == (429, "TooManyRequests", None)
    assert error.message == "Cannot evict pod as it would violate the pod's disruption budget."
    assert error.details["causes"] == [
        {"reason": "DisruptionBudget", "message": "The disruption budget b needs 1 healthy pods and has 1 currently"}
    ]
    assert api.get(POD, "t", "p1") == before


def test_an_allowed_disruption_is_spent_at_once_and_recorded(api, pod, budget, clock):
    pod("p1")
    pod("p2")
    assert budget(minAvailable=1)["disruptionsAllowed"] == 1
    evict(api, "t", "p1", body())
    status = api.get(PDB, "t", "b")["status"]
    assert status["disruptionsAllowed"] == 0
    assert status["disruptedPods"] == {"p1": clock.stamp()}
    with pytest.raises(ApiError, match="Cannot evict pod"):
        evict(api, "t", "p2", body("p2"))
    clock.advance(1)
    status = api.get(PDB, "t", "b")["status"]
    assert "disruptedPods" not in status
    assert (status["expectedPods"], status["currentHealthy"], status["disruptionsAllowed"]) == (2, 1, 0)


def test_a_dry_run_spends_nothing(api, pod, budget):
    pod("p1")
    pod("p2")
    budget(minAvailable=1)
    before = api.get(PDB, "t", "b"), api.get(POD, "t", "p1")
    evict(api, "t", "p1", body(), options=DeleteOptions(dry_run=True))
    assert (api.get(PDB, "t", "b"), api.get(POD, "t", "p1")) == before


def test_a_budget_that_is_not_processed_yet_asks_to_retry(api, pod, budget):
    pod("p1")
    budget(minAvailable=0)
    api.patch(PDB, "t", "b", {"spec": {"minAvailable": 1}})
    with pytest.raises(ApiError) as refused:
        evict(api, "t", "p1", body())
    assert refused.value.retry_after == 10
    assert refused.value.details["causes"][0]["message"] == (
        "The disruption budget b is still being processed by the server."
    )


def test_two_budgets_are_one_too_many(api, pod, budget):
    pod("p1")
    budget("b1", minAvailable=0)
    budget("b2", minAvailable=0)
    with pytest.raises(ApiError) as refused:
        evict(api, "t", "p1", body())
    assert (refused.value.code, refused.value.message) == (
        500,
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    )


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_pods_that_serve_nobody_are_not_protected(api, pod, budget, phase):
    pod("p1", ready=False, phase=phase)
    budget(minAvailable=1)
    evict(api, "t", "p1", body())
    left = api.find(POD, "t", "p1")
    assert left is None or left["metadata"]["deletionTimestamp"]


def test_an_unready_pod_may_go_while_enough_others_are_healthy(api, pod, budget):
    pod("p1", ready=False)
    pod("p2")
    assert budget(minAvailable=1)["disruptionsAllowed"] == 0
    evict(api, "t", "p1", body())
    assert api.get(POD, "t", "p1")["metadata"]["deletionTimestamp"]


def test_an_unready_pod_stays_while_the_budget_is_not_met(api, pod, budget):
    pod("p1", ready=False)
    budget(minAvailable=1)
    with pytest.raises(ApiError, match="Cannot evict pod"):
        evict(api, "t", "p1", body())


def test_the_status_of_a_budget(api, pod, budget):
    pod("p1")
    pod("p2", ready=False)
    status = budget(maxUnavailable="50%")
    condition = status.pop("conditions")[0]
    assert status == {"currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 2, "disruptionsAllowed": 0,
                      "observedGeneration": 1}  # fmt: skip
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "DisruptionAllowed", "False", "InsufficientPods",
    )  # fmt: skip


def test_pods_of_a_replica_set_are_expected_by_its_replicas(api, pod, budget):
    owner = api.create(REPLICA_SET, manifests.workload("r", spec={"replicas": 3}))
    ref = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "r",
        "uid": owner["metadata"]["uid"],
        "controller": True,
    }
    pod("p1", owner=ref)
    assert budget(minAvailable="50%")["expectedPods"] == 3


def test_an_evicted_pod_that_does_not_go_counts_again_after_two_minutes(api, pod, budget, clock):
    pod("p1")
    pod("p2")
    budget(minAvailable=1)
    stale = {"status": {"disruptedPods": {"p1": clock.stamp()}}}
    api.patch(PDB, "t", "b", stale, subresource="status")
    clock.advance(1)
    assert api.get(PDB, "t", "b")["status"]["disruptionsAllowed"] == 0
    clock.advance(120)
    assert api.get(PDB, "t", "b")["status"]["disruptionsAllowed"] == 1


@pytest.mark.parametrize(
    ("spec", "expected", "desired"),
    [
        ({"minAvailable": 2}, 5, 2),
        ({"minAvailable": "50%"}, 5, 3),
        ({"maxUnavailable": 1}, 5, 4),
        ({"maxUnavailable": "30%"}, 5, 3),
        ({"maxUnavailable": 9}, 5, 0),
        ({}, 5, 0),
    ],
)
def test_desired_healthy(spec, expected, desired):
    assert desired_healthy(spec, expected) == desired


class TestBinding:
    def test_a_pod_gets_its_node_and_a_condition(self, api, pod, changes, clock):
        pod("p1", node="", phase="Pending")
        seen = changes(POD)
        assert bind(api, "t", "p1", BINDING)["code"] == 201
        bound = api.get(POD, "t", "p1")
        assert bound["spec"]["nodeName"] == "n2"
        assert bound["status"]["conditions"][-1] == {
            "type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": clock.stamp(),
        }  # fmt: skip
        assert [kind for kind, _ in seen] == ["MODIFIED"]

    def test_a_second_binding_is_a_conflict(self, api, pod):
        pod("p1")
        with pytest.raises(ApiError) as refused:
            bind(api, "t", "p1", BINDING)
        assert (refused.value.code, refused.value.message) == (
            409,
            'Operation cannot be fulfilled on pods/binding "p1": pod p1 is already assigned to node "n1"',
        )

    def test_a_target_is_needed(self, api, pod):
        pod("p1", node="")
        with pytest.raises(ApiError) as refused:
            bind(api, "t", "p1", {"target": {"kind": "Minion"}})
        assert refused.value.message == (
            'Binding "p1" is invalid: [target.kind: Unsupported value: "Minion": supported values: "Node", "<empty>", '
            "target.name: Required value]"
        )

    def test_a_dry_run_binds_nothing(self, api, pod):
        before = pod("p1", node="")
        bind(api, "t", "p1", BINDING, options=WriteOptions(dry_run=True))
        assert api.get(POD, "t", "p1") == before
