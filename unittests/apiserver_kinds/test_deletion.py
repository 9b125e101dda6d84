"""Deletion: what holds an object, who may change that, and what watchers and callers see."""

import pytest

from lab.apiserver import deletion
from lab.apiserver.builtin.kinds import CONFIG_MAP, CRD, NAMESPACE, POD
from lab.apiserver.errors import ApiError
from lab.apiserver.options import DeleteOptions
from lab.clock import timestamp
from unittests.apiserver_kinds import objects as manifests
from unittests.apiserver_kinds.hypervisors import definition


def config_map(api, name="x", **metadata):
    return api.create(CONFIG_MAP, {"metadata": {"name": name, "namespace": "t", **metadata}})


def pod(api, node="n1", phase="Running"):
    api.create(POD, manifests.pod(spec={"nodeName": node} if node else {}))
    return api.patch(POD, "t", "p", {"status": {"phase": phase}}, subresource="status")


def test_an_object_that_nothing_holds_goes_at_once_with_one_event(api, changes):
    created = config_map(api)
    seen = changes(CONFIG_MAP)
    gone = api.delete(CONFIG_MAP, "t", "x")
    assert [kind for kind, _ in seen] == ["DELETED"]
    assert seen[0][1] == gone
    assert int(gone["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])
    assert "deletionTimestamp" not in gone["metadata"]
    assert deletion.reply(api, CONFIG_MAP, gone) == {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
        "details": {"name": "x", "kind": "configmaps", "uid": created["metadata"]["uid"]},
    }  # fmt: skip


def test_a_finalizer_holds_the_object_until_a_patch_takes_it(api, changes, clock):
    config_map(api, finalizers=["a/b"])
    seen = changes(CONFIG_MAP)
    held = api.delete(CONFIG_MAP, "t", "x")
    assert held["metadata"]["deletionTimestamp"] == clock.stamp()
    assert held["metadata"]["deletionGracePeriodSeconds"] == 0
    assert deletion.reply(api, CONFIG_MAP, held) == held
    api.patch(CONFIG_MAP, "t", "x", {"metadata": {"finalizers": None}})
    assert [kind for kind, _ in seen] == ["MODIFIED", "DELETED"]
    assert api.find(CONFIG_MAP, "t", "x") is None


def test_a_second_delete_with_foreign_finalizers_changes_nothing(api, changes):
    config_map(api, finalizers=["a/b"])
    first = api.delete(CONFIG_MAP, "t", "x")
    seen = changes(CONFIG_MAP)
    assert api.delete(CONFIG_MAP, "t", "x") == first
    assert seen == []


def test_the_policy_becomes_a_finalizer_and_a_second_delete_may_change_it(api):
    config_map(api)
    held = api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(propagation="Foreground"))
    assert held["metadata"]["finalizers"] == ["foregroundDeletion"]
    held = api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(orphan_dependents=True))
    assert held["metadata"]["finalizers"] == ["orphan"]
    assert api.delete(CONFIG_MAP, "t", "x")["metadata"]["finalizers"] == ["orphan"]
    api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(propagation="Background"))
    assert api.find(CONFIG_MAP, "t", "x") is None


def test_the_generation_counts_the_first_mark_only(api):
    api.create(POD, manifests.pod(finalizers=["a/b"]))
    assert api.delete(POD, "t", "p")["metadata"]["generation"] == 2
    assert api.delete(POD, "t", "p")["metadata"]["generation"] == 2


def test_preconditions_must_fit(api):
    uid = config_map(api)["metadata"]["uid"]
    with pytest.raises(ApiError) as refused:
        api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(precondition_uid="other"))
    assert (refused.value.code, refused.value.reason) == (409, "Conflict")
    assert refused.value.message == (
        'Operation cannot be fulfilled on configmaps "x": '
        f"Precondition failed: UID in precondition: other, UID in object meta: {uid}"
    )
    with pytest.raises(ApiError) as refused:
        api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(precondition_revision="1"))
    assert refused.value.code == 409
    api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(precondition_uid=uid))
    again = config_map(api)
    assert again["metadata"]["uid"] != uid


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            DeleteOptions(propagation="Never"),
            'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Never": '
            'supported values: "Foreground", "Background", "Orphan", "nil"',
        ),
        (
            DeleteOptions(propagation="Orphan", orphan_dependents=True),
            'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": '
            "orphanDependents and deletionPropagation cannot be both set",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(api, options, message):
    config_map(api)
    with pytest.raises(ApiError) as refused:
        api.delete(CONFIG_MAP, "t", "x", options=options)
    assert (refused.value.code, refused.value.message) == (422, message)


def test_a_missing_object_is_404(api):
    with pytest.raises(ApiError, match='configmaps "x" not found'):
        api.delete(CONFIG_MAP, "t", "x")


def test_a_dry_run_changes_nothing(api, changes):
    before = config_map(api, finalizers=["a/b"])
    seen = changes(CONFIG_MAP)
    shown = api.delete(CONFIG_MAP, "t", "x", options=DeleteOptions(dry_run=True))
    assert shown["metadata"]["deletionTimestamp"]
    assert api.get(CONFIG_MAP, "t", "x") == before
    assert seen == []


def test_a_running_pod_gets_its_grace(api, clock):
    pod(api)
    held = api.delete(POD, "t", "p")
    assert held["metadata"]["deletionGracePeriodSeconds"] == 30
    assert held["metadata"]["deletionTimestamp"] == timestamp(clock.now() + 30)
    assert not deletion.is_due(POD, held)


def test_a_status_write_during_grace_does_not_remove_the_pod(api):
    pod(api)
    api.delete(POD, "t", "p")
    api.patch(POD, "t", "p", {"status": {"message": "stopping"}}, subresource="status")
    assert api.get(POD, "t", "p")["status"]["message"] == "stopping"


def test_a_later_delete_may_only_shorten_the_grace(api, clock, changes):
    pod(api)
    start = clock.now()
    first = api.delete(POD, "t", "p")
    clock.advance(5)
    seen = changes(POD)
    assert api.delete(POD, "t", "p", options=DeleteOptions(grace_period=60)) == first
    assert seen == []
    shorter = api.delete(POD, "t", "p", options=DeleteOptions(grace_period=10))
    assert shorter["metadata"]["deletionTimestamp"] == timestamp(start + 10)
    assert shorter["metadata"]["deletionGracePeriodSeconds"] == 10
    assert shorter["metadata"]["generation"] == first["metadata"]["generation"] == 2
    last = api.delete(POD, "t", "p", options=DeleteOptions(grace_period=0))
    assert last["metadata"]["deletionGracePeriodSeconds"] == 0
    assert [kind for kind, _ in seen] == ["MODIFIED", "DELETED"]


def test_a_negative_grace_is_one_second(api):
    pod(api)
    held = api.delete(POD, "t", "p", options=DeleteOptions(grace_period=-1))
    assert held["metadata"]["deletionGracePeriodSeconds"] == 1


@pytest.mark.parametrize(("node", "phase"), [("", "Pending"), ("n1", "Succeeded"), ("n1", "Failed")])
def test_a_pod_that_does_not_run_goes_at_once_and_is_returned(api, node, phase):
    pod(api, node, phase)
    gone = api.delete(POD, "t", "p")
    assert api.find(POD, "t", "p") is None
    assert deletion.reply(api, POD, gone)["kind"] == "Pod"


def test_grace_zero_removes_a_running_pod_unless_a_finalizer_holds_it(api):
    pod(api)
    api.patch(POD, "t", "p", {"metadata": {"finalizers": ["a/b"]}})
    held = api.delete(POD, "t", "p", options=DeleteOptions(grace_period=0))
    assert held["metadata"]["deletionGracePeriodSeconds"] == 0
    api.patch(POD, "t", "p", {"metadata": {"finalizers": None}})
    assert api.find(POD, "t", "p") is None


def test_a_namespace_is_marked_terminating_and_stays_while_its_own_finalizer_does(api):
    api.create(NAMESPACE, {"metadata": {"name": "t"}, "spec": {"finalizers": ["kubernetes"]}})
    held = api.delete(NAMESPACE, "", "t")
    assert held["status"]["phase"] == "Terminating"
    assert held["metadata"]["deletionTimestamp"]
    assert not deletion.is_due(NAMESPACE, held)
    assert api.delete(NAMESPACE, "", "t") == held
    assert deletion.is_due(NAMESPACE, {**held, "spec": {}})


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_three_namespaces_may_not_be_deleted(api, name):
    api.create(NAMESPACE, {"metadata": {"name": name}})
    with pytest.raises(ApiError) as refused:
        api.delete(NAMESPACE, "", name)
    assert refused.value.message == f'namespaces "{name}" is forbidden: this namespace may not be deleted'
    assert (refused.value.code, refused.value.reason) == (403, "Forbidden")


def test_a_definition_gets_the_cleanup_finalizer(api):
    api.create(CRD, definition("foos", "Foo", "g"))
    held = api.delete(CRD, "", "foos.g")
    assert held["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert held["status"]["conditions"][0]["reason"] == "InstanceDeletionPending"
    assert api.delete(CRD, "", "foos.g") == held


def test_a_collection_goes_by_selection_one_event_each(api, changes):
    for name, labels in (("a", {"x": "y"}), ("b", {}), ("c", {"x": "y"})):
        config_map(api, name, labels=labels)
    seen = changes(CONFIG_MAP)
    gone = deletion.delete_collection(
        api, CONFIG_MAP, "t", lambda obj: obj["metadata"].get("labels", {}).get("x") == "y"
    )
    assert [obj["metadata"]["name"] for obj in gone] == ["a", "c"]
    assert [(kind, obj["metadata"]["name"]) for kind, obj in seen] == [("DELETED", "a"), ("DELETED", "c")]
    assert [obj["metadata"]["name"] for obj in api.list(CONFIG_MAP)] == ["b"]
