"""The definitions: what they require, prune, default and show (cortex sheet §1)."""

import pytest

from lab.apiserver.errors import ApiError
from lab.cortex.crds import DEFINITIONS
from lab.cortex.kinds import (
    COMMITTED_RESOURCE,
    DECISION,
    DESCHEDULING,
    FLAVOR_GROUP_CAPACITY,
    HISTORY,
    KNOWLEDGE,
    PIPELINE,
    PROJECT_QUOTA,
    RESERVATION,
)
from unittests.lab_cortex.cluster import Cluster

AGREED = {
    "amount": "64Gi", "availabilityZone": "az-1", "commitmentUUID": "c", "domainID": "d", "flavorGroupName": "g",
    "projectID": "p", "resourceType": "memory", "state": "confirmed",
}  # fmt: skip
REQUIRED = (
    (RESERVATION, {"type": "FailoverReservation"}),
    (COMMITTED_RESOURCE, AGREED),
    (PIPELINE, {"schedulingDomain": "nova", "type": "filter-weigher"}),
    (DECISION, {"pipelineRef": {"name": "x"}, "resourceID": "r", "schedulingDomain": "nova"}),
    (HISTORY, {"resourceID": "r", "schedulingDomain": "nova"}),
    (KNOWLEDGE, {"schedulingDomain": "nova"}),
    (FLAVOR_GROUP_CAPACITY, {"flavorGroup": "g", "availabilityZone": "az-1"}),
    (PROJECT_QUOTA, {"projectID": "p", "domainID": "d", "availabilityZone": "az-1"}),
    (DESCHEDULING, {}),
)


@pytest.fixture(scope="module")
def api():
    return Cluster().api


def body(spec, name="x"):
    return {"metadata": {"name": name}, "spec": spec}


def refused(call, *args, **kwargs):
    with pytest.raises(ApiError) as caught:
        call(*args, **kwargs)
    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    return caught.value.message


def test_every_kind_is_served(api):
    assert len(DEFINITIONS) == len(REQUIRED)
    for resource, _ in REQUIRED:
        served = api.catalogue.find("cortex.cloud", "v1alpha1", resource.plural)
        assert (served.kind, served.namespaced, served.subresources) == (resource.kind, False, ("status",))
        assert served.selectable_fields == resource.selectable_fields


@pytest.mark.parametrize(("resource", "spec"), REQUIRED, ids=lambda value: getattr(value, "kind", ""))
def test_what_a_spec_requires(api, resource, spec):
    assert "spec: Required value" in refused(api.create, resource, {"metadata": {"name": "none"}})
    for field in spec:
        part = {key: value for key, value in spec.items() if key != field}
        assert f"spec.{field}: Required value" in refused(api.create, resource, body(part))
    created = api.create(resource, {**body(spec, "whole"), "status": {"host": "dropped"}})
    assert "status" not in created
    assert created["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    ("resource", "spec", "words"),
    [
        (
            RESERVATION,
            {"type": "Other"},
            '"CommittedResourceReservation", "FailoverReservation", "InFlightReservation"',
        ),
        (COMMITTED_RESOURCE, {**AGREED, "resourceType": "disk"}, '"memory", "cores"'),
        (COMMITTED_RESOURCE, {**AGREED, "state": "gone"}, '"planned", "pending", "guaranteed", "confirmed"'),
        (COMMITTED_RESOURCE, {**AGREED, "amount": "much"}, "spec.amount"),
        (PIPELINE, {"schedulingDomain": "nova", "type": "other"}, '"filter-weigher", "detector"'),
        (PIPELINE, {"schedulingDomain": "nova", "type": "detector", "filters": [{}]}, "spec.filters[0].name"),
        (PROJECT_QUOTA, {"projectID": "p", "domainID": "d", "availabilityZone": ""}, "at least 1 chars"),
        (
            RESERVATION,
            {
                "type": "CommittedResourceReservation",
                "committedResourceReservation": {"allocations": {"vm": {"resources": {}}}},
            },
            "allocations.vm.creationTimestamp: Required value",
        ),
    ],
)
def test_what_is_refused(api, resource, spec, words):
    assert words in refused(api.create, resource, body(spec))


def test_defaults(api):
    assert api.get(KNOWLEDGE, "", "whole")["spec"]["recency"] == "60s"
    assert api.get(PIPELINE, "", "whole")["spec"]["ignorePreselection"] is False


def test_a_field_that_no_schema_knows_is_dropped(api):
    spec = {"schedulingDomain": "nova", "type": "filter-weigher", "createHistory": False}
    assert "createHistory" not in api.create(PIPELINE, body(spec, "pruned"))["spec"]


def test_a_request_is_kept_as_it_is(api):
    raw = {"spec": {"nova_object.data": {"scheduler_hints": {"x": ["y"]}}}, "weights": {"a": 0.5}}
    spec = {"pipelineRef": {"name": "p"}, "resourceID": "kept", "schedulingDomain": "nova", "novaRaw": raw}
    api.create(DECISION, body(spec, "kept"))
    [found] = api.list(DECISION, fields="spec.resourceID=kept")
    assert found["spec"]["novaRaw"] == raw


def test_a_history_keeps_three_hosts(api):
    api.create(HISTORY, body({"resourceID": "v", "schedulingDomain": "nova"}, "nova-v"))
    current = {
        "timestamp": "2026-01-01T00:00:00Z", "pipelineRef": {"name": "p"}, "intent": "create", "successful": True,
        "orderedHosts": ["a", "b", "c", "d"],
    }  # fmt: skip
    words = refused(api.patch, HISTORY, "", "nova-v", {"status": {"current": current}}, subresource="status")
    assert "status.current.orderedHosts" in words


def test_columns(api):
    shown = {
        resource.kind: [
            entry.name
            for entry in api.catalogue.find("cortex.cloud", "v1alpha1", resource.plural).columns
            if not entry.priority
        ]
        for resource, _ in REQUIRED
    }
    assert shown["Reservation"] == ["Type", "Host", "Ready", "ResourceGroup", "Project", "AZ", "EndTime"]
    assert shown["Pipeline"] == ["Created", "Domain", "Type", "All Steps Ready", "All Steps Known", "Pipeline Ready"]
    assert shown["Decision"] == ["Domain", "Resource ID", "#", "Created", "Pipeline", "TargetHost", "Ready"]
    assert shown["History"] == ["Domain", "Resource ID", "AZ", "Target Host", "Status", "Last Scheduled", "Created"]
    assert shown["CommittedResource"] == [
        "Project", "FlavorGroup", "ResourceType", "AZ", "Amount", "State", "Ready",
    ]  # fmt: skip
    assert shown["Knowledge"] == ["Domain", "Created", "Extracted", "Changed", "Recency", "Features", "Ready"]
    assert shown["FlavorGroupCapacity"] == ["Group", "AZ", "Running", "Avail", "Ready", "Reconciled"]
    assert shown["ProjectQuota"] == ["Project", "AZ", "Domain", "LastReconcile", "Ready"]
