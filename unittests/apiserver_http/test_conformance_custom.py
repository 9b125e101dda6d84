"""Conformance checks about custom resources (sheet §5, §9)."""

import itertools

import pytest

from unittests.apiserver_http.test_conformance_reading import AGGREGATED

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NUMBERS = itertools.count(1)
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "x-kubernetes-validations": [
                {"rule": "!has(oldSelf.fixed) || self.fixed == oldSelf.fixed", "message": "fixed is immutable"}
            ],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "default": 2},
                "name": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "fixed": {"type": "string", "x-kubernetes-validations": [
                    {"rule": "self == oldSelf", "message": "once and for all"}]},
                "deep": {"type": "object", "default": {}, "properties": {"on": {"type": "boolean", "default": True}}},
                "ratios": {
                    "type": "object", "additionalProperties": {"type": "number"},
                    "x-kubernetes-validations": [{"rule": "self.all(k, self[k] >= 1.0)", "message": "too small"}],
                },
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    },
}  # fmt: skip


def definition(plural: str, group: str = "lab.test") -> dict:
    kind = plural.removesuffix("s").capitalize()
    version = {
        "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
    }  # fmt: skip
    names = {"plural": plural, "kind": kind, "shortNames": [f"s{plural}"]}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": f"{plural}.{group}"}, "spec": spec}


def established(admin, plural: str) -> None:
    """Create a definition and wait until it is served."""
    assert admin.post(CRDS, definition(plural)).status == 201
    name = f"{plural}.lab.test"
    with admin.watch(f"{CRDS}?watch=true&timeoutSeconds=5&fieldSelector=metadata.name%3D{name}") as events:
        while True:
            conditions = events.next()["object"].get("status", {}).get("conditions") or ()
            found = {entry["type"]: entry["status"] for entry in conditions}
            if found.get("Established") == found.get("NamesAccepted") == "True":
                return


@pytest.fixture
def widgets(admin, namespace) -> str:
    """The path of a custom kind of this test's own."""
    plural = f"widget{'abcdefghijklmnopqrstuvwxyz'[next(_NUMBERS) % 26]}s"
    established(admin, plural)
    return f"/apis/lab.test/v1/namespaces/{namespace}/{plural}"


def listed(admin, path: str) -> tuple[bool, bool]:
    """Whether a kind is in legacy and in aggregated discovery."""
    plural = path.rpartition("/")[2]
    legacy = admin.get("/apis/lab.test/v1")
    names = [entry["name"] for entry in legacy.json["resources"]] if legacy.status == 200 else []
    groups = admin.get("/apis", AGGREGATED).json["items"]
    found = [
        entry["resource"] for group in groups if group["metadata"]["name"] == "lab.test"
        for version in group["versions"] for entry in version["resources"]
    ]  # fmt: skip
    return plural in names, plural in found


def test_check_13_a_definition_is_served_once_established(admin, namespace):
    path = f"/apis/lab.test/v1/namespaces/{namespace}/gadgets"
    assert admin.get(path).status == 404
    assert listed(admin, path) == (False, False)
    established(admin, "gadgets")
    answer = admin.post(path, {"metadata": {"name": "x"}, "spec": {}})
    assert (answer.status, answer.json["kind"]) == (201, "Gadget")
    assert listed(admin, path) == (True, True)
    paths = admin.get("/openapi/v3").json["paths"]
    document = admin.get(paths["apis/lab.test/v1"]["serverRelativeURL"]).json
    assert "test.lab.v1.Gadget" in document["components"]["schemas"]


def test_check_06_a_missing_custom_resource(admin, widgets):
    plural = widgets.rpartition("/")[2]
    answer = admin.get(f"{widgets}/x").json
    assert answer["message"] == f'{plural}.lab.test "x" not found'
    assert answer["details"] == {"name": "x", "group": "lab.test", "kind": plural}


def test_check_14_status_and_spec_are_written_apart(admin, widgets):
    created = admin.post(widgets, {"metadata": {"name": "x"}, "spec": {"size": 1}, "status": {"phase": "P"}}).json
    assert "status" not in created
    assert created["metadata"]["generation"] == 1
    answer = admin.patch(f"{widgets}/x/status", {"status": {"phase": "Q"}, "spec": {"size": 9}})
    assert answer.status == 200
    assert (answer.json["status"], answer.json["spec"]["size"]) == ({"phase": "Q"}, 1)
    assert answer.json["metadata"]["generation"] == 1
    answer = admin.patch(f"{widgets}/x", {"spec": {"size": 3}, "status": {"phase": "R"}}).json
    assert (answer["metadata"]["generation"], answer["status"], answer["spec"]["size"]) == (2, {"phase": "Q"}, 3)


def test_check_16_the_generation_counts_a_deletion(admin, widgets):
    admin.post(widgets, {"metadata": {"name": "x", "finalizers": ["lab.test/hold"]}, "spec": {}})
    marked = admin.delete(f"{widgets}/x").json
    assert marked["metadata"]["deletionTimestamp"]
    assert marked["metadata"]["generation"] == 2
    assert admin.patch(f"{widgets}/x", {"metadata": {"finalizers": None}}).status == 200
    assert admin.get(f"{widgets}/x").status == 404


def test_check_37_no_strategic_patch_of_custom_resources(admin, widgets):
    admin.post(widgets, {"metadata": {"name": "x"}, "spec": {}})
    answer = admin.patch(f"{widgets}/x", {"spec": {"size": 3}}, "strategic")
    assert (answer.status, answer.json["reason"]) == (415, "UnsupportedMediaType")


def test_check_20_columns_of_custom_resources(admin, widgets):
    admin.post(widgets, {"metadata": {"name": "x"}, "spec": {"size": 7}})
    table = admin.get(widgets, "application/json;as=Table;v=v1;g=meta.k8s.io").json
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Size"]
    assert table["rows"][0]["cells"] == ["x", 7]


def test_check_21_unknown_fields_in_selectors(admin, widgets):
    assert admin.get(f"{widgets}?fieldSelector=spec.foo%3D1").status == 400


def test_check_41_managers_of_custom_resources(admin, widgets):
    admin.post(widgets, {"metadata": {"name": "x"}, "spec": {}})
    admin.patch(f"{widgets}/x?fieldManager=kubectl-edit", {"spec": {"size": 5}})
    answer = admin.patch(f"{widgets}/x/status?fieldManager=ctl", {"status": {"phase": "P"}})
    entries = {(e["manager"], e["operation"], e.get("subresource")) for e in answer.json["metadata"]["managedFields"]}
    assert entries >= {("kubectl-edit", "Update", None), ("ctl", "Update", "status")}


def test_check_42_defaults_and_pruning(admin, widgets):
    answer = admin.post(widgets, {"metadata": {"name": "x"}, "spec": {"unknown": 1}})
    assert answer.status == 201
    assert answer.json["spec"] == {"size": 2, "deep": {"on": True}}
    assert "unknown" in answer.headers.get("warning", "")
    strict = admin.post(f"{widgets}?fieldValidation=Strict", {"metadata": {"name": "y"}, "spec": {"unknown": 1}})
    assert strict.status == 400
    assert 'unknown field "spec.unknown"' in strict.json["message"]


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ({"mode": "c"}, "spec.mode", "FieldValueNotSupported"),
        ({"name": "UPPER"}, "spec.name", "FieldValueInvalid"),
        ({"name": "x"}, "spec.name", None),
        ({"size": "many"}, "spec.size", "FieldValueTypeInvalid"),
        ({"size": 0}, "spec.size", "FieldValueInvalid"),
    ],
)
def test_check_43_violations_of_a_schema(admin, widgets, spec, field, reason):
    answer = admin.post(widgets, {"metadata": {"name": "x"}, "spec": spec})
    assert (answer.status, answer.json["reason"]) == (422, "Invalid")
    details = answer.json["details"]
    assert details["kind"].startswith("Widget")
    causes = {cause["field"]: cause["reason"] for cause in details["causes"]}
    assert field in causes
    if reason:
        assert causes[field] == reason


def test_check_44_validation_rules(admin, widgets):
    assert admin.post(widgets, {"metadata": {"name": "x"}, "spec": {"fixed": "a", "ratios": {"r": 1}}}).status == 201
    changed = admin.patch(f"{widgets}/x", {"spec": {"fixed": "b"}})
    assert changed.status == 422
    assert "once and for all" in changed.json["message"]
    small = admin.patch(f"{widgets}/x", {"spec": {"ratios": {"r": 0.5}}})
    assert small.status == 422
    assert "too small" in small.json["message"]


def test_check_45_put_without_revision(admin, widgets):
    admin.post(widgets, {"metadata": {"name": "x"}, "spec": {}})
    answer = admin.put(f"{widgets}/x", {"metadata": {"name": "x"}, "spec": {"size": 3}})
    assert answer.status == 422
    assert "must be specified for an update" in answer.json["message"]


def test_check_61_finalizers_of_what_is_terminating(admin, widgets):
    admin.post(widgets, {"metadata": {"name": "x", "finalizers": ["lab.test/hold"]}, "spec": {}})
    admin.delete(f"{widgets}/x")
    more = admin.patch(f"{widgets}/x", {"metadata": {"finalizers": ["lab.test/hold", "lab.test/more"]}})
    assert more.status == 422
    assert admin.patch(f"{widgets}/x", {"metadata": {"finalizers": []}}).status == 200


def test_deleting_a_definition_deletes_its_objects(admin, widgets):
    plural = widgets.rpartition("/")[2]
    admin.post(widgets, {"metadata": {"name": "x"}, "spec": {}})
    with admin.watch(f"{CRDS}?watch=true&timeoutSeconds=5&fieldSelector=metadata.name%3D{plural}.lab.test") as events:
        assert admin.delete(f"{CRDS}/{plural}.lab.test").json["metadata"]["deletionTimestamp"]
        while events.next()["type"] != "DELETED":
            pass
    assert admin.get(widgets).status == 404
    assert listed(admin, widgets) == (False, False)
