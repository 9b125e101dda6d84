"""Pods: what the server adds, what it refuses, what may change."""

import pytest

from lab.apiserver.builtin.kinds import POD, PRIORITY_CLASS
from lab.apiserver.errors import ApiError
from unittests.apiserver_kinds.objects import pod, pod_spec


def causes(action, *args, **kwargs):
    with pytest.raises(ApiError) as caught:
        action(*args, **kwargs)
    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    return [f"{cause['field']}: {cause['message']}" for cause in caught.value.details["causes"]]


def container(name="c", **fields):
    return {"name": name, "image": "i", **fields}


class TestCreate:
    def test_everything_the_server_adds(self, api):
        made = api.create(POD, {**pod(), "status": {"phase": "Running"}})
        assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
        added = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
                 "tolerationSeconds": 300}  # fmt: skip
        assert made["spec"] == {
            "containers": [{
                "name": "c", "image": "i", "imagePullPolicy": "Always", "resources": {},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            }],
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30,
            "schedulerName": "default-scheduler", "serviceAccountName": "default", "serviceAccount": "default",
            "enableServiceLinks": True, "securityContext": {}, "preemptionPolicy": "PreemptLowerPriority",
            "priority": 0, "tolerations": [added, {**added, "key": "node.kubernetes.io/unreachable"}],
        }  # fmt: skip

    def test_what_is_given_stays(self, api):
        own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
        spec = {"enableServiceLinks": False, "terminationGracePeriodSeconds": 0, "tolerations": [own]}
        made = api.create(POD, pod(spec=spec))["spec"]
        assert (made["enableServiceLinks"], made["terminationGracePeriodSeconds"]) == (False, 0)
        assert [entry["key"] for entry in made["tolerations"]] == [
            "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("image", "policy"),
        [
            ("i", "Always"),
            ("r:5000/i", "Always"),
            ("i:latest", "Always"),
            ("i:1", "IfNotPresent"),
            ("r:5000/i:1", "IfNotPresent"),
            ("i@sha256:0", "IfNotPresent"),
        ],
    )
    def test_pull_policies_follow_the_tag(self, api, image, policy):
        made = api.create(POD, pod(spec={"containers": [container(image=image)]}))
        assert made["spec"]["containers"][0]["imagePullPolicy"] == policy

    @pytest.mark.parametrize(
        ("resources", "qos"),
        [
            ({}, "BestEffort"),
            ({"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 1}}, "BestEffort"),
            ({"requests": {"cpu": "1"}}, "Burstable"),
            ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
            ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}, "Burstable"),
        ],
    )
    def test_quality_of_service(self, api, resources, qos):
        made = api.create(POD, pod(spec={"containers": [container(resources=resources)]}))
        assert made["status"]["qosClass"] == qos

    def test_limits_are_requested_and_numbers_become_quantities(self, api):
        made = api.create(POD, pod(spec={"containers": [container(resources={"limits": {"cpu": 2, "x/y": "1"}})]}))
        resources = made["spec"]["containers"][0]["resources"]
        assert resources["limits"] == resources["requests"] == {"cpu": "2", "x/y": "1"}

    def test_null_is_absent(self, api):
        made = api.create(POD, pod(spec={"affinity": None, "restartPolicy": None, "volumes": None}))
        assert made["spec"]["restartPolicy"] == "Always"
        assert not {"affinity", "volumes"} & set(made["spec"])

    def test_priorities_come_from_classes(self, api):
        api.create(PRIORITY_CLASS, {"metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"})
        api.create(PRIORITY_CLASS, {"metadata": {"name": "usual"}, "value": 7, "globalDefault": True})
        high = api.create(POD, pod("a", spec={"priorityClassName": "high"}))["spec"]
        assert (high["priority"], high["preemptionPolicy"]) == (1000, "Never")
        usual = api.create(POD, pod("b"))["spec"]
        assert (usual["priorityClassName"], usual["priority"]) == ("usual", 7)
        with pytest.raises(ApiError) as refused:
            api.create(POD, pod("c", spec={"priorityClassName": "none"}))
        assert (refused.value.code, refused.value.message) == (
            403, 'pods "c" is forbidden: no PriorityClass with name none was found',
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("spec", "expected"),
        [
            ({"containers": []}, ["spec.containers: Required value"]),
            ({"containers": None}, ["spec.containers: Required value"]),
            (
                {"containers": [container(), container()]},
                ['spec.containers[1].name: Duplicate value: "c"'],
            ),
            (
                {"containers": [{}]},
                ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
            ),
            (
                {"restartPolicy": "Perhaps"},
                ['spec.restartPolicy: Unsupported value: "Perhaps": supported values: "Always", "OnFailure", "Never"'],
            ),
            (
                {"containers": [container(volumeMounts=[{"name": "v", "mountPath": "/v"}])]},
                ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
            ),
            (
                {"terminationGracePeriodSeconds": -1},
                ["spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0"],
            ),
            (
                {"containers": [container(resources={"requests": {"nvidia.com/gpu": "1"}})]},
                [
                    "spec.containers[0].resources.limits: Required value: "
                    "Limit must be set for non overcommitable resources"
                ],
            ),
            (
                {"tolerations": [{"key": "k", "operator": "Likes"}]},
                ['spec.tolerations[0].operator: Unsupported value: "Likes": supported values: "Equal", "Exists"'],
            ),
        ],
    )
    def test_what_is_wrong(self, api, spec, expected):
        assert causes(api.create, POD, pod(spec=spec)) == expected

    def test_a_wrong_type_is_a_bad_request(self, api):
        with pytest.raises(ApiError) as refused:
            api.create(POD, pod(spec={"terminationGracePeriodSeconds": "30"}))
        assert (refused.value.code, refused.value.message) == (
            400,
            'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field '
            "Pod.spec.terminationGracePeriodSeconds of type int32",
        )


class TestUpdate:
    @pytest.fixture(autouse=True)
    def present(self, api):
        return api.create(POD, pod(spec={"nodeName": "n1"}))

    @pytest.mark.parametrize("spec", [{"containers": [container(image="i:2")]}, {"activeDeadlineSeconds": 5}])
    def test_what_may_change(self, api, spec):
        changed = api.patch(POD, "t", "p", {"spec": spec}, type="strategic")
        assert changed["metadata"]["generation"] == 2

    @pytest.mark.parametrize(
        "spec",
        [
            {"nodeName": "n2"},
            {"restartPolicy": "Never"},
            {"terminationGracePeriodSeconds": 1},
            {"containers": [container(command=["sh"])]},
            {"nodeSelector": {"a": "b"}},
        ],
    )
    def test_what_may_not(self, api, spec):
        (cause,) = causes(api.patch, POD, "t", "p", {"spec": spec}, type="strategic")
        assert cause.startswith(
            "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
            "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions"
        )

    def test_containers_are_neither_added_nor_removed(self, api):
        assert causes(api.patch, POD, "t", "p", {"spec": {"containers": [container(), container("d")]}}) == [
            "spec.containers: Forbidden: pod updates may not add or remove containers"
        ]

    def test_tolerations_come_but_do_not_go(self, api, present):
        more = [*present["spec"]["tolerations"], {"key": "x", "operator": "Exists"}]
        assert api.patch(POD, "t", "p", {"spec": {"tolerations": more}})["spec"]["tolerations"] == more
        (cause, *_) = causes(api.patch, POD, "t", "p", {"spec": {"tolerations": []}})
        assert cause == (
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"
        )

    def test_a_put_without_what_was_defaulted_changes_nothing(self, api, present):
        body = {"metadata": {"name": "p", "namespace": "t"}, "spec": {**present["spec"]}}
        body["spec"] = {key: body["spec"][key] for key in ("nodeName", "tolerations", "serviceAccount", "priority")}
        body["spec"] |= pod_spec()
        assert api.update(POD, body)["metadata"]["resourceVersion"] == present["metadata"]["resourceVersion"]

    def test_labels_and_status_are_free(self, api):
        assert api.patch(POD, "t", "p", {"metadata": {"labels": {"a": "b"}}})["metadata"]["labels"] == {"a": "b"}
        changed = api.patch(POD, "t", "p", {"status": {"phase": "Running"}}, subresource="status")
        assert changed["status"]["phase"] == "Running"
        assert changed["metadata"]["generation"] == 1
