"""/scale of workloads and custom resources (kubernetes-api sheet §5.4)."""

from dataclasses import replace

import pytest

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import DEPLOYMENT
from lab.apiserver.resources import ScalePaths
from lab.apiserver.scale import selector_text
from unittests.apiserver_verbs.kinds import WIDGET
from unittests.apiserver_verbs.refusals import refusal

POOL = replace(
    WIDGET,
    subresources=("status", "scale"),
    scale=ScalePaths(".spec.pool.count", ".status.count", ".status.selector"),
)
TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.fixture
def deployment(api: Api) -> dict[str, object]:
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, "template": TEMPLATE}
    return api.create(DEPLOYMENT, {"metadata": {"name": "x", "namespace": "t"}, "spec": spec})


def test_the_scale_of_a_deployment(api: Api, deployment) -> None:
    metadata = deployment["metadata"]
    assert api.get(DEPLOYMENT, "t", "x", subresource="scale") == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            key: metadata[key] for key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        },
        "spec": {"replicas": 1},
        "status": {"replicas": 0, "selector": "app=x"},
    }


def test_patching_the_scale_changes_the_deployment(api: Api, deployment) -> None:
    caller = Caller("u", manager="kubectl")
    scale = api.patch(DEPLOYMENT, "t", "x", {"spec": {"replicas": 3}}, subresource="scale", caller=caller)
    stored = api.get(DEPLOYMENT, "t", "x")
    assert (scale["kind"], scale["spec"]) == ("Scale", {"replicas": 3})
    assert scale["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]
    assert (stored["spec"]["replicas"], stored["metadata"]["generation"]) == (3, 2)
    entry = next(entry for entry in stored["metadata"]["managedFields"] if entry["manager"] == "kubectl")
    assert (entry["subresource"], entry["fieldsV1"]) == ("scale", {"f:spec": {"f:replicas": {}}})
    operation = {"op": "replace", "path": "/spec/replicas", "value": 4}
    api.patch(DEPLOYMENT, "t", "x", [operation], type="json", subresource="scale")
    assert api.get(DEPLOYMENT, "t", "x")["spec"]["replicas"] == 4
    api.patch(DEPLOYMENT, "t", "x", {"spec": {"replicas": 5}}, type="strategic", subresource="scale")
    assert api.get(DEPLOYMENT, "t", "x")["spec"]["replicas"] == 5


def test_putting_the_scale(api: Api, deployment) -> None:
    scale = api.get(DEPLOYMENT, "t", "x", subresource="scale")
    assert api.update(DEPLOYMENT, {**scale, "spec": {"replicas": 2}}, subresource="scale")["spec"] == {"replicas": 2}
    assert refusal(api.update, DEPLOYMENT, {**scale, "spec": {"replicas": 9}}, subresource="scale").code == 409
    loose = {"metadata": {"name": "x", "namespace": "t"}, "spec": {"replicas": 0}}
    assert api.update(DEPLOYMENT, loose, subresource="scale")["spec"] == {}
    assert api.get(DEPLOYMENT, "t", "x")["spec"]["replicas"] == 0
    missing = {"metadata": {"name": "y", "namespace": "t"}}
    assert refusal(api.update, DEPLOYMENT, missing, subresource="scale").code == 404


def test_replicas_are_a_number_from_zero_on(api: Api, deployment) -> None:
    error = refusal(api.patch, DEPLOYMENT, "t", "x", {"spec": {"replicas": -1}}, subresource="scale")
    assert (error.code, error.message) == (
        422,
        'Scale.autoscaling "x" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )


def test_custom_resources_name_their_paths(api: Api) -> None:
    api.create(POOL, {"metadata": {"name": "x", "namespace": "t"}, "spec": {"pool": {"kind": "big"}}})
    api.patch(POOL, "t", "x", {"status": {"count": 2, "selector": "a=b"}}, subresource="status")
    scale = api.patch(POOL, "t", "x", {"spec": {"replicas": 7}}, subresource="scale")
    assert (scale["spec"], scale["status"]) == ({"replicas": 7}, {"replicas": 2, "selector": "a=b"})
    assert api.get(POOL, "t", "x")["spec"] == {"pool": {"kind": "big", "count": 7}}


def test_applying_a_scale(api: Api, deployment) -> None:
    config = {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 1}}
    caller = Caller("u", manager="hpa")
    applied = api.patch(DEPLOYMENT, "t", "x", config, type="apply", subresource="scale", caller=caller)
    assert applied["kind"] == "Scale"
    entry = api.get(DEPLOYMENT, "t", "x")["metadata"]["managedFields"][0]
    assert (entry["manager"], entry["operation"], entry["subresource"]) == ("hpa", "Apply", "scale")
    config["spec"] = {}
    error = refusal(api.patch, DEPLOYMENT, "t", "x", config, type="apply", subresource="scale", caller=caller)
    assert error.code == 422


def test_selectors_as_text() -> None:
    expressions = [
        {"key": "a", "operator": "In", "values": ["y", "x"]},
        {"key": "b", "operator": "NotIn", "values": ["z"]},
        {"key": "c", "operator": "Exists"},
        {"key": "d", "operator": "DoesNotExist"},
    ]
    text = selector_text({"matchLabels": {"m": "2", "l": "1"}, "matchExpressions": expressions})
    assert text == "l=1,m=2,a in (x,y),b notin (z),c,!d"
