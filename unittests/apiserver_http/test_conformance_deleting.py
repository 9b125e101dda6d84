"""Conformance checks about namespaces, owners, grace and evictions (sheet §2.5, §6.3, §9)."""

from lab.clock import parse_timestamp
from unittests.apiserver_http.test_conformance_custom import established

PODS = "/api/v1/namespaces/{}/pods"


def pod(name: str, node: str | None = "n1", **labels: str) -> dict:
    spec = {"containers": [{"name": "c", "image": "i"}], **({"nodeName": node} if node else {})}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec}


def until_deleted(admin, path: str, name: str) -> None:
    """Wait for the DELETED of an object; it may be gone already."""
    listed = admin.get(f"{path}?fieldSelector=metadata.name%3D{name}").json
    if not listed["items"]:
        return
    revision = listed["metadata"]["resourceVersion"]
    selector = f"fieldSelector=metadata.name%3D{name}&resourceVersion={revision}"
    with admin.watch(f"{path}?watch=true&timeoutSeconds=8&{selector}") as events:
        while events.next()["type"] != "DELETED":
            pass


def test_check_25_a_namespace_ends_with_all_it_holds(admin, namespace):
    established(admin, "things")
    things, maps = f"/apis/lab.test/v1/namespaces/{namespace}/things", f"/api/v1/namespaces/{namespace}/configmaps"
    held = {"metadata": {"name": "x", "finalizers": ["lab.test/hold"]}, "spec": {}}
    assert admin.post(things, held).status == 201
    assert admin.post(maps, {"metadata": {"name": "x"}}).status == 201
    assert admin.post(PODS.format(namespace), pod("p", node=None)).status == 201
    answer = admin.delete(f"/api/v1/namespaces/{namespace}")
    assert (answer.status, answer.json["kind"], answer.json["status"]["phase"]) == (200, "Namespace", "Terminating")
    refused = admin.post(maps, {"metadata": {"name": "late"}})
    assert refused.status == 403
    assert refused.json["details"]["causes"][0]["reason"] == "NamespaceTerminating"
    until_deleted(admin, maps, "x")
    assert admin.patch(f"{things}/x", {"metadata": {"finalizers": None}}).status == 200
    until_deleted(admin, "/api/v1/namespaces", namespace)
    assert admin.get(f"/api/v1/namespaces/{namespace}").status == 404
    assert admin.get(things).json["items"] == []


def evict(admin, namespace: str, name: str, version: str = "policy/v1", **options):
    body = {"apiVersion": version, "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}, **options}
    return admin.post(f"{PODS.format(namespace)}/{name}/eviction", body)


def test_check_32_evictions_without_a_budget(admin, namespace):
    for name, version in (("a", "policy/v1"), ("b", "policy/v1beta1")):
        admin.post(PODS.format(namespace), pod(name))
        admin.patch(f"{PODS.format(namespace)}/{name}/status", {"status": {"phase": "Running"}})
        answer = evict(admin, namespace, name, version)
        assert (answer.status, answer.json["status"]) == (201, "Success"), answer.body
        left = admin.get(f"{PODS.format(namespace)}/{name}")
        assert left.status == 404 or left.json["metadata"]["deletionTimestamp"]
    assert evict(admin, namespace, "none").status == 404


def ready_pod(admin, namespace: str, name: str, **labels: str) -> None:
    """A running pod that is ready."""
    path = PODS.format(namespace)
    assert admin.post(path, pod(name, **labels)).status == 201
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    assert admin.patch(f"{path}/{name}/status", {"status": status}).status == 200


def allowed(admin, budgets: str, count: int) -> None:
    """Wait until the budget `b` allows so many disruptions."""
    with admin.watch(f"{budgets}?watch=true&timeoutSeconds=8&fieldSelector=metadata.name%3Db") as events:
        while True:
            obj = events.next()["object"]
            status = obj.get("status") or {}
            seen = status.get("observedGeneration") == obj["metadata"]["generation"]
            if seen and status.get("disruptionsAllowed") == count:
                return


def test_check_33_evictions_under_a_budget(admin, namespace):
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    body = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}}
    ready_pod(admin, namespace, "a", app="x")
    assert admin.post(budgets, body).status == 201
    allowed(admin, budgets, 0)
    before = admin.get(f"{PODS.format(namespace)}/a").json
    refused = evict(admin, namespace, "a")
    assert (refused.status, refused.json["reason"]) == (429, "TooManyRequests")
    (cause,) = refused.json["details"]["causes"]
    assert cause["reason"] == "DisruptionBudget"
    assert cause["message"] == "The disruption budget b needs 1 healthy pods and has 1 currently"
    assert "retry-after" not in refused.headers
    assert admin.get(f"{PODS.format(namespace)}/a").json == before
    ready_pod(admin, namespace, "b", app="x")
    allowed(admin, budgets, 1)
    assert evict(admin, namespace, "a").status == 201
    assert admin.get(f"{budgets}/b").json["status"]["disruptionsAllowed"] == 0


def test_check_52_dependents_of_nodes_are_collected(admin, maps):
    node = admin.post("/api/v1/nodes", {"metadata": {"name": "n52"}}).json["metadata"]
    other = admin.post("/api/v1/nodes", {"metadata": {"name": "n52b"}}).json["metadata"]

    def owned(name: str, *uids: tuple[str, str]) -> None:
        owners = [{"apiVersion": "/v1", "kind": "Node", "name": owner, "uid": uid} for owner, uid in uids]
        assert admin.post(maps, {"metadata": {"name": name, "ownerReferences": owners}}).status == 201

    owned("right", ("n52", node["uid"]))
    owned("wrong", ("n52", "00000000-0000-4000-8000-000000000000"))
    owned("shared", ("n52", node["uid"]), ("n52b", other["uid"]))
    until_deleted(admin, maps, "wrong")
    assert admin.get(f"{maps}/right").status == 200
    admin.delete("/api/v1/nodes/n52")
    until_deleted(admin, maps, "right")
    assert admin.get(f"{maps}/shared").status == 200


def test_check_53_foreground_and_orphan(admin, maps):
    def owner_of(name: str) -> dict:
        uid = admin.post(maps, {"metadata": {"name": name}}).json["metadata"]["uid"]
        return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, "blockOwnerDeletion": True}

    held = {"name": "child", "ownerReferences": [owner_of("owner")], "finalizers": ["lab.test/hold"]}
    admin.post(maps, {"metadata": held})
    marked = admin.delete(f"{maps}/owner", {"propagationPolicy": "Foreground"}).json
    assert marked["metadata"]["finalizers"] == ["foregroundDeletion"]
    with admin.watch(f"{maps}?watch=true&timeoutSeconds=5&fieldSelector=metadata.name%3Dchild") as events:
        while "deletionTimestamp" not in events.next()["object"]["metadata"]:
            pass
    assert admin.get(f"{maps}/owner").status == 200
    admin.patch(f"{maps}/child", {"metadata": {"finalizers": None}})
    until_deleted(admin, maps, "owner")

    admin.post(maps, {"metadata": {"name": "kept", "ownerReferences": [owner_of("leaves")]}})
    admin.delete(f"{maps}/leaves", {"propagationPolicy": "Orphan"})
    until_deleted(admin, maps, "leaves")
    assert not admin.get(f"{maps}/kept").json["metadata"].get("ownerReferences")


def test_check_54_the_grace_of_pods(server, admin, namespace):
    path = PODS.format(namespace)
    admin.post(path, pod("a"))
    answer = admin.delete(f"{path}/a")
    metadata = answer.json["metadata"]
    assert (answer.status, answer.json["kind"], metadata["deletionGracePeriodSeconds"]) == (200, "Pod", 30)
    left = parse_timestamp(metadata["deletionTimestamp"]) - server.call(server.clock.now)
    assert 0 < left <= 30
    admin.delete(f"{path}/a", {"gracePeriodSeconds": 0})
    assert admin.get(f"{path}/a").status == 404
    admin.post(path, pod("b", node=None))
    admin.delete(f"{path}/b")
    assert admin.get(f"{path}/b").status == 404


def test_binding_a_pod(admin, namespace):
    path = PODS.format(namespace)
    admin.post(path, pod("a", node=None))
    body = {"kind": "Binding", "apiVersion": "v1", "metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n9"}}
    assert admin.post(f"{path}/a/binding", body).status == 201
    assert admin.get(f"{path}/a").json["spec"]["nodeName"] == "n9"
    assert admin.post(f"{path}/a/binding", body).status == 409
