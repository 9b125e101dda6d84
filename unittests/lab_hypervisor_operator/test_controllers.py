"""Maintenance, readiness, traits and taint (operator sheet §3)."""

import pytest

from lab.apiserver.admission import Caller
from lab.apiserver.errors import conflict
from lab.apiserver.selectors import parse_selector
from lab.controllers.answers import answer
from lab.hypervisor_operator.aggregates import MEMBERSHIP
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from lab.hypervisor_operator.labels import transported
from lab.hypervisor_operator.ready import READINESS
from unittests.lab_hypervisor_operator.drain import Drain, condition
from unittests.lab_hypervisor_operator.nova import SOURCE, failing

KUBECTL = Caller("somebody", ("system:masters",), "kubectl-edit")


def patched(drain, **spec):
    drain.api.patch(HYPERVISOR, "", SOURCE, {"spec": spec})


def changes(drain):
    return [body for _, body in drain.cloud.service_changes]


@pytest.mark.parametrize("value", ["manual", "auto", "termination"])
def test_three_ways_of_maintenance_empty_the_host(value):
    drain = Drain()
    drain.maintain(value)
    drain.clock.advance(2)
    assert changes(drain)[-1] == {"status": "disabled", "disabled_reason": f"Hypervisor CRD: spec.maintenance={value}"}
    found = drain.eviction()
    (owner,) = found["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"], owner["blockOwnerDeletion"]) == (
        "Hypervisor", SOURCE, True, True,
    )  # fmt: skip
    assert found["spec"] == {"hypervisor": SOURCE, "reason": "openstack-hypervisor-operator maintenance"}


def test_ha_leaves_everything_to_the_ha_service():
    drain = Drain()
    before = len(changes(drain))
    drain.maintain("ha")
    drain.clock.advance(2)
    assert len(changes(drain)) == before
    assert drain.eviction() is None
    assert drain.said("Ready", drain.host()) == ("False", "Maintenance", "Hypervisor is in maintenance mode")


def test_the_condition_doubles_as_already_done():
    drain = Drain()
    drain.maintain("manual")
    drain.clock.advance(2)
    asked = len(changes(drain))
    drain.cloud.service["status"] = "enabled"  # by somebody, in Nova
    drain.maintain("auto")
    drain.clock.advance(60)
    assert len(changes(drain)) == asked
    assert drain.cloud.service["status"] == "enabled"


def test_a_refused_change_of_the_service_is_tried_again():
    drain = Drain()
    drain.cloud.intercept = failing("PUT", "/os-services/22222222-2222-4222-8222-222222222222", 503, times=3)
    drain.maintain()
    drain.clock.advance(2)
    assert drain.cloud.service["status"] == "disabled"
    errors = [line for line in drain.log() if "failed to disable hypervisor due to" in line]
    assert len(errors) == 3


def test_nothing_happens_while_it_is_onboarded():
    drain = Drain()
    body = {"status": {"conditions": [condition("Onboarding", True, "Testing", "x")]}}
    drain.api.patch(HYPERVISOR, "", SOURCE, body, subresource="status")
    drain.maintain()
    drain.clock.advance(60)
    assert drain.eviction() is None
    assert drain.said("Ready", drain.host()) == ("False", "Onboarding", "Onboarding in progress: x")


def test_an_eviction_that_is_deleted_is_made_again():
    drain = Drain()
    drain.cloud.add("vm-0")
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    uid = drain.eviction()["metadata"]["uid"]
    drain.api.delete(EVICTION, "", SOURCE)
    drain.clock.advance(2)
    assert drain.eviction()["metadata"]["uid"] != uid


def test_a_success_is_forgotten_in_two_steps():
    drain = Drain()
    drain.drained()
    drain.clock.advance(2)
    seen = []

    def note(change):
        status = change.new.obj["status"]
        seen.append((status.get("evicted"), any(entry["type"] == "Evicting" for entry in status["conditions"])))

    drain.api.listen(HYPERVISOR, note)
    drain.maintain("")
    drain.clock.advance(2)
    assert list(dict.fromkeys(seen)) == [(True, True), (False, True), (False, False)]


def test_a_write_that_met_another_is_made_again():
    drain = Drain()
    drain.cloud.add("vm-0")
    drain.maintain()
    drain.until(lambda: drain.cloud.posts)
    refusals = []

    def meddle(review):
        if review.caller.manager == "eviction" and len(refusals) < 4:
            refusals.append(drain.clock.now())
            raise conflict(EVICTION, SOURCE)

    drain.api.admission.validate_with(EVICTION.key, ("UPDATE",), meddle, "status")
    drain.until(lambda: drain.said("Evicting")[0] == "False")
    assert len(refusals) == 4
    assert ("Succeeded", "Migration of instance vm-0 finished") in drain.told()
    assert 0.05 < refusals[1] - refusals[0] < 0.13
    assert 0.2 < refusals[3] - refusals[2] < 0.31


def test_labels_that_an_eviction_gets():
    labels = {"kubernetes.io/hostname": "a", "topology.kubernetes.io/zone": "z", "x/shard": "1", "y": "2", "other": "3"}
    assert transported(labels, parse_selector(HYPERVISOR, "x/shard in (1,2),!y")) == {
        "kubernetes.io/hostname": "a", "topology.kubernetes.io/zone": "z", "x/shard": "1", "y": "2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "conditions", "expected"),
    [
        ({}, [("Offboarded", "True", "")], ("Offboarded", "Hypervisor has been offboarded")),
        ({}, [("Terminating", "True", "")], ("Terminating", "Hypervisor is terminating")),
        ({"maintenance": "auto"}, [("Evicting", "True", "")], ("Evicting", "Hypervisor is disabled and evicting")),
        ({"maintenance": "auto"}, [("Evicting", "False", "")], ("Evicted", "Hypervisor is disabled and evicted")),
        ({}, [], ("Onboarding", "Onboarding not started: lifecycle management is disabled")),
        ({}, [("Onboarding", "False", "Aborted")], ("Onboarding", "Onboarding was aborted")),
        ({}, [("Onboarding", "False", "Other")], ("Onboarding", "Onboarding not yet completed")),
        ({}, [("Onboarding", "False", "Succeeded")], ("Ready", "Hypervisor is ready")),
    ],
)
def test_readiness(spec, conditions, expected):
    entries = [{"type": kind, "status": status, "reason": reason} for kind, status, reason in conditions]
    said = answer(READINESS, {"spec": spec, "status": {"conditions": entries}})
    assert (said["reason"], said["message"]) == expected


def test_custom_traits_go_to_placement_and_come_back():
    drain = Drain()
    patched(drain, customTraits=["CUSTOM_B", "CUSTOM_A"])
    drain.clock.advance(2)
    assert drain.cloud.traits == ["COMPUTE_NODE", "CUSTOM_A", "CUSTOM_B"]
    assert drain.host()["status"]["traits"] == drain.cloud.traits
    assert drain.said("TraitsUpdated", drain.host()) == ("True", "Succeeded", "Traits successfully updated")
    patched(drain, customTraits=["CUSTOM_A"])
    drain.clock.advance(2)
    assert drain.cloud.traits == ["COMPUTE_NODE", "CUSTOM_A"]


def test_traits_that_cannot_be_written():
    drain = Drain()
    drain.cloud.intercept = failing("PUT", "/traits", 409, times=2)
    patched(drain, customTraits=["CUSTOM_A"])
    seen = []
    drain.api.listen(HYPERVISOR, lambda change: seen.append(drain.said("TraitsUpdated", change.new.obj)))
    drain.clock.advance(2)
    assert any(said[2].startswith("Failed to update traits in placement: Expected HTTP") for said in seen)
    assert drain.said("TraitsUpdated", drain.host())[0] == "True"


@pytest.mark.parametrize("spec", [{"lifecycleEnabled": False}, {"maintenance": "termination"}])
def test_traits_are_left_alone(spec):
    drain = Drain()
    patched(drain, customTraits=["CUSTOM_A"], **spec)
    drain.clock.advance(15)
    assert drain.cloud.traits == ["COMPUTE_NODE"]


def test_kubectl_taints():
    drain = Drain()
    assert drain.said("Tainted", drain.host()) == ("False", "NoKubectl", "🟢")
    drain.api.patch(HYPERVISOR, "", SOURCE, {"spec": {"version": "2"}}, caller=KUBECTL)
    drain.clock.advance(1)
    assert drain.said("Tainted", drain.host()) == ("True", "Kubectl", "⚠️")


def test_an_expired_token_is_renewed_once():
    drain = Drain()
    drain.cloud.add("vm-0")
    asked = drain.cloud.logins
    drain.cloud.intercept = failing("GET", "/servers/vm-0", 401)
    drain.drained()
    assert drain.cloud.logins == asked + 1
    assert drain.said("Evicting")[1] == "Succeeded"


def test_a_quiet_hypervisor_is_left_in_peace():
    drain = Drain()
    drain.clock.advance(5)
    version, asked = drain.host()["metadata"]["resourceVersion"], len(drain.cloud.requests)
    drain.clock.advance(120)
    assert drain.host()["metadata"]["resourceVersion"] == version
    assert len(drain.cloud.requests) == asked


def test_memberships_follow_the_spec():
    drain = Drain()
    zone, old = (
        {"id": 1, "uuid": "u-1", "name": "zone-a", "hosts": []},
        {"id": 2, "uuid": "u-2", "name": "old", "hosts": [SOURCE]},
    )
    drain.cloud.aggregates = [zone, old]
    patched(drain, aggregates=["zone-a"])
    drain.clock.advance(2)
    assert (zone["hosts"], old["hosts"]) == ([SOURCE], [])
    assert drain.host()["status"]["aggregates"] == [{"name": "zone-a", "uuid": "u-1", "metadata": {}}]
    told = ("True", "Succeeded", "Aggregates from spec applied successfully")
    assert drain.said("AggregatesUpdated", drain.host()) == told


def test_an_aggregate_that_is_not_there():
    drain = Drain()
    patched(drain, aggregates=["nowhere"])
    drain.clock.advance(2)
    told = ("False", "Failed", "failed to apply aggregates: aggregates not found: [nowhere]")
    assert drain.said("AggregatesUpdated", drain.host()) == told


@pytest.mark.parametrize(("evicting", "why"), [("True", "EvictionInProgress"), ("False", "Terminating")])
def test_memberships_end_after_a_termination(evicting, why):
    obj = {
        "metadata": {"name": SOURCE},
        "spec": {"maintenance": "termination", "aggregates": ["a"]},
        "status": {"aggregates": [{"name": "a"}], "conditions": [{"type": "Evicting", "status": evicting}]},
    }
    wanted = answer(MEMBERSHIP, obj)
    assert (wanted.names, wanted.condition["reason"]) == (("a",) if evicting == "True" else (), why)


def test_memberships_during_onboarding():
    told = {"type": "Onboarding", "status": "True", "reason": "Handover"}
    labels = {"topology.kubernetes.io/zone": "zone-a"}
    obj = {"metadata": {"labels": labels}, "spec": {"aggregates": ["a"]}, "status": {"conditions": [told]}}
    assert answer(MEMBERSHIP, obj).names == ("zone-a", "tenant_filter_tests")
    told["reason"] = "Testing"
    assert answer(MEMBERSHIP, obj).condition["reason"] == "TestAggregates"


def test_a_label_selector_leaves_hypervisors_to_others():
    drain = Drain()
    drain.arguments.append("--label-selector=shard=1")
    drain.restart()
    drain.maintain()
    drain.clock.advance(5)
    assert drain.eviction() is None
    drain.api.patch(HYPERVISOR, "", SOURCE, {"metadata": {"labels": {"shard": "1"}}})
    drain.clock.advance(5)
    assert drain.eviction()["metadata"]["labels"] == {"shard": "1"}
