"""Namespaces: their furniture, their end, and who may write into them."""

import pytest

from lab.apiserver import namespaces
from lab.apiserver.builtin.kinds import CONFIG_MAP, NAMESPACE, POD, SECRET, SERVICE_ACCOUNT
from lab.apiserver.builtin.namespace_lifecycle import NamespaceLifecycle
from lab.apiserver.errors import ApiError
from lab.apiserver.options import DeleteOptions
from unittests.apiserver_kinds.objects import pod


@pytest.fixture
def lifecycle(api, runtime):
    controller = NamespaceLifecycle(api, "PEM")
    runtime.add(controller)
    return controller


@pytest.fixture
def namespace(api, lifecycle, clock):
    api.create(NAMESPACE, {"metadata": {"name": "t"}, "spec": {"finalizers": ["kubernetes"]}})
    clock.advance(2)
    return "t"


def test_every_cluster_starts_with_four_namespaces(api):
    namespaces.create_initial(api)
    namespaces.create_initial(api)
    names = [obj["metadata"]["name"] for obj in api.list(NAMESPACE)]
    assert names == ["default", "kube-node-lease", "kube-public", "kube-system"]


def test_a_namespace_gets_an_account_and_the_root_certificate(api, namespace):
    assert api.get(SERVICE_ACCOUNT, "t", "default")
    assert api.get(CONFIG_MAP, "t", "kube-root-ca.crt")["data"] == {"ca.crt": "PEM"}


def test_they_come_back_when_they_are_removed(api, namespace, clock):
    before = api.get(SERVICE_ACCOUNT, "t", "default")
    api.delete(SERVICE_ACCOUNT, "t", "default")
    api.delete(CONFIG_MAP, "t", "kube-root-ca.crt")
    clock.advance(1)
    assert api.get(SERVICE_ACCOUNT, "t", "default")["metadata"]["uid"] != before["metadata"]["uid"]
    assert api.get(CONFIG_MAP, "t", "kube-root-ca.crt")


def test_everything_goes_before_the_namespace_does(api, namespace, clock):
    api.create(SECRET, {"metadata": {"name": "held", "namespace": "t", "finalizers": ["a/b"]}})
    api.create(POD, pod(spec={"nodeName": "n1"}))
    api.create(CONFIG_MAP, {"metadata": {"name": "elsewhere", "namespace": "u"}})
    assert api.delete(NAMESPACE, "", "t")["status"]["phase"] == "Terminating"
    clock.advance(2)
    assert api.list(CONFIG_MAP, "t") == []
    assert api.list(SERVICE_ACCOUNT, "t") == []
    assert api.get(POD, "t", "p")["metadata"]["deletionGracePeriodSeconds"] == 30
    conditions = {entry["type"]: entry for entry in api.get(NAMESPACE, "", "t")["status"]["conditions"]}
    assert conditions["NamespaceContentRemaining"]["message"] == (
        "Some resources are remaining: pods. has 1 resource instances, secrets. has 1 resource instances"
    )
    assert conditions["NamespaceFinalizersRemaining"]["message"] == (
        "Some content in the namespace has finalizers remaining: a/b in 1 resource instances"
    )
    api.delete(POD, "t", "p", options=DeleteOptions(grace_period=0))
    api.patch(SECRET, "t", "held", {"metadata": {"finalizers": None}})
    clock.advance(2)
    assert api.find(NAMESPACE, "", "t") is None
    assert api.get(CONFIG_MAP, "u", "elsewhere")


def test_finalize_replaces_the_finalizers_of_the_spec(api, namespace):
    kept = namespaces.finalize(api, "t", {"spec": {"finalizers": ["kubernetes", "a/b"]}})
    assert kept["spec"]["finalizers"] == ["kubernetes", "a/b"]
    cleared = namespaces.finalize(api, "t", {"spec": {}})
    assert "finalizers" not in cleared["spec"]
    assert api.get(NAMESPACE, "", "t")
    with pytest.raises(ApiError, match="the object has been modified"):
        namespaces.finalize(api, "t", {"metadata": {"resourceVersion": "1"}})


def test_finalize_removes_a_terminating_namespace(api, namespace, changes):
    api.delete(NAMESPACE, "", "t")
    seen = changes(NAMESPACE)
    namespaces.finalize(api, "t", {"spec": {"finalizers": []}})
    assert [kind for kind, _ in seen] == ["DELETED"]


def test_nothing_is_created_in_a_namespace_that_is_missing(api):
    with pytest.raises(ApiError) as refused:
        namespaces.check_writable(api, CONFIG_MAP, "zzz", "x")
    assert refused.value.status() == {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "NotFound", "code": 404,
        "message": 'namespaces "zzz" not found', "details": {"name": "zzz", "kind": "namespaces"},
    }  # fmt: skip


def test_nothing_is_created_in_a_namespace_that_ends(api, namespace):
    namespaces.check_writable(api, CONFIG_MAP, "t", "x")
    api.delete(NAMESPACE, "", "t")
    with pytest.raises(ApiError) as refused:
        namespaces.check_writable(api, CONFIG_MAP, "t", "x")
    error = refused.value
    assert (error.code, error.reason) == (403, "Forbidden")
    assert error.message == (
        'configmaps "x" is forbidden: unable to create new content in namespace t because it is being terminated'
    )
    assert error.details == {
        "name": "x",
        "kind": "configmaps",
        "causes": [
            {
                "reason": "NamespaceTerminating",
                "message": "namespace t is being terminated",
                "field": "metadata.namespace",
            }
        ],
    }
