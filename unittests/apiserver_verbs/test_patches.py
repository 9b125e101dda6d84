"""JSON and merge patches, and what all patches share (kubernetes-api sheet §4.1 to §4.3)."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP
from lab.apiserver.options import WriteOptions
from lab.apiserver.patching.merge import apply_merge_patch
from unittests.apiserver_verbs.kinds import WIDGET
from unittests.apiserver_verbs.refusals import cause, refusal
from unittests.apiserver_verbs.steady import STEADY

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=1), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text("abc", max_size=1), VALUES, max_size=4)


def rfc_7386(target: object, patch: object) -> object:
    """The algorithm of RFC 7386 §2, word for word."""
    if isinstance(patch, dict):
        if not isinstance(target, dict):
            target = {}
        for name, value in patch.items():
            if value is None:
                if name in target:
                    del target[name]
            else:
                target[name] = rfc_7386(target.get(name), value)
        return target
    return patch


@STEADY
@given(OBJECTS, OBJECTS)
def test_merge_patch_is_rfc_7386(target, patch) -> None:
    before = copy.deepcopy(target)
    assert apply_merge_patch(target, patch) == rfc_7386(copy.deepcopy(target), patch)
    assert target == before


@STEADY
@given(OBJECTS, OBJECTS)
def test_merging_twice_is_merging_once(target, patch) -> None:
    once = apply_merge_patch(target, patch)
    assert apply_merge_patch(once, patch) == once


def test_merge_patch_shares_what_it_leaves_alone() -> None:
    target = {"spec": {"deep": {}}, "status": {"n": 1}}
    patched = apply_merge_patch(target, {"status": {"n": 2}})
    assert patched["spec"] is target["spec"]


def test_a_null_removes_a_whole_map(api: Api, config_map) -> None:
    config_map("x", {"a": "b"}, k="v")
    patched = api.patch(CONFIG_MAP, "t", "x", {"metadata": {"labels": None, "name": "x"}, "data": {"a": "b"}})
    assert "labels" not in patched["metadata"]
    assert patched["data"] == {"k": "v", "a": "b"}


def operation(op: str, path: str, **rest: object) -> dict[str, object]:
    return {"op": op, "path": path, **rest}


@pytest.fixture
def widget(api: Api) -> dict[str, object]:
    return api.create(WIDGET, {"metadata": {"name": "x", "namespace": "t"}, "spec": {"list": [1, 2], "a/b": 1}})


def test_json_patch_operations(api: Api, widget) -> None:
    body = [
        operation("test", "/spec/a~1b", value=1),
        operation("replace", "/spec/a~1b", value=2),
        operation("add", "/spec/list/-", value=3),
        operation("add", "/spec/list/0", value=0),
        operation("remove", "/spec/list/1"),
        operation("copy", "/spec/copied", **{"from": "/spec/list"}),
        operation("move", "/spec/moved", **{"from": "/spec/a~1b"}),
    ]
    patched = api.patch(WIDGET, "t", "x", body, type="json")
    assert patched["spec"] == {"list": [0, 2, 3], "copied": [0, 2, 3], "moved": 2}


@pytest.mark.parametrize(
    "failing",
    [
        operation("test", "/spec/a~1b", value=9),
        operation("test", "/spec/none", value=9),
        operation("remove", "/spec/none"),
        operation("replace", "/spec/none", value=1),
        operation("add", "/spec/none/deep", value=1),
        operation("add", "/spec/list/7", value=1),
        operation("remove", "/spec/list/7"),
        operation("replace", "", value=1),
    ],
)
def test_a_failing_operation_is_422(api: Api, widget, failing) -> None:
    error = refusal(api.patch, WIDGET, "t", "x", [operation("add", "/spec/n", value=1), failing], type="json")
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message == "the server rejected our request due to an error in our request"
    assert api.get(WIDGET, "t", "x") == widget


@pytest.mark.parametrize(
    "body",
    [{"spec": 1}, [1], [{"op": "leap", "path": "/a"}], [{"path": "/a"}], [{"op": "add", "path": "a", "value": 1}]],
)
def test_a_malformed_json_patch_is_400(api: Api, widget, body) -> None:
    error = refusal(api.patch, WIDGET, "t", "x", body, type="json")
    assert (error.code, error.reason) == (400, "BadRequest")


def test_a_json_patch_has_a_limit(api: Api, widget) -> None:
    body = [operation("test", "/spec/a~1b", value=1)] * 10_001
    error = refusal(api.patch, WIDGET, "t", "x", body, type="json")
    assert (error.code, error.reason) == (413, "RequestEntityTooLarge")


@pytest.mark.parametrize("kind", ["merge", "strategic", "apply"])
def test_other_patches_are_objects(api: Api, config_map, kind) -> None:
    config_map("x")
    assert refusal(api.patch, CONFIG_MAP, "t", "x", [1], type=kind).code == 400


def test_a_patch_of_a_missing_object_is_404(api: Api) -> None:
    for kind in ("json", "merge"):
        assert refusal(api.patch, WIDGET, "t", "x", [], type=kind).message == 'widgets.example.com "x" not found'


def test_custom_resources_have_no_strategic_patch(api: Api, widget) -> None:
    error = refusal(api.patch, WIDGET, "t", "x", {}, type="strategic")
    assert (error.code, error.reason) == (415, "UnsupportedMediaType")
    assert "application/merge-patch+json" in error.message


def test_force_is_for_apply(api: Api, widget) -> None:
    error = refusal(api.patch, WIDGET, "t", "x", {}, options=WriteOptions(force=True))
    assert error.message == (
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch'
    )


def test_a_revision_in_the_patch_is_a_condition(api: Api, widget) -> None:
    revision = widget["metadata"]["resourceVersion"]
    body = {"metadata": {"resourceVersion": revision}, "spec": {"n": 1}}
    api.patch(WIDGET, "t", "x", body)
    error = refusal(api.patch, WIDGET, "t", "x", {**body, "spec": {"n": 2}})
    assert (error.code, error.reason) == (409, "Conflict")
    without = [operation("remove", "/metadata/resourceVersion"), operation("add", "/spec/n", value=3)]
    assert api.patch(WIDGET, "t", "x", without, type="json")["spec"]["n"] == 3


def test_a_patch_cannot_name_another_object(api: Api, widget) -> None:
    error = refusal(api.patch, WIDGET, "t", "x", {"metadata": {"name": "y"}})
    assert (error.code, error.message) == (400, "the name of the object (y) does not match the name on the URL (x)")
    assert refusal(api.patch, WIDGET, "t", "x", {"metadata": {"namespace": "u"}}).code == 400
    error = refusal(api.patch, WIDGET, "t", "x", {"metadata": {"uid": "other"}})
    assert (error.code, cause(error)) == (
        422,
        ("FieldValueInvalid", 'Invalid value: "other": field is immutable', "metadata.uid"),
    )
    assert refusal(api.patch, WIDGET, "t", "x", {"kind": "Gadget"}).code == 400
    assert api.patch(WIDGET, "t", "x", [operation("remove", "/metadata")], type="json") == widget


@STEADY
@given(OBJECTS)
def test_bodies_survive_as_json(value) -> None:
    assert apply_merge_patch({}, json.loads(json.dumps(value))) == rfc_7386({}, value)
