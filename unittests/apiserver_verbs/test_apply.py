"""Server-side apply (kubernetes-api sheet §4.5)."""

import pytest

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP, DEPLOYMENT
from lab.apiserver.replies import Reply
from lab.clock import ManualClock
from unittests.apiserver_verbs.applier import LISTS, Applier, caller
from unittests.apiserver_verbs.refusals import cause, refusal


def test_apply_creates(api: Api, maps: Applier) -> None:
    reply = Reply()
    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}}
    created = api.patch(CONFIG_MAP, "t", "x", config, type="apply", caller=caller("m"), reply=reply)
    assert reply.created
    assert created["metadata"]["managedFields"] == [
        {
            "manager": "m",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": "2026-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {"f:a": {}}},
        }
    ]
    again = Reply()
    api.patch(CONFIG_MAP, "t", "x", config, type="apply", caller=caller("m"), reply=again)
    assert not again.created


def test_applying_the_same_again_changes_nothing(api: Api, maps: Applier, clock: ManualClock) -> None:
    first = maps.apply("m", {"labels": {"a": "b"}}, data={"a": "1"})
    clock.advance(60)
    assert maps.apply("m", {"labels": {"a": "b"}, "creationTimestamp": None}, data={"a": "1"}) == first


def test_a_conflict_names_the_owner_and_the_field(api: Api, widgets: Applier) -> None:
    widgets.apply("one", spec={"replicas": 1})
    error = refusal(widgets.apply, "two", spec={"replicas": 2})
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message == 'Apply failed with 1 conflict: conflict with "one": .spec.replicas'
    assert cause(error) == ("FieldManagerConflict", 'conflict with "one"', ".spec.replicas")


def test_conflicts_with_updates_name_the_version(api: Api) -> None:
    applier = Applier(api, DEPLOYMENT)
    env = [{"name": "X", "value": "1"}]
    template = {"spec": {"containers": [{"name": "c", "image": "i:1", "env": env}]}}
    body = {"metadata": {"name": "x", "namespace": "t"}, "spec": {"replicas": 1, "template": template}}
    api.create(DEPLOYMENT, body, caller=caller("kubectl"))
    error = refusal(applier.apply, "two", spec={"replicas": 2})
    assert error.message == 'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas'
    wanted = {"containers": [{"name": "c", "env": [{"name": "X", "value": "2"}]}]}
    error = refusal(applier.apply, "two", spec={"replicas": 2, "template": {"spec": wanted}})
    assert error.message == (
        'Apply failed with 2 conflicts: conflicts with "kubectl" using apps/v1:\n- .spec.replicas\n'
        '- .spec.template.spec.containers[name="c"].env[name="X"].value'
    )


def test_conflicts_with_status_name_the_subresource(api: Api, widgets: Applier) -> None:
    widgets.apply("one", spec={})
    api.patch(LISTS, "t", "x", {"status": {"n": 1}}, subresource="status", caller=caller("ctl"))
    config = {"apiVersion": "example.com/v1", "kind": "Widget", "status": {"n": 2}}
    error = refusal(api.patch, LISTS, "t", "x", config, type="apply", subresource="status", caller=caller("two"))
    assert error.message == (
        'Apply failed with 1 conflict: conflict with "ctl" with subresource "status" using example.com/v1: .status.n'
    )


def test_force_moves_the_ownership(maps: Applier) -> None:
    maps.apply("one", data={"a": "1", "b": "1"})
    maps.apply("two", data={"a": "2"}, force=True)
    assert maps.owners() == {("one", "Apply"): {"f:data": {"f:b": {}}}, ("two", "Apply"): {"f:data": {"f:a": {}}}}


def test_equal_values_are_owned_together(maps: Applier) -> None:
    maps.apply("one", data={"a": "1"})
    maps.apply("two", data={"a": "1"})
    assert set(maps.owners()) == {("one", "Apply"), ("two", "Apply")}


def test_a_dropped_field_goes_unless_another_owns_it(maps: Applier) -> None:
    maps.apply("one", data={"a": "1", "b": "2", "c": "3"})
    maps.apply("two", data={"b": "2"})
    dropped = maps.apply("one", data={"c": "3"})
    assert dropped["data"] == {"b": "2", "c": "3"}
    assert maps.owners()["one", "Apply"] == {"f:data": {"f:c": {}}}


def test_what_was_changed_by_others_is_not_dropped(maps: Applier) -> None:
    maps.apply("one", data={"a": "1", "b": "2"})
    maps.merge("edit", data={"a": "9"})
    assert maps.apply("one", data={"b": "2"})["data"] == {"a": "9", "b": "2"}


def test_maps_that_become_empty_go(maps: Applier) -> None:
    maps.apply("one", {"labels": {"a": "b"}}, data={"a": "1"})
    applied = maps.apply("one")
    assert "data" not in applied
    assert "labels" not in applied["metadata"]
    assert maps.owners() == {}


def test_keyed_lists_merge_by_key(widgets: Applier) -> None:
    widgets.apply("one", spec={"keyed": [{"name": "a", "v": 1}, {"name": "b"}]})
    widgets.apply("two", spec={"keyed": [{"name": "a", "w": 2}, {"name": "c", "w": 3}]})
    assert widgets.api.get(LISTS, "t", "x")["spec"]["keyed"] == [
        {"name": "a", "v": 1, "w": 2},
        {"name": "b"},
        {"name": "c", "w": 3},
    ]
    assert widgets.owners()["two", "Apply"] == {
        "f:spec": {
            "f:keyed": {
                'k:{"name":"a"}': {".": {}, "f:name": {}, "f:w": {}},
                'k:{"name":"c"}': {".": {}, "f:name": {}, "f:w": {}},
            }
        }
    }
    left = widgets.apply("two", spec={"keyed": [{"name": "c"}]})["spec"]["keyed"]
    assert left == [{"name": "a", "v": 1}, {"name": "b"}, {"name": "c"}]
    assert widgets.apply("two", spec={})["spec"]["keyed"] == [{"name": "a", "v": 1}, {"name": "b"}]


def test_an_element_goes_with_its_defaults(widgets: Applier) -> None:
    widgets.apply("one", spec={"keyed": [{"name": "a"}, {"name": "b"}]})
    element = {"keyed": [{"name": "a", "defaulted": True}, {"name": "b"}]}
    snapshot = widgets.api.store.get(LISTS.key, "t", "x")
    assert snapshot is not None
    widgets.api.store.put(LISTS.key, {**snapshot.obj, "spec": element})  # nobody owns the default
    assert widgets.apply("one", spec={"keyed": [{"name": "b"}]})["spec"] == {"keyed": [{"name": "b"}]}


def test_sets_are_joined(widgets: Applier) -> None:
    widgets.apply("one", spec={"set": ["a", "b"]})
    widgets.apply("two", spec={"set": ["b", "c"]})
    assert widgets.owners()["two", "Apply"] == {"f:spec": {"f:set": {'v:"b"': {}, 'v:"c"': {}}}}
    assert widgets.apply("one", spec={})["spec"]["set"] == ["b", "c"]


def test_atomic_maps_and_lists_are_one_leaf(widgets: Applier) -> None:
    widgets.apply("one", spec={"whole": {"a": 1}, "list": [1, 2]})
    assert widgets.owners()["one", "Apply"] == {"f:spec": {"f:whole": {}, "f:list": {}}}
    assert refusal(widgets.apply, "two", spec={"whole": {"b": 1}}).message.endswith(": .spec.whole")
    assert widgets.apply("two", spec={"list": [3]}, force=True)["spec"] == {"whole": {"a": 1}, "list": [3]}


def test_ports_are_keyed_by_number_and_protocol(api: Api) -> None:
    applier = Applier(api, DEPLOYMENT)
    pod = {"containers": [{"name": "c", "ports": [{"containerPort": 80}]}]}
    applied = applier.apply("m", spec={"template": {"spec": pod}})
    assert '\'k:{"containerPort":80,"protocol":"TCP"}\'' in repr(applied["metadata"]["managedFields"])
    assert applier.apply("m", spec={"template": {"spec": pod}}) == applied


def test_owners_and_finalizers_are_keyed(api: Api) -> None:
    applier = Applier(api)
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}
    applier.apply("one", {"ownerReferences": [owner], "finalizers": ["a/b"]})
    assert applier.owners()["one", "Apply"] == {
        "f:metadata": {"f:ownerReferences": {'k:{"uid":"u"}': {}}, "f:finalizers": {'v:"a/b"': {}}}
    }
    applied = applier.apply("two", {"finalizers": ["c/d"], "ownerReferences": [{**owner, "uid": "v"}]})
    assert applied["metadata"]["finalizers"] == ["a/b", "c/d"]
    assert [entry["uid"] for entry in applied["metadata"]["ownerReferences"]] == ["u", "v"]


@pytest.mark.parametrize("keyed", [[{"name": "a"}, {"name": "a"}], [{"v": 1}], ["a"]])
def test_ambiguous_elements_are_refused(widgets: Applier, keyed) -> None:
    error = refusal(widgets.apply, "one", spec={"keyed": keyed})
    assert error.code == 400
    assert ".spec.keyed" in error.message


def test_apply_through_status_touches_the_status_only(api: Api, widgets: Applier) -> None:
    widgets.apply("one", spec={"a": 1})
    config = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"a": 9}, "status": {"n": 1}}
    applied = api.patch(LISTS, "t", "x", config, type="apply", subresource="status", caller=caller("ctl"))
    assert (applied["spec"], applied["status"], applied["metadata"]["generation"]) == ({"a": 1}, {"n": 1}, 1)
    (entry,) = [entry for entry in applied["metadata"]["managedFields"] if entry["manager"] == "ctl"]
    assert (entry["subresource"], entry["fieldsV1"]) == ("status", {"f:status": {"f:n": {}}})
    kept = widgets.apply("one", spec={"a": 1}, status={"n": 7})
    assert kept["status"] == {"n": 1}
    config["status"] = {}
    emptied = api.patch(LISTS, "t", "x", config, type="apply", subresource="status", caller=caller("ctl"))
    assert emptied["status"] == {}
    del config["status"]
    assert "status" not in api.patch(LISTS, "t", "x", config, type="apply", subresource="status", caller=caller("ctl"))
    assert refusal(api.patch, LISTS, "t", "y", config, type="apply", subresource="status").code == 404


def test_apply_wants_a_manager(api: Api) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap"}
    error = refusal(api.patch, CONFIG_MAP, "t", "x", config, type="apply", caller=caller(""))
    assert (error.code, error.message) == (
        422,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"kind": "ConfigMap"}, "Object 'apiVersion' is missing in '{\"kind\":\"ConfigMap\"}'"),
        ({"apiVersion": "v1"}, "Object 'kind' is missing in '{\"apiVersion\":\"v1\"}'"),
        (
            {"apiVersion": "v2", "kind": "ConfigMap"},
            "Incorrect version specified in apply patch. Specified patch version: v2, expected: v1",
        ),
        ({"apiVersion": "v1", "kind": "Secret"}, 'Secret in version "v1" cannot be handled as a ConfigMap'),
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"managedFields": []}},
            "metadata.managedFields must be nil",
        ),
        (
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "y"}},
            "the name of the object (y) does not match the name on the URL (x)",
        ),
        ("text", "the patch is malformed: an applied configuration is an object"),
    ],
)
def test_bad_configurations_are_400(api: Api, config, message: str) -> None:
    error = refusal(api.patch, CONFIG_MAP, "t", "x", config, type="apply", caller=caller("m"))
    assert (error.code, error.message) == (400, message)


def test_revision_and_uid_are_preconditions(api: Api, maps: Applier) -> None:
    error = refusal(maps.apply, "m", {"uid": "u"})
    assert error.message == (
        'Operation cannot be fulfilled on configmaps "x": uid mismatch: the provided object specified uid u, and no '
        "existing object was found"
    )
    assert refusal(maps.apply, "m", {"resourceVersion": "5"}).code == 409
    created = maps.apply("m", data={"a": "1"})["metadata"]
    maps.apply("m", {"resourceVersion": created["resourceVersion"], "uid": created["uid"]}, data={"a": "2"})
    assert refusal(maps.apply, "m", {"resourceVersion": created["resourceVersion"]}).code == 409
    assert refusal(maps.apply, "m", {"uid": "other"}).code == 409
