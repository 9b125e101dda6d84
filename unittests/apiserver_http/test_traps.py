"""The traps T1 to T17 that real clients fell into (sheet §0), each where it bites: on the wire."""

import json
import ssl

import pytest

from lab.apiserver.discovery.openapi import V2_CONTENT_TYPE
from lab.apiserver.errors import ApiError
from lab.apiserver.http.replies import error_reply
from unittests.apiserver_http.labserver import ADMIN, LabServer
from unittests.apiserver_http.test_conformance_custom import established
from unittests.apiserver_http.test_conformance_deleting import allowed, evict, ready_pod
from unittests.apiserver_http.test_conformance_reading import AGGREGATED
from unittests.apiserver_http.test_protobuf import envelope, field
from unittests.apiserver_http.wire import Client

PROTOBUF = "application/vnd.kubernetes.protobuf"


@pytest.mark.parametrize(
    ("text", "watches"),
    [("True", True), ("true", True), ("1", True), ("", True), ("yes", True), ("False", False), ("FALSE", False),
     ("false", False), ("0", False), (None, False)],
)  # fmt: skip
def test_t01_booleans_in_every_spelling(admin, maps, text, watches):
    path = maps if text is None else f"{maps}?watch={text}"
    with admin.watch(f"{path}{'&' if '?' in path else '?'}timeoutSeconds=1") as answer:
        assert (answer.headers.get("transfer-encoding") == "chunked") is watches


def test_t02_protobuf_bodies_are_read_without_a_fallback(admin, namespace):
    lease = envelope("coordination.k8s.io/v1", "Lease", field(1, field(1, b"l")) + field(2, field(1, b"me")))
    answer = admin.post(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases", lease, PROTOBUF)
    assert (answer.status, answer.json["spec"]) == (201, {"holderIdentity": "me"})


def test_t03_replies_are_json_without_parameters(admin, maps):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    headers = {"Accept": "application/json, */*"}
    applied = admin.send("PATCH", f"{maps}/x?fieldManager=m", body, headers, kind="application/apply-patch+yaml")
    assert applied.headers["content-type"] == "application/json"
    assert admin.get(maps, f"{PROTOBUF}, */*").headers["content-type"] == "application/json"


def test_t04_one_websocket_frame_per_tls_record(admin, namespace):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}
    admin.post(pods, {"metadata": {"name": "p"}, "spec": spec})
    command = "command=sh&command=-c&command=echo+a%3B+echo+b+%3E%262%3B+echo+c"
    with admin.upgrade(f"{pods}/p/exec?{command}&stdout=1&stderr=1", "v4.channel.k8s.io") as socket:
        frames = socket.frames()
    assert len(frames) >= 4
    assert all(frame.alone for frame in frames)


def test_t05_openapi_v2_protobuf_has_the_dot_form(admin):
    answer = admin.get("/openapi/v2?timeout=32s", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
    assert answer.headers["content-type"] == V2_CONTENT_TYPE
    assert answer.headers["content-type"] == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    assert answer.body.hex() == "0a03322e30120c0a036c6162120576312e33324200"


def test_t06_both_openapi_versions_are_there(admin):
    assert admin.get("/openapi/v2").json["swagger"] == "2.0"
    paths = admin.get("/openapi/v3").json["paths"]
    assert {"api/v1", "apis/apps/v1"} <= paths.keys()
    document = admin.get(paths["api/v1"]["serverRelativeURL"]).json
    patch = document["paths"]["/api/v1/nodes/{name}"]["patch"]
    assert patch["x-kubernetes-group-version-kind"] == {"group": "", "version": "v1", "kind": "Node"}
    assert "fieldValidation" in [parameter["name"] for parameter in patch["parameters"]]
    assert "/api/v1/namespaces/{namespace}/pods/{name}" in document["paths"]
    assert admin.get("/openapi/v3/apis/nope/v1").status == 404


def test_t07_portforward_speaks_v4_whatever_else_is_offered(admin, namespace):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    admin.post(pods, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    with admin.upgrade(f"{pods}/p/portforward?ports=22", "v5.channel.k8s.io,v4.channel.k8s.io") as socket:
        assert socket.headers["sec-websocket-protocol"] == "v4.channel.k8s.io"
        assert socket.data() == bytes([0, 22, 0])


def test_t08_a_write_that_changes_nothing_changes_no_revision(admin, maps):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}}
    revisions = set()
    for _ in range(3):
        answer = admin.patch(f"{maps}/x?fieldManager=m&force=true", body, "apply")
        revisions.add(answer.json["metadata"]["resourceVersion"])
    assert len(revisions) == 1


def test_t09_bookmarks_carry_kind_and_version(admin, maps):
    with admin.watch(f"{maps}?watch=1&allowWatchBookmarks=true&timeoutSeconds=1&labelSelector=none") as events:
        (mark,) = events.rest()
    assert mark["type"] == "BOOKMARK"
    assert (mark["object"]["kind"], mark["object"]["apiVersion"]) == ("ConfigMap", "v1")


def test_t10_both_discoveries_are_served_also_for_late_kinds(admin):
    established(admin, "latecomers")
    assert "latecomers" in [entry["name"] for entry in admin.get("/apis/lab.test/v1").json["resources"]]
    assert "lab.test" in [item["metadata"]["name"] for item in admin.get("/apis", AGGREGATED).json["items"]]
    assert admin.get("/apis/lab.test/v2").status == 404


def test_t11_content_types_that_do_not_fit_the_body(admin, maps):
    assert admin.send("POST", maps, {"metadata": {"name": "x"}}).status == 201
    assert admin.send("DELETE", f"{maps}/x", None, kind="application/json").status == 200


def test_t12_no_retry_after_unless_the_error_asks(admin, namespace):
    ready_pod(admin, namespace, "p", app="x")
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}
    assert admin.post(budgets, {"metadata": {"name": "b"}, "spec": spec}).status == 201
    allowed(admin, budgets, 0)
    refused = evict(admin, namespace, "p")
    assert refused.status == 429
    assert "retry-after" not in refused.headers
    busy = ApiError(429, "TooManyRequests", "still being processed", {"retryAfterSeconds": 10})
    assert error_reply(busy).headers["Retry-After"] == "10"


def test_t13_taints_are_replaced_as_a_whole(admin):
    taints = [{"key": key, "effect": "NoSchedule"} for key in ("a", "b")]
    admin.post("/api/v1/nodes", {"metadata": {"name": "t13"}, "spec": {"taints": taints}})
    answer = admin.patch("/api/v1/nodes/t13", {"spec": {"taints": taints[:1]}}, "strategic")
    assert answer.json["spec"]["taints"] == taints[:1]
    answer = admin.patch("/api/v1/nodes/t13", {"spec": {"taints": None}}, "strategic")
    assert "taints" not in answer.json.get("spec", {})


def test_t14_owners_of_the_core_group_with_a_slash(admin, maps):
    uid = admin.post("/api/v1/nodes", {"metadata": {"name": "t14"}}).json["metadata"]["uid"]
    owner = {"apiVersion": "/v1", "kind": "Node", "name": "t14", "uid": uid}
    answer = admin.post(maps, {"metadata": {"name": "x", "ownerReferences": [owner]}})
    assert answer.status == 201
    with admin.watch(f"{maps}?watch=1&fieldSelector=metadata.name%3Dx&timeoutSeconds=8") as events:
        assert events.next()["type"] == "ADDED"
        admin.delete("/api/v1/nodes/t14")
        assert events.next()["type"] == "DELETED"


def test_t15_managers_come_from_the_query_or_the_user_agent(admin, maps):
    agent = {"User-Agent": "kubectl/v1.32.0 (linux/amd64) kubernetes/abc"}
    answer = admin.send("POST", maps, {"metadata": {"name": "x"}, "data": {"a": "b"}}, agent)
    assert [entry["manager"] for entry in answer.json["metadata"]["managedFields"]] == ["kubectl"]
    answer = admin.send("PATCH", f"{maps}/x?fieldManager=kubectl-edit", {"data": {"c": "d"}}, agent,
                        kind="application/merge-patch+json")  # fmt: skip
    managers = {entry["manager"]: entry["operation"] for entry in answer.json["metadata"]["managedFields"]}
    assert managers == {"kubectl": "Update", "kubectl-edit": "Update"}


def test_t16_a_cached_discovery_stays_true(server, admin):
    """Python caches discovery by host and port, across processes: ports differ, and what is served does not."""
    with LabServer() as other:
        assert other.port != server.port
        context = ssl.create_default_context(cadata=other.front.authority.pem.decode())
        client = Client(other.port, context, ADMIN)
        for path in ("/api/v1", "/apis/apps/v1", "/apis/coordination.k8s.io/v1"):
            assert client.get(path).json == admin.get(path).json
        client.close()


@pytest.mark.parametrize("upgrade", ["SPDY/3.1", "websocket"])
@pytest.mark.parametrize("subresource", ["exec?command=cat&stdout=true", "attach?stdout=true", "portforward?ports=22"])
def test_t17_spdy_is_refused_before_any_upgrade(admin, namespace, upgrade, subresource):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    admin.post(pods, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    headers = {"Connection": "Upgrade", "Upgrade": upgrade, "X-Stream-Protocol-Version": "v4.channel.k8s.io"}
    if upgrade == "websocket":
        headers["Sec-WebSocket-Protocol"] = "SPDY/3.1+portforward.k8s.io"
    answer = admin.send("POST", f"{pods}/p/{subresource}", headers=headers)
    assert answer.status == 400
    assert json.loads(answer.body)["message"] == "Upgrade request required"
