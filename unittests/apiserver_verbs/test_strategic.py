"""Strategic merge patch of built-in kinds (kubernetes-api sheet §4.4)."""

from typing import Any

import pytest

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import DEPLOYMENT, NODE, POD, SERVICE
from lab.apiserver.patching.builtin_shapes import BUILTIN_SHAPES
from lab.apiserver.patching.strategic import apply_strategic_patch
from unittests.apiserver_verbs.refusals import refusal

POD_SHAPE = BUILTIN_SHAPES[POD.key]


def containers(*found: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"containers": list(found)}}


C = {"name": "c", "image": "i:1", "env": [{"name": "A", "value": "1"}], "args": ["x"]}
D = {"name": "d", "image": "j:1"}


def patched(target: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    return apply_strategic_patch(POD_SHAPE, target, patch)


def test_an_element_is_found_by_its_key() -> None:
    patch = {"spec": {"$setElementOrder/containers": [{"name": "c"}], "containers": [{"name": "c", "image": "i:9"}]}}
    assert patched(containers(C, D), patch) == containers({**C, "image": "i:9"}, D)


def test_new_elements_are_appended() -> None:
    assert patched(containers(C), containers(D)) == containers(C, D)


def test_keyed_lists_inside_elements_merge_too() -> None:
    patch = containers({"name": "c", "env": [{"name": "B", "value": "2"}], "args": ["y"]})
    merged = patched(containers(C), patch)["spec"]["containers"][0]
    assert merged["env"] == [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    assert merged["args"] == ["y"]


def test_elements_are_deleted_by_directive() -> None:
    assert patched(containers(C, D), containers({"$patch": "delete", "name": "c"})) == containers(D)
    assert patched(containers(C), containers({"$patch": "delete", "name": "z"})) == containers(C)


def test_a_list_is_replaced_by_directive() -> None:
    assert patched(containers(C, D), containers({"$patch": "replace"}, {"name": "e"})) == containers({"name": "e"})


def test_a_map_is_replaced_or_deleted_by_directive() -> None:
    target = {"metadata": {"labels": {"a": "1"}, "annotations": {"k": "v"}}}
    replaced = patched(target, {"metadata": {"labels": {"$patch": "replace", "b": "2"}}})
    assert replaced["metadata"] == {"labels": {"b": "2"}, "annotations": {"k": "v"}}
    assert patched(target, {"metadata": {"labels": {"$patch": "delete"}}})["metadata"] == {"annotations": {"k": "v"}}


def test_nulls_delete() -> None:
    assert patched({"spec": {"a": 1, "b": {"c": 1}}}, {"spec": {"a": None, "b": {"c": None, "d": 2}}}) == {
        "spec": {"b": {"d": 2}}
    }


def test_the_order_of_elements_is_set() -> None:
    patch = {"spec": {"$setElementOrder/containers": [{"name": "d"}, {"name": "new"}], "containers": [{"name": "new"}]}}
    assert patched(containers(C, D), patch) == containers(D, {"name": "new"}, C)


def test_sets_are_joined_and_reduced() -> None:
    target = {"metadata": {"finalizers": ["a/b", "c/d"]}}
    assert patched(target, {"metadata": {"finalizers": ["c/d", "e/f"]}})["metadata"]["finalizers"] == [
        "a/b",
        "c/d",
        "e/f",
    ]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a/b"], "finalizers": ["e/f"]}}
    assert patched(target, patch)["metadata"]["finalizers"] == ["c/d", "e/f"]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a/b", "c/d"]}}
    assert "finalizers" not in patched(target, patch)["metadata"]
    patch = {"metadata": {"$setElementOrder/finalizers": ["c/d", "a/b"]}}
    assert patched(target, patch)["metadata"]["finalizers"] == ["c/d", "a/b"]


def test_retained_keys_drop_the_others() -> None:
    target = {"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}}
    patch = {"spec": {"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "m"}}]}}
    assert patched(target, patch) == {"spec": {"volumes": [{"name": "v", "configMap": {"name": "m"}}]}}


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (containers({"image": "i"}), "does not contain declared merge key: name"),
        ({"spec": {"$patch": "melt"}}, "Unknown patch type found: melt"),
        ({"spec": {"$retainKeys": "x"}}, "$retainKeys must be a list"),
        ({"spec": {"$setElementOrder/containers": "x", "containers": []}}, "must be a list"),
    ],
)
def test_malformed_patches_are_400(patch, message: str) -> None:
    error = refusal(patched, containers(C), patch)
    assert error.code == 400
    assert message in error.message


def test_taints_are_replaced_as_a_whole(api: Api) -> None:
    taints = [{"key": name, "effect": "NoSchedule"} for name in "ab"]
    api.create(NODE, {"metadata": {"name": "n"}, "spec": {"taints": taints}})
    patched = api.patch(NODE, "", "n", {"spec": {"taints": [taints[1]]}}, type="strategic")
    assert patched["spec"]["taints"] == [taints[1]]
    assert "taints" not in api.patch(NODE, "", "n", {"spec": {"taints": None}}, type="strategic")["spec"]


def test_node_conditions_merge_by_type(api: Api) -> None:
    conditions = [{"type": "Ready", "status": "True", "reason": "R"}, {"type": "DiskPressure", "status": "False"}]
    api.create(NODE, {"metadata": {"name": "n"}, "status": {"conditions": conditions}})
    body = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    status = api.patch(NODE, "", "n", body, type="strategic", subresource="status")["status"]
    assert status["conditions"] == [{"type": "Ready", "status": "False", "reason": "R"}, conditions[1]]


def test_the_template_of_a_deployment(api: Api) -> None:
    template = {"spec": {"containers": [C, D]}}
    api.create(DEPLOYMENT, {"metadata": {"name": "x", "namespace": "t"}, "spec": {"template": template}})
    body = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i:9"}]}}}}
    patched = api.patch(DEPLOYMENT, "t", "x", body, type="strategic")
    assert patched["spec"]["template"]["spec"]["containers"] == [{**C, "image": "i:9"}, D]
    assert patched["metadata"]["generation"] == 2


def test_ports_of_services_are_keyed_by_port(api: Api) -> None:
    ports = [{"port": 80, "name": "a"}, {"port": 443, "name": "b"}]
    api.create(SERVICE, {"metadata": {"name": "x", "namespace": "t"}, "spec": {"ports": ports}})
    patched = api.patch(SERVICE, "t", "x", {"spec": {"ports": [{"port": 80, "name": "z"}]}}, type="strategic")
    assert patched["spec"]["ports"] == [{"port": 80, "name": "z"}, ports[1]]
