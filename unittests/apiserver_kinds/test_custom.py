"""CustomResourceDefinitions: their life and their rules, through the API."""

import copy

import pytest

from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.resources import Column, ScalePaths
from unittests.apiserver_kinds.custom_checks import conditions, refused
from unittests.apiserver_kinds.hypervisors import SCHEMA, definition

ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


class TestLife:
    def test_a_definition_is_completed_accepted_and_established(self, api, clock, definitions, changes):
        seen = changes(CRD)
        created = api.create(CRD, definition())
        assert created["metadata"]["generation"] == 1
        assert created["spec"]["names"]["singular"] == "hypervisor"
        assert created["spec"]["names"]["listKind"] == "HypervisorList"
        assert created["spec"]["conversion"] == {"strategy": "None"}
        assert created["status"]["storedVersions"] == ["v1"]
        assert api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors") is None
        clock.advance(1)
        found = api.get(CRD, "", "hypervisors.kvm.cloud.sap")
        assert found["status"]["acceptedNames"] == {
            "plural": "hypervisors", "singular": "hypervisor", "shortNames": ["hy"], "kind": "Hypervisor",
            "listKind": "HypervisorList",
        }  # fmt: skip
        assert found["metadata"]["generation"] == 1
        stamp = found["metadata"]["creationTimestamp"]
        assert found["status"]["conditions"] == [
            {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found",
             "lastTransitionTime": stamp},
            {"type": "Established", "status": "True", "reason": "InitialNamesAccepted",
             "message": "the initial names have been accepted", "lastTransitionTime": stamp},
        ]  # fmt: skip
        assert [kind for kind, _ in seen] == ["ADDED", "MODIFIED", "MODIFIED"]

    def test_the_kind_is_served_with_everything_the_version_says(self, hypervisors):
        assert (hypervisors.kind, hypervisors.list_kind_name, hypervisors.singular_name) == (
            "Hypervisor", "HypervisorList", "hypervisor",
        )  # fmt: skip
        assert not hypervisors.namespaced
        assert (hypervisors.custom, hypervisors.generation, hypervisors.unconditional_update) == (True, True, False)
        assert hypervisors.subresources == ("status",)
        assert hypervisors.columns == (Column("Version", "string", ".spec.version"),)

    def test_a_name_that_is_taken_is_refused_until_it_is_free(self, api, clock, definitions, hypervisors):
        rival = definition("hosts")
        api.create(CRD, rival)
        clock.advance(1)
        found = conditions(api, "hosts.kvm.cloud.sap")
        assert found["NamesAccepted"]["reason"] == "ListKindConflict"
        assert found["NamesAccepted"]["message"] == '"HypervisorList" is already in use'
        assert (found["Established"]["status"], found["Established"]["reason"]) == ("False", "NotAccepted")
        assert api.catalogue.find("kvm.cloud.sap", "v1", "hosts") is None
        api.delete(CRD, "", "hypervisors.kvm.cloud.sap")
        clock.advance(1)
        assert conditions(api, "hosts.kvm.cloud.sap")["Established"]["status"] == "True"
        assert api.catalogue.find("kvm.cloud.sap", "v1", "hosts") is not None

    def test_a_deleted_definition_takes_its_objects_along(self, api, clock, definitions, hypervisors):
        api.create(hypervisors, {"metadata": {"name": "h1"}, "spec": {}})
        api.create(hypervisors, {"metadata": {"name": "h2", "finalizers": ["a/b"]}, "spec": {}})
        held = api.delete(CRD, "", "hypervisors.kvm.cloud.sap")
        assert held["metadata"]["deletionTimestamp"]
        assert held["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
        clock.advance(1)
        assert conditions(api)["Terminating"]["reason"] == "InstanceDeletionInProgress"
        assert [obj["metadata"]["name"] for obj in api.list(hypervisors)] == ["h2"]
        error = refused(api.create, hypervisors, {"metadata": {"name": "h3"}, "spec": {}})
        assert (error.code, error.reason) == (405, "MethodNotAllowed")
        api.patch(hypervisors, "", "h2", {"metadata": {"finalizers": None}})
        clock.advance(2)
        assert api.find(CRD, "", "hypervisors.kvm.cloud.sap") is None
        assert api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors") is None

    def test_watches_of_a_kind_that_goes_are_ended(self, api, clock, definitions, hypervisors):
        watch = api.watch(hypervisors)
        api.delete(CRD, "", "hypervisors.kvm.cloud.sap")
        clock.advance(2)
        assert watch.closed

    def test_a_definition_may_come_back(self, api, clock, definitions, hypervisors):
        api.delete(CRD, "", "hypervisors.kvm.cloud.sap")
        clock.advance(2)
        api.create(CRD, definition())
        clock.advance(1)
        assert api.create(hypervisors, {"metadata": {"name": "h1"}, "spec": {}})

    def test_a_definition_that_never_was_established_goes_too(self, api, clock, definitions, hypervisors):
        api.create(CRD, definition("hosts"))
        clock.advance(1)
        api.delete(CRD, "", "hosts.kvm.cloud.sap")
        clock.advance(1)
        assert api.find(CRD, "", "hosts.kvm.cloud.sap") is None

    def test_a_changed_schema_is_live_and_old_objects_show_new_defaults(self, api, clock, definitions, hypervisors):
        old = api.create(hypervisors, {"metadata": {"name": "h1"}, "spec": {}})
        schema = copy.deepcopy(SCHEMA)
        schema["properties"]["spec"]["properties"]["zone"] = {"type": "string", "default": "a"}
        present = api.get(CRD, "", "hypervisors.kvm.cloud.sap")
        present["spec"] = definition(schema={"openAPIV3Schema": schema})["spec"]
        assert api.update(CRD, present)["metadata"]["generation"] == 2
        clock.advance(1)
        now = api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors")
        shown = api.get(now, "", "h1")
        assert shown["spec"]["zone"] == "a"
        assert shown["metadata"]["resourceVersion"] == old["metadata"]["resourceVersion"]

    def test_a_version_says_scale_selectable_fields_and_columns(self, api, definitions):
        column = {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1, "description": "hue"}
        paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
        body = definition(
            "things", "Thing", "example.com",
            schema={"openAPIV3Schema": ANYTHING},
            subresources={"scale": {**paths, "labelSelectorPath": ".status.selector"}},
            additionalPrinterColumns=[column], selectableFields=[{"jsonPath": ".spec.color"}],
        )  # fmt: skip
        api.create(CRD, body)
        definitions.reconcile(("", "things.example.com"))
        served = api.catalogue.find("example.com", "v1", "things")
        assert served.subresources == ("scale",)
        assert served.scale == ScalePaths(".spec.replicas", ".status.replicas", ".status.selector")
        assert served.selectable_fields == ("spec.color",)
        assert served.columns == (Column("Color", "string", ".spec.color", 1, "", "hue"),)
        made = api.create(served, {"metadata": {"name": "x"}, "anything": {"goes": 1}, "status": {"too": 1}})
        assert (made["anything"], made["status"]) == ({"goes": 1}, {"too": 1})

    def test_without_columns_the_age_is_shown(self, api, definitions):
        api.create(CRD, definition(additionalPrinterColumns=[]))
        definitions.reconcile(("", "hypervisors.kvm.cloud.sap"))
        served = api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors")
        assert served.columns == (Column("Age", "date", ".metadata.creationTimestamp"),)


class TestRules:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"metadata": {"name": "other.kvm.cloud.sap"}},
                'metadata.name: Invalid value: "other.kvm.cloud.sap": must be spec.names.plural+"."+spec.group',
            ),
            (
                {"spec": {"scope": "Galaxy"}},
                'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
            ),
            (
                {"spec": {"versions": [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": SCHEMA}}]}},
                "spec.versions: Invalid value: must have exactly one version marked as storage version",
            ),
            (
                {"spec": {"versions": [{"name": "v1", "served": True, "storage": True}]}},
                "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
            ),
        ],
    )
    def test_what_a_definition_may_not_say(self, api, change, message):
        body = definition()
        for part, values in change.items():
            body[part] = {**body[part], **values}
        error = refused(api.create, CRD, body)
        assert (error.code, error.reason, error.details["kind"]) == (422, "Invalid", "CustomResourceDefinition")
        name = body["metadata"]["name"]
        text = f'CustomResourceDefinition.apiextensions.k8s.io "{name}" is invalid: {message}'
        assert error.message == text

    @pytest.mark.parametrize(
        ("version", "field", "reason"),
        [
            (
                {"additionalPrinterColumns": [{"name": "A", "type": "text", "jsonPath": ".a"}]},
                "spec.versions[0].additionalPrinterColumns[0].type",
                "FieldValueNotSupported",
            ),
            (
                {"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".a[?(@.b=1)]"}]},
                "spec.versions[0].additionalPrinterColumns[0].jsonPath",
                "FieldValueInvalid",
            ),
            (
                {"subresources": {"scale": {"specReplicasPath": "replicas", "statusReplicasPath": ".status.replicas"}}},
                "spec.versions[0].subresources.scale.specReplicasPath",
                "FieldValueInvalid",
            ),
            ({"version": "V1"}, "spec.versions[0].name", "FieldValueInvalid"),
        ],
    )
    def test_what_a_version_may_not_say(self, api, version, field, reason):
        error = refused(api.create, CRD, definition(**version))
        assert [(cause["field"], cause["reason"]) for cause in error.details["causes"]] == [(field, reason)]

    def test_some_fields_stay_once_established(self, api, hypervisors):
        present = api.get(CRD, "", "hypervisors.kvm.cloud.sap")
        names = {**present["spec"]["names"], "kind": "Host"}
        spec = {**present["spec"], "scope": "Namespaced", "names": names}
        error = refused(api.update, CRD, {**present, "spec": spec})
        assert [cause["field"] for cause in error.details["causes"]] == ["spec.scope", "spec.names.kind"]
        assert "field is immutable" in error.message

    def test_a_stored_version_stays_listed(self, api, clock, hypervisors):
        present = api.get(CRD, "", "hypervisors.kvm.cloud.sap")
        version = {**present["spec"]["versions"][0], "name": "v2"}
        error = refused(api.update, CRD, {**present, "spec": {**present["spec"], "versions": [version]}})
        assert error.details["causes"][0]["field"] == "status.storedVersions[0]"

    def test_wrong_types_are_refused_as_a_typed_server_does(self, api):
        body = definition()
        body["spec"]["versions"] = "v1"
        error = refused(api.create, CRD, body)
        assert (error.code, error.message) == (
            400,
            'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot '
            "unmarshal string into Go struct field CustomResourceDefinition.spec.versions of type []",
        )
