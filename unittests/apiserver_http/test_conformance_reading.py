"""Conformance checks about what the server says of itself and how it shows objects (sheet §9)."""

import re

AGGREGATED = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
)
TABLE = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)


def test_check_01_version_needs_no_credentials(anonymous):
    answer = anonymous.get("/version")
    assert answer.status == 200
    assert all(isinstance(answer.json[name], str) for name in ("major", "minor", "gitVersion"))


def test_check_02_discovery_is_complete(admin):
    groups = admin.get("/apis").json["groups"]
    assert groups
    for group in groups:
        assert group["preferredVersion"] in group["versions"]
        assert admin.get(f"/apis/{group['name']}").json["versions"] == group["versions"]
    paths = [f"/apis/{version['groupVersion']}" for group in groups for version in group["versions"]]
    for path in ("/api/v1", *paths):
        answer = admin.get(path)
        assert answer.status == 200
        assert answer.json["kind"] == "APIResourceList"
        for entry in answer.json["resources"]:
            assert entry.keys() >= {"name", "singularName", "namespaced", "kind", "verbs"}, (path, entry)


def _legacy(admin) -> set[tuple[str, str]]:
    found = set()
    versions = [version["groupVersion"] for group in admin.get("/apis").json["groups"] for version in group["versions"]]
    for path, group_version in (("/api/v1", "v1"), *((f"/apis/{version}", version) for version in versions)):
        found |= {(group_version, entry["name"]) for entry in admin.get(path).json["resources"]}
    return found


def _aggregated(admin) -> set[tuple[str, str]]:
    found = set()
    for path in ("/api", "/apis"):
        answer = admin.get(path, AGGREGATED)
        assert answer.headers["content-type"] == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        assert answer.json["kind"] == "APIGroupDiscoveryList"
        for group in answer.json["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                label = f"{name}/{version['version']}" if name else version["version"]
                for entry in version["resources"]:
                    found.add((label, entry["resource"]))
                    found |= {
                        (label, f"{entry['resource']}/{sub['subresource']}") for sub in entry.get("subresources", ())
                    }
    return found


def test_check_03_both_discoveries_agree(admin):
    assert _aggregated(admin) == _legacy(admin)
    assert ("v1", "pods/eviction") in _legacy(admin)
    assert admin.get("/apis").headers["content-type"] == "application/json"
    assert admin.get("/api").json["versions"] == ["v1"]


def test_check_06_missing_objects(admin, namespace):
    answer = admin.get(f"/api/v1/namespaces/{namespace}/pods/x")
    assert answer.status == 404
    assert answer.json == {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": 'pods "x" not found',
        "reason": "NotFound", "details": {"name": "x", "kind": "pods"}, "code": 404,
    }  # fmt: skip
    missing = admin.get(f"/apis/apps/v1/namespaces/{namespace}/deployments/x").json
    assert missing["message"] == 'deployments.apps "x" not found'
    assert missing["details"] == {"name": "x", "group": "apps", "kind": "deployments"}


def test_check_19_json_replies_carry_the_bare_content_type(admin, maps):
    replies = [
        admin.get(maps), admin.get(f"{maps}/none"), admin.post(maps, b"{"), admin.get("/version"), admin.get("/apis"),
        admin.patch(f"{maps}/a?fieldManager=m", {"apiVersion": "v1", "kind": "ConfigMap"}, "apply"),
        admin.get(maps, TABLE),
    ]  # fmt: skip
    assert [reply.status for reply in replies] == [200, 404, 400, 200, 200, 201, 200]
    assert {reply.headers["content-type"] for reply in replies} == {"application/json"}
    with admin.watch(f"{maps}?watch=true") as events:
        assert events.headers["content-type"] == "application/json"
        assert events.headers["transfer-encoding"] == "chunked"


def test_check_20_tables(admin, maps):
    admin.post(maps, {"metadata": {"name": "a"}, "data": {"k": "v"}})
    shown = admin.get(maps + "?fieldSelector=metadata.name%3Da", TABLE).json
    assert (shown["kind"], shown["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert shown["columnDefinitions"][0]["name"] == "Name"
    assert shown["metadata"]["resourceVersion"].isdigit()
    (row,) = shown["rows"]
    assert row["cells"][:2] == ["a", 1]
    assert re.fullmatch(r"\d+(s|m.*)", row["cells"][2])
    assert row["object"]["kind"] == "PartialObjectMetadata"
    assert row["object"]["metadata"]["name"] == "a"
    assert admin.get(f"{maps}/a?includeObject=Object", TABLE).json["rows"][0]["object"]["data"] == {"k": "v"}
    assert admin.get(f"{maps}/a?includeObject=None", TABLE).json["rows"][0]["object"] is None
    assert len(admin.get(f"{maps}/a", TABLE).json["rows"]) == 1
    assert admin.get(f"{maps}/none", TABLE).json["kind"] == "Status"


def test_check_20_tables_on_watches_name_their_columns_once(admin, maps):
    for name in ("a", "b"):
        admin.post(maps, {"metadata": {"name": name}})
    with admin.watch(
        f"{maps}?watch=true&labelSelector=!none&fieldSelector=metadata.name!%3Dkube-root-ca.crt", TABLE
    ) as events:
        first, second = (event["object"] for event in events.take(2))
    assert (first["kind"], len(first["rows"])) == ("Table", 1)
    assert first["columnDefinitions"]
    assert second["columnDefinitions"] == []


def _names(answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [item["metadata"]["name"] for item in answer.json["items"] if item["metadata"]["name"] != "kube-root-ca.crt"]


def test_check_21_field_selectors_by_name(admin, maps):
    for name in ("a", "b"):
        admin.post(maps, {"metadata": {"name": name}})
    assert _names(admin.get(f"{maps}?fieldSelector=metadata.name%3Da")) == ["a"]
    assert _names(admin.get(f"{maps}?fieldSelector=metadata.name%3D%3Da")) == ["a"]
    assert _names(admin.get(f"{maps}?fieldSelector=metadata.name!%3Da")) == ["b"]
    assert admin.get(f"{maps}?fieldSelector=spec.foo%3D1").status == 400


def test_check_22_pods_by_node_and_phase(admin, namespace):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    for name, node in (("a", "n1"), ("b", "n1"), ("c", "n2")):
        pod = {"metadata": {"name": name}, "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]}}
        assert admin.post(pods, pod).status == 201
    selector = "fieldSelector=spec.nodeName%3Dn1%2Cstatus.phase!%3DSucceeded"
    with admin.watch(f"{pods}?watch=1&{selector}") as events:
        assert {event["object"]["metadata"]["name"] for event in events.take(2)} == {"a", "b"}
        assert admin.patch(f"{pods}/a/status", {"status": {"phase": "Succeeded"}}).status == 200
        left = events.next()
        assert (left["type"], left["object"]["metadata"]["name"]) == ("DELETED", "a")
        admin.patch(f"{pods}/c/status", {"status": {"phase": "Running"}})
        admin.patch(f"{pods}/a/status", {"status": {"phase": "Running"}})
        back = events.next()
        assert (back["type"], back["object"]["metadata"]["name"]) == ("ADDED", "a")
    assert _names(admin.get(f"{pods}?{selector}")) == ["a", "b"]


def test_check_23_label_selectors(admin, maps):
    for name, labels in (("x", {"a": "b"}), ("y", {"a": "c", "d": "1"}), ("z", {}), ("w", {"a": ""})):
        admin.post(maps, {"metadata": {"name": name, "labels": labels}})
    expected = {
        "a%20in%20(b,c),!d": ["x"], "a%20notin%20(b)": ["w", "y", "z"], "a!%3Db": ["w", "y", "z"],
        "a": ["w", "x", "y"], "a%3D": ["w"], "": ["w", "x", "y", "z"],
    }  # fmt: skip
    assert {text: _names(admin.get(f"{maps}?labelSelector={text}")) for text in expected} == expected
    assert admin.get(f"{maps}?labelSelector=a%20in").status == 400
