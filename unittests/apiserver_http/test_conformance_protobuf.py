"""Conformance checks about protobuf request bodies (sheet §1.6, §9)."""

import pytest

from unittests.apiserver_http.test_protobuf import DELETE_OPTIONS, EVENT, LEASE, NAMESPACE, NEW_EVENT, envelope, field

PROTOBUF = "application/vnd.kubernetes.protobuf"
MICRO = "2026-01-01T00:00:00.250000Z"


def body(text: str, **replaced: str) -> bytes:
    """A vector with values of the same length replaced."""
    data = bytes.fromhex(text)
    for old, new in replaced.items():
        assert len(old) == len(new)
        data = data.replace(old.encode(), new.encode())
    return data


@pytest.fixture
def t(admin) -> str:
    """The namespace `t` that the vectors name."""
    admin.post("/api/v1/namespaces", {"metadata": {"name": "t"}})
    return "t"


def lease(revision: str, holder: str = "you") -> bytes:
    metadata = field(1, b"l1") + field(3, b"t") + field(6, revision.encode())
    spec = field(1, holder.encode()) + field(2, 15) + field(5, 1)
    return envelope("coordination.k8s.io/v1", "Lease", field(1, metadata) + field(2, spec))


def test_check_11_leases(admin, t):
    path = f"/apis/coordination.k8s.io/v1/namespaces/{t}/leases"
    answer = admin.post(path, body(LEASE), PROTOBUF)
    assert answer.status == 201
    assert answer.headers["content-type"] == "application/json"
    spec = answer.json["spec"]
    assert (spec["holderIdentity"], spec["leaseDurationSeconds"], spec["leaseTransitions"]) == ("me", 15, 0)
    assert spec["renewTime"] == spec["acquireTime"] == MICRO
    revision = answer.json["metadata"]["resourceVersion"]
    updated = admin.send("PUT", f"{path}/l1", lease(revision), kind=PROTOBUF)
    assert (updated.status, updated.json["spec"]["holderIdentity"]) == (200, "you")
    stale = admin.send("PUT", f"{path}/l1", lease(revision, "she"), kind=PROTOBUF)
    assert (stale.status, stale.json["reason"]) == (409, "Conflict")


def test_check_12_events_in_both_groups(admin):
    core, newer = "/api/v1/namespaces/default/events", "/apis/events.k8s.io/v1/namespaces/default/events"
    assert admin.post(core, body(EVENT), PROTOBUF).status == 201
    assert admin.post(newer, body(NEW_EVENT), PROTOBUF).status == 201
    shown = admin.get(f"{newer}/n1.1").json
    assert (shown["apiVersion"], shown["note"], shown["deprecatedCount"]) == ("events.k8s.io/v1", "m", 1)
    assert (shown["regarding"]["name"], shown["reportingController"]) == ("n1", "c")
    shown = admin.get(f"{core}/n1.2").json
    assert (shown["apiVersion"], shown["message"], shown["eventTime"]) == ("v1", "m", MICRO)
    assert (shown["involvedObject"]["name"], shown["reportingComponent"], shown["action"]) == ("n1", "c", "A")


def test_namespaces_and_delete_options(admin, maps):
    answer = admin.post("/api/v1/namespaces?fieldManager=kubectl-create", body(NAMESPACE), PROTOBUF)
    assert (answer.status, answer.json["metadata"]["name"]) == (201, "nn")
    admin.post(maps, {"metadata": {"name": "x"}})
    assert admin.send("DELETE", f"{maps}/x", body(DELETE_OPTIONS), kind=PROTOBUF).status == 200
    assert admin.get(f"{maps}/x").status == 404


def test_check_57_reviews_as_protobuf(admin):
    wanted = field(1, field(2, b"list") + field(5, b"pods"))
    raw = field(2, wanted)
    answer = admin.post(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        envelope("authorization.k8s.io/v1", "SelfSubjectAccessReview", raw), PROTOBUF,
    )  # fmt: skip
    assert (answer.status, answer.json["status"]["allowed"]) == (201, True)
    answer = admin.post(
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        envelope("authorization.k8s.io/v1", "SelfSubjectRulesReview", field(2, field(1, b"default"))), PROTOBUF,
    )  # fmt: skip
    assert answer.json["status"]["resourceRules"]
    answer = admin.post(
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        envelope("authentication.k8s.io/v1", "SelfSubjectReview", b""), PROTOBUF,
    )  # fmt: skip
    assert answer.json["status"]["userInfo"]["username"] == "admin"


def test_token_requests_as_protobuf(admin, namespace):
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    account = envelope("v1", "ServiceAccount", field(1, field(1, b"robot")))
    assert admin.post(accounts, account, PROTOBUF).status == 201
    request = envelope("authentication.k8s.io/v1", "TokenRequest", field(2, field(4, 900)))
    answer = admin.post(f"{accounts}/robot/token", request, PROTOBUF)
    assert (answer.status, answer.json["spec"]["expirationSeconds"]) == (201, 900)
    assert answer.json["status"]["token"]


def test_an_unknown_kind_is_415(admin, maps):
    answer = admin.post(maps, envelope("v1", "Widget", b""), PROTOBUF)
    assert (answer.status, answer.json["reason"]) == (415, "UnsupportedMediaType")
