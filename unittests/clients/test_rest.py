"""Requests as paths and JSON, and what their refusals say."""

import json
import socket

import pytest
import urllib3

from utilities.clients import (
    NODES,
    PODS,
    VMIS,
    VMS,
    Resource,
    Rest,
    hyperconvergeds,
    observe_versions,
)
from utilities.errors import ApiError, Conflict, Forbidden, Gone, NotFound, SiteError, Unreachable
from utilities.site import Product

PATH = "/api/v1/namespaces/qa/pods"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PODS.path(), "/api/v1/pods"),
        (PODS.path("qa", "a"), "/api/v1/namespaces/qa/pods/a"),
        (PODS.path("qa", "a", "eviction"), "/api/v1/namespaces/qa/pods/a/eviction"),
        (NODES.path("ignored", "n"), "/api/v1/nodes/n"),
        (VMIS.path("qa"), "/apis/kubevirt.io/v1/namespaces/qa/virtualmachineinstances"),
        (
            hyperconvergeds("v1beta1").path("x", "h"),
            "/apis/hco.kubevirt.io/v1beta1/namespaces/x/hyperconvergeds/h",
        ),
    ],
)
def test_paths(path, expected):
    assert path == expected


def test_names_of_kinds():
    assert (str(PODS), str(VMS), VMS.api_version) == ("pods", "virtualmachines.kubevirt.io", "kubevirt.io/v1")
    assert Resource("", "v1", "configmaps", "ConfigMap").api_version == "v1"


def test_the_life_of_an_object(api, rest):
    created = rest.create(PODS, {"metadata": {"name": "a"}, "spec": {"x": 1}}, "qa")
    patched = rest.patch(PODS, "a", {"spec": {"y": 2}}, "qa")

    assert (created["kind"], created["apiVersion"]) == ("Pod", "v1")
    assert patched["spec"] == {"x": 1, "y": 2}
    assert rest.get(PODS, "a", "qa") == patched
    assert rest.list(PODS, "qa")["items"] == [patched]
    rest.delete(PODS, "a", "qa", uid=created["metadata"]["uid"])
    with pytest.raises(NotFound):
        rest.get(PODS, "a", "qa")


def test_what_goes_over_the_wire(api, rest):
    api.put(PATH, "a")
    rest.list(PODS, "qa", labels="a in (b,c)", fields="metadata.name=a")
    rest.patch(PODS, "a", {}, "qa", kind="strategic")
    (_, _, listed), (_, _, patched) = api.requests

    assert listed["labelSelector"] == "a in (b,c)"
    assert listed["headers"]["Authorization"] == "Bearer t"
    assert listed["headers"]["Accept"] == "application/json"
    assert patched["headers"]["Content-Type"] == "application/strategic-merge-patch+json"


def test_a_stale_version_conflicts(api, rest):
    api.put(PATH, "a")

    with pytest.raises(Conflict, match="the object has been modified") as conflict:
        rest.patch(PODS, "a", {"metadata": {"resourceVersion": "1"}, "spec": {}}, "qa")
    assert (conflict.value.code, conflict.value.reason) == (409, "Conflict")


def test_deleting_another_object_of_that_name_conflicts(api, rest):
    api.put(PATH, "a")

    with pytest.raises(Conflict, match="Precondition failed"):
        rest.delete(PODS, "a", "qa", uid="other")


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        (400, ApiError, "correct the request"),
        (403, Forbidden, "grant the permission"),
        (404, NotFound, "check that it exists"),
        (409, Conflict, "read the object again"),
        (410, Gone, "start again from a new list"),
        (422, ApiError, "correct the request"),
        (429, ApiError, "the load of the API server"),
        (503, ApiError, "the load of the API server"),
    ],
)
def test_refusals_name_the_cluster_the_request_and_what_to_do(api, rest, code, kind, advice):
    causes = [{"reason": "FieldValueInvalid", "field": "spec.x", "message": "m"}]
    body = {"code": code, "message": "no, because", "reason": "Because", "details": {"causes": causes}}
    api.fail("GET", code, json.dumps(body))
    with pytest.raises(kind) as refused:
        rest.get(PODS, "a", "qa")
    error = refused.value

    assert str(error) == f"{api.url} answers {code} Because to GET {PATH}/a: no, because"
    assert advice in error.next_step
    assert (error.code, error.server_message, error.causes) == (code, "no, because", tuple(causes))


def test_a_body_that_is_no_status_is_quoted(api, rest):
    api.fail("GET", 502, '"bad gateway"')

    with pytest.raises(ApiError, match=r'answers 502 error to GET .*: "bad gateway"'):
        rest.get(PODS, "a", "qa")


def test_expired_credentials(api, rest):
    api.fail("GET", 401, '{"message": "Unauthorized"}')

    with pytest.raises(SiteError, match=f"{api.url} rejects the credentials .401 to GET .* is expired or") as error:
        rest.get(PODS, "a", "qa")
    assert "log in again" in error.value.next_step


def test_nobody_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unreachable, match=rf"{url} is not reachable \(GET /api/v1/nodes/n\): .*refused") as error:
        Rest(url, urllib3.PoolManager()).get(NODES, "n")

    assert "check that the cluster runs" in error.value.next_step


def test_a_connection_that_breaks(api, rest):
    api.fail("GET", 0)

    with pytest.raises(Unreachable):
        rest.get(PODS, "a", "qa")


def test_a_watch_that_is_silent_is_over(api, rest):
    following = rest.follow(PODS, "qa", version="100", silence=0.02)

    assert following.read() is None
    following.close()


def test_a_watch_that_is_refused(api, rest):
    api.fail("WATCH", 403)

    with pytest.raises(Forbidden, match=f"to WATCH {PATH}"):
        rest.follow(PODS, "qa", version="100")


def test_versions_of_a_site_with_hco(api, rest):
    product = Product.model_validate({})
    kubevirts = "/apis/kubevirt.io/v1/namespaces/openshift-cnv/kubevirts"
    hyperconverged = "/apis/hco.kubevirt.io/v1/namespaces/openshift-cnv/hyperconvergeds"
    api.put(kubevirts, product.kubevirt, status={"observedKubeVirtVersion": "v1.9.0"})
    versions = [{"name": "operator", "version": "1.19.0"}]
    api.put(hyperconverged, product.hyperconverged, status={"versions": versions})
    clusters = "/apis/config.openshift.io/v1/clusterversions"
    api.put(clusters, "version", status={"desired": {"version": "4.30.1"}})
    for node, kernel in (("a", "6.12.1"), ("b", "6.12.0"), ("c", "6.12.1")):
        api.put("/api/v1/nodes", node, status={"nodeInfo": {"osImage": "CoreOS 10", "kernelVersion": kernel}})
    found = observe_versions(rest, product)

    assert (found.kubernetes, found.kubevirt, found.hyperconverged) == ("v1.36.0", "v1.9.0", "1.19.0")
    assert (found.openshift, found.node_systems, found.node_kernels) == ("4.30.1", ("CoreOS 10",), ("6.12.0", "6.12.1"))


def test_versions_of_plain_kubevirt(api, rest):
    api.put(
        "/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts", "kubevirt", status={"observedKubeVirtVersion": "v1.9.0"}
    )

    found = observe_versions(rest, Product.model_validate({"installed_by": "kubevirt"}))

    assert (found.hyperconverged, found.openshift, found.node_systems) == (None, None, ())


def test_a_product_that_is_not_deployed_yet(api, rest):
    api.put("/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts", "kubevirt", status={})

    with pytest.raises(SiteError, match=r"KubeVirt kubevirt/kubevirt at .* reports no observedKubeVirtVersion"):
        observe_versions(rest, Product.model_validate({"installed_by": "kubevirt"}))
