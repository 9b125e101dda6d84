"""PUT: concurrency, generation, status, no-op writes (kubernetes-api sheet §2.2, §2.4)."""

import pytest

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CONFIG_MAP, CRD, EVENT, LEASE, NODE, PDB, POD, ROLE
from lab.apiserver.options import WriteOptions
from lab.apiserver.replies import Reply
from lab.clock import ManualClock
from unittests.apiserver_verbs.kinds import GADGET, WIDGET
from unittests.apiserver_verbs.refusals import cause, refusal

WIDGET_BODY = {"metadata": {"name": "x", "namespace": "t"}, "spec": {"size": 1}}


@pytest.fixture
def widget(api: Api) -> dict[str, object]:
    return api.create(WIDGET, WIDGET_BODY)


def test_a_stale_revision_conflicts(api: Api, widget) -> None:
    api.update(WIDGET, {**widget, "spec": {"size": 2}})
    error = refusal(api.update, WIDGET, {**widget, "spec": {"size": 3}})
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message == (
        'Operation cannot be fulfilled on widgets.example.com "x": the object has been modified; please apply your '
        "changes to the latest version and try again"
    )
    assert error.details == {"name": "x", "group": "example.com", "kind": "widgets"}
    assert api.get(WIDGET, "t", "x")["spec"] == {"size": 2}


@pytest.mark.parametrize("resource", [WIDGET, LEASE, PDB, CRD])
@pytest.mark.parametrize("revision", [None, "", "0"])
def test_some_kinds_must_be_updated_with_a_revision(api: Api, resource, revision) -> None:
    metadata = {"name": "x", "namespace": "t"}
    api.create(resource, {"metadata": metadata})
    error = refusal(api.update, resource, {"metadata": {**metadata, "resourceVersion": revision}})
    assert error.code == 422
    assert cause(error) == (
        "FieldValueInvalid",
        "Invalid value: 0: must be specified for an update",
        "metadata.resourceVersion",
    )


@pytest.mark.parametrize("resource", [CONFIG_MAP, NODE, POD, ROLE])
def test_the_others_are_overwritten(api: Api, resource) -> None:
    metadata = {"name": "x", "namespace": "t"}
    api.create(resource, {"metadata": metadata})
    updated = api.update(resource, {"metadata": {**metadata, "labels": {"a": "b"}}})
    assert updated["metadata"]["labels"] == {"a": "b"}


def test_what_the_server_set_stays(api: Api, widget) -> None:
    metadata = {
        "name": "x", "namespace": "t", "resourceVersion": widget["metadata"]["resourceVersion"],
        "creationTimestamp": "2000-01-01T00:00:00Z", "generation": 77, "deletionTimestamp": "2000-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 1,
    }  # fmt: skip
    updated = api.update(WIDGET, {"metadata": metadata, "spec": {"size": 1, "more": True}})
    for key in ("uid", "creationTimestamp"):
        assert updated["metadata"][key] == widget["metadata"][key]
    assert updated["metadata"]["generation"] == 2
    assert "deletionTimestamp" not in updated["metadata"]


def test_deletion_marks_cannot_be_removed(api: Api) -> None:
    created = api.create(CONFIG_MAP, {"metadata": {"name": "x", "namespace": "t", "finalizers": ["a/b"]}})
    api.delete(CONFIG_MAP, "t", "x")
    metadata = {key: created["metadata"][key] for key in ("name", "namespace", "finalizers")}
    updated = api.update(CONFIG_MAP, {"metadata": metadata, "data": {"k": "v"}})
    assert updated["metadata"]["deletionTimestamp"]
    assert updated["metadata"]["deletionGracePeriodSeconds"] == 0


def test_another_uid_conflicts(api: Api, config_map) -> None:
    created = config_map("x")
    metadata = {**created["metadata"], "uid": "other"}
    error = refusal(api.update, CONFIG_MAP, {**created, "metadata": metadata})
    assert (error.code, error.reason, error.message) == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "x": Precondition failed: UID in precondition: other, '
        f"UID in object meta: {created['metadata']['uid']}",
    )


def test_generation_follows_the_spec_only(api: Api, widget) -> None:
    def generation() -> int:
        return api.get(WIDGET, "t", "x")["metadata"]["generation"]

    api.patch(WIDGET, "t", "x", {"metadata": {"labels": {"a": "b"}}})
    api.patch(WIDGET, "t", "x", {"status": {"ready": True}, "spec": {"size": 9}}, subresource="status")
    assert generation() == 1
    api.patch(WIDGET, "t", "x", {"spec": {"size": 2}})
    assert generation() == 2
    api.patch(WIDGET, "t", "x", {"spec": {"size": 2.0}})
    assert generation() == 3


def test_without_status_subresource_the_status_counts(api: Api) -> None:
    api.create(GADGET, {"metadata": {"name": "x"}})
    assert api.patch(GADGET, "", "x", {"status": {"n": 1}})["metadata"]["generation"] == 2
    assert api.patch(GADGET, "", "x", {"metadata": {"labels": {"a": "b"}}})["metadata"]["generation"] == 2


def test_kinds_without_generation_get_none(api: Api, config_map) -> None:
    config_map("x")
    assert "generation" not in api.patch(CONFIG_MAP, "t", "x", {"data": {"k": "v"}})["metadata"]


def test_status_writes_take_the_status_only(api: Api, widget) -> None:
    metadata = {**widget["metadata"], "labels": {"a": "b"}, "finalizers": ["a/b"]}
    updated = api.update(WIDGET, {**widget, "metadata": metadata, "spec": {}, "status": {"n": 1}}, subresource="status")
    assert (updated["spec"], updated["status"]) == ({"size": 1}, {"n": 1})
    assert not {"labels", "finalizers"} & set(updated["metadata"])
    assert "status" not in api.update(WIDGET, {**updated, "status": None}, subresource="status")


def test_main_writes_leave_the_status_alone(api: Api, widget) -> None:
    stored = api.patch(WIDGET, "t", "x", {"status": {"n": 1}}, subresource="status")
    assert api.update(WIDGET, {**stored, "status": {"n": 2}})["status"] == {"n": 1}
    assert api.patch(WIDGET, "t", "x", {"status": {"n": 3}, "spec": {"size": 5}})["status"] == {"n": 1}


@pytest.mark.parametrize("resource", [NODE, POD])
def test_some_status_writes_take_labels_too(api: Api, resource) -> None:
    api.create(resource, {"metadata": {"name": "x", "namespace": "t"}, "spec": {}})
    namespace = "t" if resource.namespaced else ""
    body = {"metadata": {"labels": {"a": "b"}, "finalizers": ["a/b"]}, "status": {"n": 1}}
    patched = api.patch(resource, namespace, "x", body, subresource="status")
    assert patched["metadata"]["labels"] == {"a": "b"}
    assert "finalizers" not in patched["metadata"]


def test_a_stale_status_conflicts(api: Api, widget) -> None:
    api.patch(WIDGET, "t", "x", {"spec": {"size": 2}})
    assert refusal(api.update, WIDGET, {**widget, "status": {}}, subresource="status").code == 409


@pytest.mark.parametrize("subresource", ["status", "scale", "log"])
def test_missing_subresources_are_not_found(api: Api, subresource: str) -> None:
    api.create(GADGET, {"metadata": {"name": "x"}})
    for error in (
        refusal(api.update, GADGET, {"metadata": {"name": "x"}}, subresource=subresource),
        refusal(api.patch, GADGET, "", "x", {}, subresource=subresource),
        refusal(api.get, GADGET, "", "x", subresource=subresource),
    ):
        assert (error.code, error.message) == (404, "the server could not find the requested resource")


def test_missing_objects_are_not_found(api: Api) -> None:
    error = refusal(api.update, WIDGET, WIDGET_BODY)
    assert (error.code, error.reason, error.message) == (404, "NotFound", 'widgets.example.com "x" not found')
    assert refusal(api.get, POD, "t", "x").message == 'pods "x" not found'
    assert refusal(api.get_raw, POD, "t", "x").code == 404


@pytest.mark.parametrize("resource", [LEASE, EVENT, ROLE])
def test_some_kinds_are_created_by_put(api: Api, resource) -> None:
    reply = Reply()
    body = {"metadata": {"name": "x", "namespace": "t", "resourceVersion": "12"}}
    created = api.update(resource, body, reply=reply)
    assert (reply.created, created["metadata"]["name"]) == (True, "x")
    again = Reply()
    api.update(resource, created, reply=again)
    assert not again.created
    error = refusal(api.update, resource, {"metadata": {"name": "y", "namespace": "t", "uid": "u"}})
    assert error.message.endswith("Precondition failed: UID in precondition: u, UID in object meta: ")


def test_writes_that_change_nothing_are_not_committed(api: Api, widget, clock: ManualClock) -> None:
    watch = api.watch(WIDGET, "t")
    watch.take()
    clock.advance(100)
    before = api.store.revision
    assert api.update(WIDGET, widget) == widget
    assert api.patch(WIDGET, "t", "x", {"spec": {"size": 1}}) == widget
    assert api.patch(WIDGET, "t", "x", {"status": {"n": 1}}) == widget
    reordered = {key: widget[key] for key in reversed(list(widget))}
    assert api.update(WIDGET, reordered) == widget
    assert (api.store.revision, watch.take()) == (before, [])


@pytest.mark.parametrize("value", [True, 1.0])
def test_values_that_only_python_calls_equal_are_changes(api: Api, widget, value) -> None:
    api.patch(WIDGET, "t", "x", {"spec": {"size": value}})
    assert api.get(WIDGET, "t", "x")["spec"]["size"] is not True or value is True
    assert api.store.revision == int(widget["metadata"]["resourceVersion"]) + 1


def test_a_dry_run_changes_nothing(api: Api, widget) -> None:
    dry = WriteOptions(dry_run=True)
    shown = api.patch(WIDGET, "t", "x", {"spec": {"size": 2}}, options=dry)
    assert (shown["spec"], shown["metadata"]["generation"]) == ({"size": 2}, 2)
    assert shown["metadata"]["resourceVersion"] == widget["metadata"]["resourceVersion"]
    assert api.get(WIDGET, "t", "x") == widget
    assert api.update(WIDGET, {**widget, "spec": {}}, options=dry)["spec"] == {}
    assert api.store.revision == int(widget["metadata"]["resourceVersion"])


def test_concurrent_updates_of_one_revision(api: Api, widget) -> None:
    for size in range(2, 52):
        present = api.get(WIDGET, "t", "x")
        api.update(WIDGET, {**present, "spec": {"size": size}})
        assert refusal(api.update, WIDGET, {**present, "spec": {"size": -size}}).code == 409
