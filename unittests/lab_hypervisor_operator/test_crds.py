"""The definitions: defaults, what they refuse and in which words, printer columns (operator sheet §1)."""

from uuid import UUID

import pytest

from lab.apiserver.errors import ApiError
from lab.apiserver.tables.jsonpath import first
from lab.hypervisor_operator.kinds import EVICTION, HYPERVISOR
from unittests.lab_hypervisor_operator.cluster import ADMIN, Cluster


@pytest.fixture
def api():
    return Cluster().api


def hypervisor(name="hv-1", **spec):
    return {"metadata": {"name": name}, "spec": spec}


def eviction(name="e", **spec):
    return {"metadata": {"name": name}, "spec": spec}


def refused(call, *args, **kwargs):
    with pytest.raises(ApiError) as caught:
        call(*args, **kwargs)
    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    return caught.value.message


def test_a_hypervisor_gets_the_defaults(api):
    spec = api.create(HYPERVISOR, hypervisor())["spec"]
    assert spec == {
        "reboot": False,
        "skipTests": False,
        "createCertManagerCertificate": False,
        "evacuateOnReboot": True,
        "lifecycleEnabled": True,
        "highAvailability": True,
        "installCertificate": True,
        "customTraits": [],
        "aggregates": [],
        "allowedProjects": [],
    }


def test_null_for_a_defaulted_list_counts_as_absent(api):
    spec = api.create(HYPERVISOR, hypervisor(customTraits=None, aggregates=None, allowedProjects=None))["spec"]
    assert (spec["customTraits"], spec["aggregates"], spec["allowedProjects"]) == ([], [], [])


def test_status_is_dropped_on_create_and_counts_from_zero(api):
    api.create(EVICTION, {**eviction(hypervisor="hv-1", reason="r"), "status": {"outstandingRamMb": 7}})
    assert "status" not in api.get(EVICTION, "", "e")
    changed = api.patch(EVICTION, "", "e", {"status": {"outstandingInstances": ["u"]}}, subresource="status")
    assert changed["status"] == {"outstandingInstances": ["u"], "outstandingRamMb": 0}
    assert changed["metadata"]["generation"] == 1


@pytest.mark.parametrize("field", ["hypervisor", "reason"])
def test_an_eviction_names_its_hypervisor_and_reason(api, field):
    spec = {"hypervisor": "hv-1", "reason": "r", field: ""}
    text = f'spec.{field}: Invalid value: "": spec.{field} in body should be at least 1 chars long'
    assert (
        refused(api.create, EVICTION, eviction("name", **spec)) == f'Eviction.kvm.cloud.sap "name" is invalid: {text}'
    )
    del spec[field]
    assert f"spec.{field}: Required value" in refused(api.create, EVICTION, eviction("name", **spec))


def test_the_hypervisor_of_an_eviction_stays_and_its_reason_may_change(api):
    api.create(EVICTION, eviction(hypervisor="hv-1", reason="r"))
    changed = api.patch(EVICTION, "", "e", {"spec": {"reason": "another"}})
    assert changed["metadata"]["generation"] == 2
    message = refused(api.patch, EVICTION, "", "e", {"spec": {"hypervisor": "hv-2"}})
    assert message.endswith('spec.hypervisor: Invalid value: "hv-2": Value is immutable')


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"maintenance": "manual"}, "maintenanceReason must be non-empty when maintenance is 'manual'"),
        ({"maintenance": "manual", "maintenanceReason": ""}, "maintenanceReason must be non-empty"),
        ({"maintenance": "later"}, 'supported values: "", "manual", "auto", "ha", "termination"'),
        ({"overcommit": {"cpu": 0.5}}, "overcommit ratios must be >= 1.0"),
        ({"groups": [{}]}, "exactly one group type must be set"),
        ({"groups": [{"trait": {"name": ""}}]}, "should be at least 1 chars long"),
        ({"groups": [{"aggregate": {"name": "a", "uuid": "no"}}]}, "should match '^[0-9a-fA-F]{8}-"),
        (
            {"groups": [{"trait": {"name": "T"}, "aggregate": {"name": "a", "uuid": str(UUID(int=1))}}]},
            "exactly one group type must be set",
        ),
    ],
)
def test_what_a_hypervisor_may_not_say(api, spec, words):
    assert words in refused(api.create, HYPERVISOR, hypervisor(**spec))


def test_termination_can_only_become_ha(api):
    api.create(HYPERVISOR, hypervisor(maintenance="termination", overcommit={"cpu": 1.5}))
    words = "spec is immutable when maintenance is 'termination'; can only change maintenance to 'ha'"
    assert words in refused(api.patch, HYPERVISOR, "", "hv-1", {"spec": {"maintenance": ""}})
    assert words in refused(api.patch, HYPERVISOR, "", "hv-1", {"spec": {"version": "2"}})
    assert api.patch(HYPERVISOR, "", "hv-1", {"spec": {"maintenance": "ha"}})["spec"]["maintenance"] == "ha"


def test_conditions_are_a_map_by_type(api):
    api.create(HYPERVISOR, hypervisor())
    entry = {"type": "A", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    body = {"status": {"conditions": [entry, entry]}}
    assert "Duplicate value" in refused(api.patch, HYPERVISOR, "", "hv-1", body, subresource="status")
    body = {"status": {"conditions": [{**entry, "reason": ""}]}}
    assert "status.conditions[0].reason" in refused(api.patch, HYPERVISOR, "", "hv-1", body, subresource="status")


def test_a_patch_that_changes_nothing_is_no_event(api):
    created = api.create(HYPERVISOR, hypervisor(), caller=ADMIN)
    again = api.patch(HYPERVISOR, "", "hv-1", {"spec": {"reboot": False}}, caller=ADMIN)
    assert again["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]


def test_columns(api):
    columns = {entry.name: entry for entry in api.catalogue.find("kvm.cloud.sap", "v1", "evictions").columns}
    assert list(columns) == ["Hypervisor", "Reason", "State", "Created"]
    condition = {"type": "Evicting", "reason": "Running"}
    assert first({"status": {"conditions": [condition]}}, columns["State"].path) == "Running"
    shown = [entry for entry in api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors").columns if not entry.priority]
    assert [entry.name for entry in shown] == [
        "Ready", "State", "Taint", "Lifecycle", "High Availability", "Skip Tests", "Version", "IP", "Instances", "Age",
    ]  # fmt: skip
