"""CustomResourceDefinitions and the objects they define, through the API."""

import copy

import pytest

from lab.apiserver import deletion
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.errors import ApiError
from lab.apiserver.options import WriteOptions
from lab.apiserver.replies import Reply
from lab.apiserver.resources import Column, ScalePaths
from unittests.apiserver_kinds.hypervisors import SCHEMA, definition

ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture
def hypervisors(api, clock, definitions):
    """The established kind."""
    api.create(CRD, definition())
    clock.advance(2)
    return api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors")


def refused(action, *args, **kwargs):
    with pytest.raises(ApiError) as caught:
        action(*args, **kwargs)
    return caught.value


def conditions(api, name="hypervisors.kvm.cloud.sap"):
    return {entry["type"]: entry for entry in api.get(CRD, "", name)["status"]["conditions"]}


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


class TestObjects:
    def test_status_is_for_its_subresource_only(self, api, hypervisors):
        made = api.create(hypervisors, {"metadata": {"name": "h"}, "spec": {}, "status": {"hypervisorId": "1"}})
        assert "status" not in made
        assert made["metadata"]["generation"] == 1
        body = {"status": {"hypervisorId": "1"}, "spec": {"version": "v9"}}
        made = api.patch(hypervisors, "", "h", body, subresource="status")
        assert made["status"] == {"hypervisorId": "1", "numInstances": 0}
        assert "version" not in made["spec"]
        assert made["metadata"]["generation"] == 1
        made = api.patch(hypervisors, "", "h", {"spec": {"version": "v2"}, "status": {"hypervisorId": "2"}})
        assert made["metadata"]["generation"] == 2
        assert made["status"]["hypervisorId"] == "1"

    def test_defaults_come_before_required_and_through_empty_parents(self, api, hypervisors):
        made = api.create(hypervisors, {"metadata": {"name": "h"}, "spec": {"customTraits": None}})
        assert made["spec"] == {
            "reboot": False, "lifecycleEnabled": True, "customTraits": [], "limits": {"parallel": 2},
        }  # fmt: skip

    def test_unknown_fields_are_pruned_warned_about_or_refused(self, api, hypervisors):
        body = {"metadata": {"name": "h"}, "spec": {"foo": 1}}
        strict = WriteOptions(field_validation="Strict")
        error = refused(api.create, hypervisors, body, options=strict)
        assert error.code == 400
        assert error.message.endswith('strict decoding error: unknown field "spec.foo"')
        reply = Reply()
        assert "foo" not in api.create(hypervisors, body, reply=reply)["spec"]
        assert reply.warnings == ['unknown field "spec.foo"']

    @pytest.mark.parametrize(
        ("spec", "field", "reason", "message"),
        [
            (
                {"maintenance": "later"},
                "spec.maintenance",
                "FieldValueNotSupported",
                'Unsupported value: "later": supported values: "", "manual", "auto", "ha", "termination"',
            ),
            (
                {"version": "9"},
                "spec.version",
                "FieldValueInvalid",
                "Invalid value: \"9\": spec.version in body should match '^v[0-9]+$'",
            ),
            (
                {"hypervisor": ""},
                "spec.hypervisor",
                "FieldValueInvalid",
                'Invalid value: "": spec.hypervisor in body should be at least 1 chars long',
            ),
            (
                {"limits": {"parallel": 0}},
                "spec.limits.parallel",
                "FieldValueInvalid",
                "Invalid value: 0: spec.limits.parallel in body should be greater than or equal to 1",
            ),
            (
                {"overcommit": {"cpu": 0.5}},
                "spec.overcommit",
                "FieldValueInvalid",
                "Invalid value: overcommit ratios must be >= 1.0",
            ),
            (
                {"maintenance": "manual"},
                "spec",
                "FieldValueInvalid",
                "Invalid value: maintenanceReason must be non-empty when maintenance is 'manual'",
            ),
        ],
    )
    def test_one_violation(self, api, hypervisors, spec, field, reason, message):
        error = refused(api.create, hypervisors, {"metadata": {"name": "h"}, "spec": spec})
        assert (error.code, error.reason, error.details["kind"]) == (422, "Invalid", "Hypervisor")
        assert error.details["causes"][0] == {"reason": reason, "message": message, "field": field}
        if reason == "FieldValueInvalid":
            assert error.message == f'Hypervisor.kvm.cloud.sap "h" is invalid: {field}: {message}'

    def test_rules_are_not_checked_on_a_broken_object(self, api, hypervisors):
        error = refused(api.create, hypervisors, {"metadata": {"name": "h"}, "spec": {"reboot": "no"}})
        assert [(cause["field"], cause["reason"]) for cause in error.details["causes"]] == [
            ("spec.reboot", "FieldValueTypeInvalid"), ("<nil>", "FieldValueInvalid"),
        ]  # fmt: skip
        assert "some validation rules were not checked because the object was invalid" in error.message

    def test_an_immutable_field(self, api, hypervisors):
        api.create(hypervisors, {"metadata": {"name": "h"}, "spec": {"hypervisor": "h1", "overcommit": {"cpu": 1}}})
        api.patch(hypervisors, "", "h", {"spec": {"reboot": True}})
        error = refused(api.patch, hypervisors, "", "h", {"spec": {"hypervisor": "h2"}})
        assert error.details["causes"] == [
            {"reason": "FieldValueInvalid", "message": 'Invalid value: "h2": Value is immutable',
             "field": "spec.hypervisor"},
        ]  # fmt: skip

    def test_an_update_needs_the_revision(self, api, hypervisors):
        api.create(hypervisors, {"metadata": {"name": "h"}, "spec": {}})
        error = refused(api.update, hypervisors, {"metadata": {"name": "h"}, "spec": {}})
        assert error.message == (
            'Hypervisor.kvm.cloud.sap "h" is invalid: metadata.resourceVersion: Invalid value: 0: '
            "must be specified for an update"
        )

    def test_of_two_updates_from_one_state_one_wins(self, api, hypervisors):
        present = api.create(hypervisors, {"metadata": {"name": "h"}, "spec": {}})
        for attempt in range(50):
            changed = {**present, "spec": {**present["spec"], "version": f"v{attempt}"}}
            first = api.update(hypervisors, changed)
            error = refused(api.update, hypervisors, {**changed, "spec": {**changed["spec"], "reboot": True}})
            assert (error.code, error.reason) == (409, "Conflict")
            assert api.get(hypervisors, "", "h") == first
            present = first

    def test_finalizers_hold_and_may_not_be_added_late(self, api, hypervisors, changes):
        api.create(hypervisors, {"metadata": {"name": "h", "finalizers": ["a/b"]}, "spec": {}})
        seen = changes(hypervisors)
        held = api.delete(hypervisors, "", "h")
        assert held["metadata"]["generation"] == 2
        error = refused(api.patch, hypervisors, "", "h", {"metadata": {"finalizers": ["a/b", "c/d"]}})
        assert error.details["causes"][0]["reason"] == "FieldValueForbidden"
        api.patch(hypervisors, "", "h", {"metadata": {"finalizers": None}})
        assert [kind for kind, _ in seen] == ["MODIFIED", "DELETED"]

    def test_a_missing_object_is_named_with_its_group(self, api, hypervisors):
        assert refused(api.get, hypervisors, "", "x").message == 'hypervisors.kvm.cloud.sap "x" not found'

    def test_the_answer_to_a_delete_names_the_plural(self, api, hypervisors):
        api.create(hypervisors, {"metadata": {"name": "h"}, "spec": {}})
        details = deletion.reply(api, hypervisors, api.delete(hypervisors, "", "h"))["details"]
        assert (details["name"], details["group"], details["kind"]) == ("h", "kvm.cloud.sap", "hypervisors")


class TestVersions:
    @pytest.fixture
    def both(self, api, clock, definitions):
        body = definition()
        first = body["spec"]["versions"][0]
        old = {**first, "name": "v1beta1", "storage": False, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": {"version": {"type": "string"}}}},
        }}}  # fmt: skip
        body["spec"]["versions"] = [old, first]
        api.create(CRD, body)
        clock.advance(1)
        return [api.catalogue.find("kvm.cloud.sap", version, "hypervisors") for version in ("v1beta1", "v1")]

    def test_one_object_two_api_versions(self, api, both):
        old, new = both
        made = api.create(old, {"metadata": {"name": "h"}, "spec": {"version": "any", "reboot": True}})
        assert (made["apiVersion"], made["spec"]) == ("kvm.cloud.sap/v1beta1", {"version": "any"})
        assert api.get(new, "", "h")["apiVersion"] == "kvm.cloud.sap/v1"
        assert api.get(new, "", "h")["metadata"]["uid"] == made["metadata"]["uid"]

    def test_a_version_that_is_no_longer_served_goes(self, api, clock, both):
        present = api.get(CRD, "", "hypervisors.kvm.cloud.sap")
        versions = [{**version, "served": version["name"] == "v1"} for version in present["spec"]["versions"]]
        api.update(CRD, {**present, "spec": {**present["spec"], "versions": versions}})
        clock.advance(1)
        assert api.catalogue.find("kvm.cloud.sap", "v1beta1", "hypervisors") is None
        assert api.catalogue.find("kvm.cloud.sap", "v1", "hypervisors") is not None

    def test_a_new_storage_version_is_recorded(self, api, clock, both):
        present = api.get(CRD, "", "hypervisors.kvm.cloud.sap")
        versions = [{**version, "storage": version["name"] == "v1beta1"} for version in present["spec"]["versions"]]
        api.update(CRD, {**present, "spec": {**present["spec"], "versions": versions}})
        clock.advance(1)
        assert api.get(CRD, "", "hypervisors.kvm.cloud.sap")["status"]["storedVersions"] == ["v1", "v1beta1"]

    def test_registered_conversions_are_used_both_ways(self, api, clock, definitions):
        def to_v1(obj):
            spec = {key: value for key, value in obj["spec"].items() if key != "gates"}
            gates = [{"name": name, "on": on} for name, on in obj["spec"].get("gates", {}).items()]
            return {**obj, "spec": {**spec, "gates": gates}}

        def to_v1beta1(obj):
            gates = {gate["name"]: gate["on"] for gate in obj["spec"].get("gates", [])}
            return {**obj, "spec": {**obj["spec"], "gates": gates}}

        conversions = definitions.registry.conversions
        conversions.register("things.example.com", "v1beta1", "v1", to_v1)
        conversions.register("things.example.com", "v1", "v1beta1", to_v1beta1)
        body = definition("things", "Thing", "example.com", schema={"openAPIV3Schema": ANYTHING})
        (present,) = body["spec"]["versions"]
        body["spec"]["versions"].append({**present, "name": "v1beta1", "storage": False})
        api.create(CRD, body)
        definitions.reconcile(("", "things.example.com"))
        old, new = [api.catalogue.find("example.com", version, "things") for version in ("v1beta1", "v1")]
        made = api.create(old, {"metadata": {"name": "x"}, "spec": {"gates": {"a": True}}})
        assert made["spec"]["gates"] == {"a": True}
        assert api.store.get(new.key, "", "x").obj["apiVersion"] == "example.com/v1"
        assert api.get(new, "", "x")["spec"]["gates"] == [{"name": "a", "on": True}]
        api.patch(new, "", "x", {"spec": {"gates": [{"name": "b", "on": False}]}})
        shown = api.get(old, "", "x")
        assert (shown["apiVersion"], shown["spec"]["gates"]) == ("example.com/v1beta1", {"b": False})
