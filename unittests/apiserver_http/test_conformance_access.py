"""Conformance checks about identities, permissions and reviews (sheet §1.5, §9)."""

import http.client
import json

import pytest

from unittests.apiserver_http.wire import Client


def refusal(answer, code: int):
    assert answer.status == code
    status = answer.json
    assert (status["kind"], status["status"], status["code"]) == ("Status", "Failure", code)
    return status


def test_check_58_a_bad_token(server, context):
    client = Client(server.port, context, "no-such-token")
    assert client.get("/api/v1/nodes").json == {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "Unauthorized",
        "reason": "Unauthorized", "code": 401,
    }  # fmt: skip
    client.close()


def test_check_58_an_unprivileged_user(tester, namespace):
    status = refusal(tester.get("/api/v1/nodes"), 403)
    assert status["message"] == (
        'nodes is forbidden: User "tester" cannot list resource "nodes" in API group "" at the cluster scope'
    )
    assert status["details"] == {"kind": "nodes"}
    status = refusal(tester.get(f"/api/v1/namespaces/{namespace}/pods/p/log"), 403)
    assert status["message"] == (
        f'pods "p" is forbidden: User "tester" cannot get resource "pods/log" in API group "" '
        f'in the namespace "{namespace}"'
    )
    status = refusal(tester.delete(f"/apis/apps/v1/namespaces/{namespace}/deployments/d"), 403)
    assert status["details"] == {"name": "d", "group": "apps", "kind": "deployments"}
    assert tester.get("/apis").status == 200


def test_check_58_the_anonymous(anonymous):
    assert "system:anonymous" in refusal(anonymous.get("/api/v1/nodes"), 403)["message"]
    message = 'forbidden: User "system:anonymous" cannot get path "/apis"'
    assert refusal(anonymous.get("/apis"), 403)["message"] == message
    assert [anonymous.get(path).body for path in ("/healthz", "/livez", "/readyz", "/readyz?verbose")] == [b"ok"] * 4


def test_check_58_a_client_certificate(server, context, tmp_path):
    pair = server.front.authority.client("carol", ["team-a", "team-b"])
    (tmp_path / "crt").write_bytes(pair.certificate)
    (tmp_path / "key").write_bytes(pair.key)
    context = type(context)(context.protocol)
    context.load_verify_locations(cadata=server.front.authority.pem.decode())
    context.load_cert_chain(tmp_path / "crt", tmp_path / "key")
    client = Client(server.port, context, None)
    answer = client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    user = answer.json["status"]["userInfo"]
    assert (user["username"], user["groups"]) == ("carol", ["team-a", "team-b", "system:authenticated"])
    client.close()


def test_an_expired_token(server, context):
    server.call(lambda: server.front.credentials.add("old", server.front.credentials.user_of("tester-token", 0), 1.0))
    client = Client(server.port, context, "old")
    refusal(client.get("/version"), 401)
    client.close()


def grant(admin, namespace: str, user: str, **rule):
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    assert admin.post(f"{rbac}/roles", {"metadata": {"name": "r"}, "rules": [rule]}).status == 201
    body = {
        "metadata": {"name": "b"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}],
    }  # fmt: skip
    assert admin.post(f"{rbac}/rolebindings", body).status == 201


def test_a_role_opens_what_it_says_and_nothing_else(admin, tester, namespace):
    grant(admin, namespace, "tester", verbs=["get", "list"], apiGroups=[""], resources=["configmaps"])
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    assert tester.get(path).status == 200
    refusal(tester.get(f"{path}?watch=true"), 403)
    refusal(tester.post(path, {"metadata": {"name": "x"}}), 403)
    refusal(tester.get("/api/v1/configmaps"), 403)


def access(client, kind: str, spec: dict):
    plural = kind.lower() + "s"
    answer = client.post(f"/apis/authorization.k8s.io/v1/{plural}", {"spec": spec})
    assert answer.status == 201, answer.body
    assert (answer.json["kind"], answer.json["spec"]) == (kind, spec)
    return answer.json["status"]


def test_check_57_access_reviews(admin, tester, namespace):
    grant(admin, namespace, "tester", verbs=["list"], apiGroups=[""], resources=["pods"])
    wanted = {"resourceAttributes": {"namespace": namespace, "verb": "list", "resource": "pods"}}
    assert access(tester, "SelfSubjectAccessReview", wanted)["allowed"] is True
    elsewhere = {"resourceAttributes": {"namespace": "default", "verb": "list", "resource": "pods"}}
    assert access(tester, "SelfSubjectAccessReview", elsewhere) == {"allowed": False}
    paths = {"nonResourceAttributes": {"path": "/apis", "verb": "get"}}
    assert access(tester, "SelfSubjectAccessReview", paths)["allowed"] is True
    assert access(admin, "SubjectAccessReview", {**wanted, "user": "tester"})["allowed"] is True
    path = f"/apis/authorization.k8s.io/v1/namespaces/{namespace}/localsubjectaccessreviews"
    assert admin.post(path, {"spec": {**wanted, "user": "tester"}}).json["status"]["allowed"] is True
    assert admin.post(path, {"spec": {**elsewhere, "user": "tester"}}).status == 400
    refusal(admin.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {}}), 422)


def test_check_57_rules_reviews(admin, tester, namespace):
    grant(admin, namespace, "tester", verbs=["list"], apiGroups=[""], resources=["pods"])
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    everything = admin.post(path, {"spec": {"namespace": namespace}}).json["status"]
    assert everything["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert everything["incomplete"] is False
    own = tester.post(path, {"spec": {"namespace": namespace}}).json["status"]
    assert {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"]} in own["resourceRules"]


def test_check_57_token_requests_and_reviews(server, context, admin, namespace):
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    assert admin.post(account, {"metadata": {"name": "robot"}}).status == 201
    answer = admin.post(f"{account}/robot/token", {"spec": {"expirationSeconds": 600}})
    assert answer.status == 201
    status = answer.json["status"]
    assert status["expirationTimestamp"].endswith("Z")
    review = admin.post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": status["token"]}}).json
    assert review["status"]["authenticated"] is True
    assert review["status"]["user"]["username"] == f"system:serviceaccount:{namespace}:robot"
    robot = Client(server.port, context, status["token"])
    user = robot.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}).json["status"]["userInfo"]
    assert user["groups"] == [
        "system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated",
    ]  # fmt: skip
    robot.close()
    assert (
        "authenticated"
        not in admin.post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "bad"}}).json["status"]
    )
    refusal(admin.post(f"{account}/robot/token", {"spec": {"expirationSeconds": 5}}), 422)
    refusal(admin.post(f"{account}/nobody/token", {}), 404)


def test_reviews_are_answered_not_stored(admin):
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    refusal(admin.get(path), 405)
    refusal(admin.get(f"{path}/x"), 405)


def test_impersonation(admin, tester):
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    answer = admin.send("POST", path, {}, {"Impersonate-User": "zoe", "Impersonate-Group": "team"})
    assert answer.json["status"]["userInfo"] == {"username": "zoe", "groups": ["team", "system:authenticated"]}
    refusal(tester.send("POST", path, {}, {"Impersonate-User": "zoe"}), 403)


@pytest.mark.parametrize(
    ("method", "path", "code", "reason"),
    [
        ("GET", "/apis/nope.io/v1/things", 404, None),
        ("GET", "/api/v1/things", 404, "NotFound"),
        ("GET", "/api/v1/namespaces/default/nodes", 404, "NotFound"),
        ("GET", "/api/v1/pods/p", 404, "NotFound"),
        ("GET", "/api/v1/namespaces/default/pods/p/nope", 404, "NotFound"),
        ("POST", "/api/v1/pods", 405, "MethodNotAllowed"),
        ("PUT", "/api/v1/nodes", 405, "MethodNotAllowed"),
        ("OPTIONS", "/api/v1/nodes", 405, "MethodNotAllowed"),
        ("GET", "/nope", 404, None),
    ],
)
def test_paths_and_methods_that_are_not_offered(admin, method, path, code, reason):
    answer = admin.send(method, path)
    assert answer.status == code
    if reason is None:
        assert answer.body == b"404 page not found\n"
    else:
        assert refusal(answer, code)["reason"] == reason


def test_heads_and_trailing_slashes(admin):
    assert (admin.send("HEAD", "/api/v1/nodes").status, admin.send("HEAD", "/api/v1/nodes").body) == (200, b"")
    assert admin.get("/apis/apps/v1/").status == 200
    assert admin.get("/api/?timeout=32s&pretty=true").json["kind"] == "APIVersions"


@pytest.mark.parametrize(
    ("accept", "code"),
    [
        ("*/*", 200), ("application/vnd.kubernetes.protobuf,application/json", 200),
        ("application/vnd.kubernetes.protobuf, */*", 200), ("application/json, application/yaml", 200),
        ("application/vnd.kubernetes.protobuf", 406), ("text/html", 406),
        ("application/json;g=meta.k8s.io;as=PartialObjectMetadataList;v=v1", 200),
    ],
)  # fmt: skip
def test_negotiation(admin, accept, code):
    assert admin.get("/api/v1/namespaces", accept).status == code


def test_metadata_only(admin, namespace):
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    shown = admin.get("/api/v1/namespaces", accept).json
    assert (shown["kind"], shown["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert all(item.keys() == {"kind", "apiVersion", "metadata"} for item in shown["items"])
    one = admin.get(f"/api/v1/namespaces/{namespace}", accept.replace("List", "")).json
    assert (one["kind"], one["metadata"]["name"]) == ("PartialObjectMetadata", namespace)


def test_bodies_in_yaml_and_of_unknown_types(admin, maps):
    answer = admin.post(maps, b"metadata: {name: y}\ndata: {day: '2026-01-01'}\n", "application/yaml")
    assert (answer.status, answer.json["data"]) == (201, {"day": "2026-01-01"})
    refused = refusal(admin.post(maps, b"<x/>", "application/xml"), 415)
    assert "application/json" in refused["message"]
    assert refused["reason"] == "UnsupportedMediaType"
    refusal(admin.post(maps, b"[]"), 400)
    refusal(admin.post(maps, b"not json"), 400)


def test_a_body_beyond_the_limit(admin, maps):
    big = json.dumps({"metadata": {"name": "big"}, "data": {"a": "x" * (3 * 1024 * 1024)}}).encode()
    refusal(admin.post(maps, big), 413)
    admin.close()  # the server need not read the rest


def test_chunked_bodies_on_a_kept_alive_connection(server, context, admin, maps):
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=10)
    headers = {"authorization": "Bearer admin-token", "Content-Type": "application/json"}
    pieces = iter([b'{"metadata":', b'{"name":"chunked"}}'])
    connection.request("POST", maps, pieces, headers, encode_chunked=True)
    assert connection.getresponse().read()
    used = connection.sock
    connection.request("GET", f"{maps}/chunked", headers=headers)
    assert connection.getresponse().status == 200
    assert connection.sock is used
    connection.close()
