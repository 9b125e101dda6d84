"""The objects that CustomResourceDefinitions define, and their versions, through the API."""

import pytest

from lab.apiserver import deletion
from lab.apiserver.builtin.kinds import CRD
from lab.apiserver.options import WriteOptions
from lab.apiserver.replies import Reply
from unittests.apiserver_kinds.custom_checks import refused
from unittests.apiserver_kinds.hypervisors import definition

ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


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
