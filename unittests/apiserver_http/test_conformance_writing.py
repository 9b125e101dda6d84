"""Conformance checks about creating, replacing, deleting and patching (sheet §9)."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from unittests.apiserver_http.labserver import ADMIN
from unittests.apiserver_http.wire import Client

STALE = "the object has been modified; please apply your changes to the latest version and try again"
ONLY_X = "fieldSelector=metadata.name%3Dx"  # the controllers write into new namespaces too


def create(admin, path: str, name: str = "x", **body):
    answer = admin.post(path, {"metadata": {"name": name}, **body})
    assert answer.status == 201, answer.body
    return answer.json


def test_check_04_create_without_content_type(admin, maps, namespace):
    answer = admin.post(maps, {"metadata": {"name": "x"}, "data": {"a": "b"}}, kind="")
    assert answer.status == 201
    metadata = answer.json["metadata"]
    assert re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", metadata["uid"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creationTimestamp"])
    assert metadata["resourceVersion"].isdigit()
    assert metadata["namespace"] == namespace
    assert (answer.json["kind"], answer.json["apiVersion"]) == ("ConfigMap", "v1")


def test_check_05_create_twice(admin, maps):
    create(admin, maps)
    answer = admin.post(maps, {"metadata": {"name": "x"}})
    assert answer.status == 409
    assert answer.json["reason"] == "AlreadyExists"
    assert answer.json["message"] == 'configmaps "x" already exists'
    assert answer.json["details"]["kind"] == "configmaps"


def test_check_07_put_with_a_stale_revision(admin, maps):
    first = create(admin, maps)
    second = admin.patch(f"{maps}/x", {"data": {"a": "1"}}).json
    answer = admin.put(f"{maps}/x", {**first, "data": {"a": "2"}})
    assert (answer.status, answer.json["reason"]) == (409, "Conflict")
    assert answer.json["message"] == f'Operation cannot be fulfilled on configmaps "x": {STALE}'
    assert admin.get(f"{maps}/x").json == second


def test_check_15_writes_that_change_nothing(admin, maps):
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}}
    assert admin.patch(f"{maps}/x?fieldManager=m", applied, "apply").status == 201
    before = admin.get(f"{maps}/x").json
    revision = before["metadata"]["resourceVersion"]
    with admin.watch(f"{maps}?watch=true&{ONLY_X}&resourceVersion={revision}") as events:
        same = [
            admin.patch(f"{maps}/x", {"data": {"a": "b"}}), admin.put(f"{maps}/x", before),
            admin.patch(f"{maps}/x?fieldManager=m", applied, "apply"),
        ]  # fmt: skip
        assert [answer.status for answer in same] == [200, 200, 200]
        assert {answer.json["metadata"]["resourceVersion"] for answer in same} == {revision}
        admin.patch(f"{maps}/x", {"data": {"a": "c"}})
        assert events.next()["object"]["data"] == {"a": "c"}


def test_check_16_finalizers_hold_an_object(admin, maps):
    body = {"metadata": {"name": "x", "finalizers": ["lab.test/hold"]}}
    revision = admin.post(maps, body).json["metadata"]["resourceVersion"]
    with admin.watch(f"{maps}?watch=true&{ONLY_X}&resourceVersion={revision}") as events:
        answer = admin.delete(f"{maps}/x")
        assert answer.status == 200
        assert answer.json["metadata"]["deletionTimestamp"]
        assert events.next()["type"] == "MODIFIED"
        assert admin.patch(f"{maps}/x", {"metadata": {"finalizers": None}}).status == 200
        assert events.next()["type"] == "DELETED"
    assert admin.get(f"{maps}/x").status == 404


def test_check_17_merge_patch_with_a_revision(admin, maps):
    stale = create(admin, maps)["metadata"]["resourceVersion"]
    current = admin.patch(f"{maps}/x", {"data": {"a": "1"}}).json["metadata"]["resourceVersion"]
    refused = admin.patch(f"{maps}/x", {"metadata": {"resourceVersion": stale}, "data": {"a": "2"}})
    assert (refused.status, refused.json["reason"]) == (409, "Conflict")
    assert admin.patch(f"{maps}/x", {"metadata": {"resourceVersion": current}, "data": {"a": "2"}}).status == 200


def test_check_18_delete_with_json_content_type_and_no_body(admin, maps):
    uid = create(admin, maps)["metadata"]["uid"]
    answer = admin.delete(f"{maps}/x")
    assert answer.status == 200
    assert answer.json["status"] == "Success"
    assert answer.json["details"] == {"name": "x", "kind": "configmaps", "uid": uid}


def test_check_24_a_new_namespace(admin, namespace):
    obj = admin.get(f"/api/v1/namespaces/{namespace}").json
    assert obj["status"]["phase"] == "Active"
    assert obj["metadata"]["labels"]["kubernetes.io/metadata.name"] == namespace
    assert obj["spec"]["finalizers"] == ["kubernetes"]
    with admin.watch(f"/api/v1/namespaces/{namespace}/serviceaccounts?watch=true&timeoutSeconds=2") as events:
        assert events.next()["object"]["metadata"]["name"] == "default"


def test_check_26_create_in_a_missing_namespace(admin):
    answer = admin.post("/api/v1/namespaces/zzz/configmaps", {"metadata": {"name": "x"}})
    assert answer.status == 404
    assert answer.json["message"] == 'namespaces "zzz" not found'
    assert answer.json["details"]["kind"] == "namespaces"


def test_check_34_json_patches(admin, maps):
    create(admin, maps, data={"a": "1", "b": "2"})
    steps = [
        {"op": "test", "path": "/data/a", "value": "1"}, {"op": "replace", "path": "/data/a", "value": "9"},
        {"op": "remove", "path": "/data/b"}, {"op": "add", "path": "/data/c", "value": "3"},
    ]  # fmt: skip
    assert admin.patch(f"{maps}/x", steps, "json").json["data"] == {"a": "9", "c": "3"}
    failed = admin.patch(f"{maps}/x", [{"op": "test", "path": "/data/a", "value": "1"}], "json")
    assert (failed.status, failed.json["reason"]) == (422, "Invalid")
    assert admin.patch(f"{maps}/x", [{"op": "remove", "path": "/data/zz"}], "json").status == 422
    assert admin.patch(f"{maps}/x", {"op": "remove", "path": "/data/a"}, "json").status == 400


def containers(answer) -> dict[str, dict]:
    assert answer.status == 200, answer.body
    return {entry["name"]: entry for entry in answer.json["spec"]["template"]["spec"]["containers"]}


def test_check_35_strategic_patch_of_a_deployment(admin, namespace):
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    pod = {"containers": [{"name": "c", "image": "i:1", "args": ["a"]}, {"name": "d", "image": "j:1"}]}
    template = {"metadata": {"labels": {"app": "x"}}, "spec": pod}
    create(admin, path, spec={"selector": {"matchLabels": {"app": "x"}}, "template": template})

    def patch(spec):
        return containers(admin.patch(f"{path}/x", {"spec": {"template": {"spec": spec}}}, "strategic"))

    changed = patch({"$setElementOrder/containers": [{"name": "c"}], "containers": [{"name": "c", "image": "i:9"}]})
    assert (changed["c"]["image"], changed["c"]["args"], changed["d"]["image"]) == ("i:9", ["a"], "j:1")
    assert patch({"containers": [{"name": "d", "$patch": "delete"}]}).keys() == {"c"}


def test_check_36_strategic_patches_of_a_node(admin):
    nodes = "/api/v1/nodes"
    taints = [{"key": key, "effect": "NoSchedule"} for key in ("a", "b")]
    create(admin, nodes, "n36", spec={"taints": taints})
    one = admin.patch(f"{nodes}/n36", {"spec": {"taints": [{"key": "c", "effect": "NoExecute"}]}}, "strategic").json
    assert [taint["key"] for taint in one["spec"]["taints"]] == ["c"]
    gone = admin.patch(f"{nodes}/n36", {"spec": {"taints": None}}, "strategic").json
    assert "taints" not in gone.get("spec", {})
    for type_, status in (("Ready", "True"), ("DiskPressure", "False"), ("Ready", "False")):
        condition = {"type": type_, "status": status}
        answer = admin.patch(f"{nodes}/n36/status", {"status": {"conditions": [condition]}}, "strategic")
        assert answer.status == 200
    found = {entry["type"]: entry["status"] for entry in answer.json["status"]["conditions"]}
    assert found == {"Ready": "False", "DiskPressure": "False"}


def test_check_38_apply_and_its_conflicts(admin, maps):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "1"}}
    first = admin.patch(f"{maps}/x?fieldManager=one", body, "apply")
    assert first.status == 201
    (entry,) = first.json["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"], entry["fieldsType"]) == ("one", "Apply", "FieldsV1")
    assert entry["fieldsV1"] == {"f:data": {"f:a": {}}}
    other = {**body, "data": {"a": "2"}}
    refused = admin.patch(f"{maps}/x?fieldManager=two", other, "apply")
    assert (refused.status, refused.json["reason"]) == (409, "Conflict")
    (cause,) = refused.json["details"]["causes"]
    assert (cause["reason"], cause["field"]) == ("FieldManagerConflict", ".data.a")
    assert refused.json["message"].startswith('Apply failed with 1 conflict: conflict with "one"')
    forced = admin.patch(f"{maps}/x?fieldManager=two&force=True", other, "apply")
    assert forced.status == 200
    owners = {e["manager"]: e["fieldsV1"] for e in forced.json["metadata"]["managedFields"]}
    assert owners["two"] == {"f:data": {"f:a": {}}}
    assert "f:a" not in owners.get("one", {}).get("f:data", {})


def test_check_39_apply_drops_what_it_alone_owned(admin, maps):
    def apply(manager: str, data: dict):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data}
        answer = admin.patch(f"{maps}/x?fieldManager={manager}", body, "apply")
        assert answer.status in (200, 201), answer.body
        return answer.json["data"]

    apply("one", {"a": "1", "b": "2", "c": "3"})
    apply("two", {"b": "2"})
    assert apply("one", {"c": "3"}) == {"b": "2", "c": "3"}


def test_check_40_options_of_patches(admin, maps):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    refused = admin.patch(f"{maps}/x", body, "apply")
    assert refused.status == 422
    assert refused.json["details"]["causes"][0]["field"] == "fieldManager"
    create(admin, maps)
    assert admin.patch(f"{maps}/x?force=true", {"data": {}}).status == 422


def test_check_45_put_without_revision(admin, maps):
    create(admin, maps, data={"a": "1"})
    answer = admin.put(f"{maps}/x", {"metadata": {"name": "x"}, "data": {"a": "2"}})
    assert answer.status == 200
    assert answer.json["data"] == {"a": "2"}


def test_check_46_generated_names(admin, maps):
    names = [admin.post(maps, {"metadata": {"generateName": "base-"}}).json["metadata"]["name"] for _ in range(100)]
    assert all(re.fullmatch(r"base-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in names)
    assert len(set(names)) == 100


def test_check_51_dry_run(admin, maps):
    assert admin.post(f"{maps}?dryRun=All", {"metadata": {"name": "d"}}).status == 201
    assert admin.get(f"{maps}/d").status == 404
    before = create(admin, maps)
    changed = admin.patch(f"{maps}/x?dryRun=All", {"data": {"a": "1"}})
    assert (changed.status, changed.json["data"]) == (200, {"a": "1"})
    assert admin.get(f"{maps}/x").json == before
    assert admin.post(f"{maps}?dryRun=Some", {"metadata": {"name": "d"}}).status == 422


def test_check_55_string_data_of_secrets(admin, namespace):
    path = f"/api/v1/namespaces/{namespace}/secrets"
    stored = create(admin, path, stringData={"k": "v"})
    assert (stored["data"], stored["type"]) == ({"k": "dg=="}, "Opaque")
    assert "stringData" not in stored
    assert "stringData" not in admin.get(f"{path}/x").json


def test_check_56_scale(admin, namespace):
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    created = create(admin, path, spec={"selector": {"matchLabels": {"app": "x"}}, "template": template})
    scale = admin.get(f"{path}/x/scale").json
    assert (scale["kind"], scale["apiVersion"], scale["spec"]["replicas"]) == ("Scale", "autoscaling/v1", 1)
    assert admin.patch(f"{path}/x/scale", {"spec": {"replicas": 3}}).json["spec"]["replicas"] == 3
    after = admin.get(f"{path}/x").json
    assert after["spec"]["replicas"] == 3
    assert after["metadata"]["generation"] == created["metadata"]["generation"] + 1


def test_check_60_delete_collection(admin, maps):
    for name, label in (("a", "x"), ("b", "x"), ("c", "y")):
        admin.post(maps, {"metadata": {"name": name, "labels": {"l": label}}})
    revision = admin.get(maps).json["metadata"]["resourceVersion"]
    with admin.watch(f"{maps}?watch=true&labelSelector=l&resourceVersion={revision}&timeoutSeconds=1") as events:
        answer = admin.delete(f"{maps}?labelSelector=l%3Dx")
        assert answer.status == 200
        assert answer.json["kind"] == "ConfigMapList"
        assert [item["metadata"]["name"] for item in answer.json["items"]] == ["a", "b"]
        assert [event["type"] for event in events.rest()] == ["DELETED", "DELETED"]
    assert admin.get(f"{maps}/c").status == 200


def test_check_62_preconditions(admin, maps):
    old = create(admin, maps)["metadata"]
    assert admin.delete(f"{maps}/x", {"preconditions": {"uid": "wrong"}}).status == 409
    assert admin.delete(f"{maps}/x", {"preconditions": {"uid": old["uid"]}}).status == 200
    new = create(admin, maps)["metadata"]
    assert new["uid"] != old["uid"]
    assert int(new["resourceVersion"]) > int(old["resourceVersion"])


def test_check_63_two_puts_of_one_revision(server, context, admin, maps):
    create(admin, maps)
    clients = [Client(server.port, context, ADMIN) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        for turn in range(50):
            obj = admin.get(f"{maps}/x").json
            bodies = [{**obj, "data": {"turn": f"{turn}-{index}"}} for index in range(2)]
            answers = pool.map(lambda client, body: client.put(f"{maps}/x", body).status, clients, bodies)
            assert sorted(answers) == [200, 409]
    for client in clients:
        client.close()


@pytest.mark.parametrize("text", ["duplicate", "namespace", "name"])
def test_bodies_that_contradict_the_request(admin, maps, text):
    body = {
        "duplicate": b'{"metadata":{"name":"x","name":"y"}}',
        "namespace": {"metadata": {"name": "x", "namespace": "other"}},
        "name": {"metadata": {"name": "other"}},
    }[text]
    if text == "name":
        create(admin, maps)
        answer = admin.put(f"{maps}/x", body)
    else:
        answer = admin.post(f"{maps}?fieldValidation=Strict", body)
    assert answer.status == 400
    assert text in answer.json["message"]
