"""Built-in kinds other than pods: defaults and refusals with their exact words."""

import re

import pytest

from lab.apiserver.builtin import kinds
from lab.apiserver.errors import ApiError
from unittests.apiserver_kinds.objects import pod_spec, workload


def refusal(action, *args, **kwargs):
    with pytest.raises(ApiError) as caught:
        action(*args, **kwargs)
    return caught.value


def causes(action, *args, **kwargs):
    error = refusal(action, *args, **kwargs)
    assert (error.code, error.reason) == (422, "Invalid")
    return [f"{cause['field']}: {cause['message']}" for cause in error.details["causes"]]


def named(name="x", **body):
    return {"metadata": {"name": name, "namespace": "t"}, **body}


def cluster(name="x", **body):
    return {"metadata": {"name": name}, **body}


class TestSecrets:
    def test_string_data_is_merged_and_never_shown(self, api):
        made = api.create(kinds.SECRET, named(data={"a": "b2xk", "c": "Yw=="}, stringData={"a": "new"}))
        assert made["data"] == {"a": "bmV3", "c": "Yw=="}
        assert made["type"] == "Opaque"
        assert "stringData" not in made
        changed = api.patch(kinds.SECRET, "t", "x", {"stringData": {"d": "d"}})
        assert changed["data"] == {"a": "bmV3", "c": "Yw==", "d": "ZA=="}
        assert "stringData" not in changed

    def test_the_type_stays(self, api):
        api.create(kinds.SECRET, named(type="a"))
        assert causes(api.patch, kinds.SECRET, "t", "x", {"type": "b"}) == [
            'type: Invalid value: "b": field is immutable'
        ]

    def test_an_immutable_secret_stays(self, api):
        api.create(kinds.SECRET, named(data={"a": "YQ=="}, immutable=True))
        frozen = "Forbidden: field is immutable when `immutable` is set"
        assert causes(api.patch, kinds.SECRET, "t", "x", {"data": {"a": "Yg=="}}) == [f"data: {frozen}"]
        assert causes(api.patch, kinds.SECRET, "t", "x", {"immutable": None}) == [f"immutable: {frozen}"]
        assert api.patch(kinds.SECRET, "t", "x", {"metadata": {"labels": {"a": "b"}}})

    def test_wrong_data(self, api):
        error = refusal(api.create, kinds.SECRET, named(data={"a": "b!"}))
        assert (error.code, error.message) == (
            400, 'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 1',
        )  # fmt: skip
        (cause,) = causes(api.create, kinds.SECRET, named(data={"a b": "YQ=="}))
        assert cause.startswith('data[a b]: Invalid value: "a b": a valid config key must consist of')
        assert causes(api.create, kinds.SECRET, named(type="kubernetes.io/tls", data={"tls.key": "YQ=="})) == [
            "data[tls.crt]: Required value"
        ]


class TestConfigMaps:
    def test_a_null_value_is_empty_text(self, api):
        api.create(kinds.CONFIG_MAP, named(data={"a": "b"}))
        assert api.update(kinds.CONFIG_MAP, named(data={"a": None}))["data"] == {"a": ""}

    def test_values_are_text(self, api):
        error = refusal(api.create, kinds.CONFIG_MAP, named(data={"a": 1}))
        assert (error.code, error.message) == (
            400,
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct '
            "field ConfigMap.data.a of type string",
        )

    def test_an_immutable_map_stays(self, api):
        api.create(kinds.CONFIG_MAP, named(data={"a": "b"}, immutable=True))
        assert causes(api.patch, kinds.CONFIG_MAP, "t", "x", {"data": {"a": "c"}}) == [
            "data: Forbidden: field is immutable when `immutable` is set"
        ]

    def test_a_key_is_used_once(self, api):
        body = named(data={"a": "b"}, binaryData={"a": "YQ=="})
        assert causes(api.create, kinds.CONFIG_MAP, body) == [
            'data[a]: Invalid value: "a": duplicate of key present in binaryData'
        ]

    def test_an_update_needs_no_revision(self, api):
        api.create(kinds.CONFIG_MAP, named())
        assert api.update(kinds.CONFIG_MAP, named(data={"a": "b"}))["data"] == {"a": "b"}


class TestNamespacesAndNodes:
    def test_a_namespace_is_labelled_active_and_held(self, api):
        made = api.create(kinds.NAMESPACE, cluster("t", status={"phase": "Gone"}))
        assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "t"}
        assert made["spec"] == {"finalizers": ["kubernetes"]}
        assert made["status"] == {"phase": "Active"}
        changed = api.patch(kinds.NAMESPACE, "", "t", {"metadata": {"labels": None}, "spec": {"finalizers": []}})
        assert changed["metadata"]["labels"] == {"kubernetes.io/metadata.name": "t"}
        assert changed["spec"] == {"finalizers": ["kubernetes"]}

    def test_uncordoned_is_the_same_as_never_cordoned(self, api):
        api.create(kinds.NODE, cluster("n"))
        assert api.patch(kinds.NODE, "", "n", {"spec": {"unschedulable": True}})["spec"] == {"unschedulable": True}
        assert api.patch(kinds.NODE, "", "n", {"spec": {"unschedulable": False}})["spec"] == {}

    def test_taints_are_judged(self, api):
        taint = {"key": "a", "effect": "NoSchedule"}
        found = causes(api.create, kinds.NODE, cluster(spec={"taints": [taint, taint, {"key": "b", "effect": "No"}]}))
        assert found == [
            'spec.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}',
            'spec.taints[2].effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", '
            '"NoExecute"',
        ]


class TestWorkloads:
    def test_a_deployment_gets_its_defaults(self, api):
        made = api.create(kinds.DEPLOYMENT, workload())
        spec = made["spec"]
        assert made["metadata"]["generation"] == 1
        assert (spec["replicas"], spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (1, 10, 600)
        assert spec["strategy"] == {
            "type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
        }  # fmt: skip
        template = spec["template"]["spec"]
        assert (template["restartPolicy"], template["terminationGracePeriodSeconds"]) == ("Always", 30)
        assert template["containers"][0]["imagePullPolicy"] == "Always"
        assert not {"serviceAccountName", "enableServiceLinks", "tolerations"} & set(template)

    def test_a_daemon_set_gets_its_defaults(self, api):
        spec = api.create(kinds.DAEMON_SET, workload())["spec"]
        assert spec["updateStrategy"] == {
            "type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("kind", "spec", "expected"),
        [
            (kinds.DEPLOYMENT, {"selector": None}, "spec.selector: Required value"),
            (
                kinds.DEPLOYMENT,
                {"selector": {}},
                "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
            ),
            (
                kinds.REPLICA_SET,
                {"selector": {"matchLabels": {"app": "y"}}},
                'spec.template.metadata.labels: Invalid value: {"app":"d"}: '
                "`selector` does not match template `labels`",
            ),
            (
                kinds.DEPLOYMENT,
                {"replicas": -1},
                "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
            ),
            (
                kinds.DAEMON_SET,
                {"template": {"metadata": {"labels": {"app": "d"}}, "spec": pod_spec(restartPolicy="Never")}},
                'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
            ),
            (
                kinds.DEPLOYMENT,
                {"strategy": {"type": "Sudden"}},
                'spec.strategy.type: Unsupported value: "Sudden": supported values: "Recreate", "RollingUpdate"',
            ),
        ],
    )
    def test_what_is_wrong(self, api, kind, spec, expected):
        assert causes(api.create, kind, workload(spec=spec)) == [expected]

    def test_the_selector_stays(self, api):
        api.create(kinds.DEPLOYMENT, workload())
        labels = {"app": "d", "b": "c"}
        change = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}
        assert causes(api.patch, kinds.DEPLOYMENT, "t", "d", {"spec": change}) == [
            'spec.selector: Invalid value: {"matchLabels":{"app":"d","b":"c"}}: field is immutable'
        ]

    def test_scale_counts_the_generation(self, api):
        api.create(kinds.DEPLOYMENT, workload())
        scale = api.patch(kinds.DEPLOYMENT, "t", "d", {"spec": {"replicas": 3}}, subresource="scale")
        assert (scale["kind"], scale["spec"]["replicas"]) == ("Scale", 3)
        found = api.get(kinds.DEPLOYMENT, "t", "d")
        assert (found["spec"]["replicas"], found["metadata"]["generation"]) == (3, 2)

    def test_a_job_selects_by_its_uid_and_may_not_restart_always(self, api):
        body = named(spec={"template": {"spec": pod_spec(restartPolicy="Never")}})
        made = api.create(kinds.JOB, body)
        assert made["spec"]["selector"]["matchLabels"] == {
            "batch.kubernetes.io/controller-uid": made["metadata"]["uid"]
        }
        assert (made["spec"]["completions"], made["spec"]["backoffLimit"]) == (1, 6)
        assert causes(api.create, kinds.JOB, named("y", spec={"template": {"spec": pod_spec()}})) == [
            'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'
        ]


class TestOthers:
    def test_lease_times_keep_six_decimals(self, api):
        spec = {"holderIdentity": "me", "leaseDurationSeconds": 15, "acquireTime": "2026-01-01T00:00:00.250000Z",
                "renewTime": "2026-01-01T00:00:01Z", "leaseTransitions": 0}  # fmt: skip
        made = api.create(kinds.LEASE, named(spec=spec))
        assert made["spec"] == {**spec, "renewTime": "2026-01-01T00:00:01.000000Z"}
        error = refusal(api.update, kinds.LEASE, named(spec=spec))
        assert "must be specified for an update" in error.message
        assert causes(api.create, kinds.LEASE, named("y", spec={"leaseDurationSeconds": 0})) == [
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"
        ]

    def test_a_lease_may_be_created_by_put(self, api):
        assert api.update(kinds.LEASE, named(spec={"holderIdentity": "me"}))["metadata"]["uid"]

    def test_what_a_role_binding_refers_to_stays(self, api):
        ref = {"kind": "Role", "name": "a"}
        made = api.create(kinds.ROLE_BINDING, named(roleRef=ref, subjects=[{"kind": "User", "name": "u"}]))
        assert made["roleRef"]["apiGroup"] == made["subjects"][0]["apiGroup"] == "rbac.authorization.k8s.io"
        (cause,) = causes(api.patch, kinds.ROLE_BINDING, "t", "x", {"roleRef": {"name": "b"}})
        assert cause.startswith("roleRef: Invalid value: {")
        assert cause.endswith(": cannot change roleRef")

    @pytest.mark.parametrize(
        ("kind", "body", "expected"),
        [
            (
                kinds.ROLE,
                {"rules": [{"apiGroups": [""], "resources": ["pods"]}]},
                "rules[0].verbs: Required value: verbs must contain at least one value",
            ),
            (
                kinds.ROLE,
                {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]},
                'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
            ),
            (
                kinds.CLUSTER_ROLE,
                {"rules": [{"verbs": ["get"], "resources": ["pods"]}]},
                "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
            ),
            (
                kinds.CLUSTER_ROLE_BINDING,
                {"roleRef": {"kind": "Role", "name": "a"}},
                'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
            ),
            (
                kinds.CLUSTER_ROLE_BINDING,
                {"roleRef": {"kind": "ClusterRole", "name": "a"},
                 "subjects": [{"kind": "ServiceAccount", "name": "s"}]},
                "subjects[0].namespace: Required value",
            ),
            (
                kinds.PDB,
                {"spec": {"minAvailable": 1, "maxUnavailable": 1}},
                'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: '
                "minAvailable and maxUnavailable cannot be both set",
            ),
            (
                kinds.SERVICE,
                {"spec": {}},
                "spec.ports: Required value",
            ),
            (
                kinds.PVC,
                {"spec": {"resources": {"requests": {"storage": "1Gi"}}}},
                "spec.accessModes: Required value: at least 1 access mode is required",
            ),
            (
                kinds.STORAGE_CLASS,
                {},
                "provisioner: Required value",
            ),
            (
                kinds.PRIORITY_CLASS,
                {"value": 2_000_000_000},
                "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
            ),
        ],
    )  # fmt: skip
    def test_what_is_wrong(self, api, kind, body, expected):
        make = named if kind.namespaced else cluster
        assert causes(api.create, kind, make(**body)) == [expected]

    def test_the_value_of_a_priority_class_stays(self, api):
        api.create(kinds.PRIORITY_CLASS, cluster(value=5))
        assert causes(api.patch, kinds.PRIORITY_CLASS, "", "x", {"value": 6}) == [
            "value: Forbidden: may not be changed in an update."
        ]
        assert causes(api.create, kinds.PRIORITY_CLASS, cluster("system-x", value=5)) == [
            "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only"
        ]

    def test_a_storage_class_gets_its_defaults(self, api):
        made = api.create(kinds.STORAGE_CLASS, cluster(provisioner="p"))
        assert (made["reclaimPolicy"], made["volumeBindingMode"]) == ("Delete", "Immediate")
        assert causes(api.patch, kinds.STORAGE_CLASS, "", "x", {"provisioner": "q"}) == [
            "provisioner: Forbidden: updates to provisioner are forbidden."
        ]

    def test_a_service_keeps_its_address(self, api):
        made = api.create(kinds.SERVICE, named(spec={"ports": [{"port": 80}]}))
        address = made["spec"]["clusterIP"]
        assert address.startswith("10.96.")
        assert made["spec"]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]
        kept = api.update(kinds.SERVICE, named(spec={"ports": [{"port": 81}]}))
        assert kept["spec"]["clusterIP"] == address
        assert causes(api.patch, kinds.SERVICE, "t", "x", {"spec": {"clusterIP": "10.96.1.1"}}) == [
            'spec.clusterIPs[0]: Invalid value: "10.96.1.1": may not change once set'
        ]
        assert api.create(kinds.SERVICE, named("h", spec={"clusterIP": "None"}))["spec"]["clusterIP"] == "None"

    def test_a_claim_may_only_grow(self, api):
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        made = api.create(kinds.PVC, named(spec=spec))
        assert (made["status"], made["spec"]["volumeMode"]) == ({"phase": "Pending"}, "Filesystem")
        grown = {"resources": {"requests": {"storage": "2Gi"}}}
        assert api.patch(kinds.PVC, "t", "x", {"spec": grown})["spec"]["resources"] == grown["resources"]
        assert causes(api.patch, kinds.PVC, "t", "x", {"spec": {"accessModes": ["ReadWriteMany"]}}) == [
            "spec: Forbidden: spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims"
        ]

    def test_an_event_lies_with_its_object(self, api):
        about = {"kind": "Pod", "name": "p", "namespace": "u"}
        assert causes(api.create, kinds.EVENT, named(involvedObject=about)) == [
            'involvedObject.namespace: Invalid value: "u": does not match event.namespace'
        ]
        node = {"metadata": {"name": "e", "namespace": "default"}, "regarding": {"kind": "Node", "name": "n1"},
                "eventTime": "2026-01-01T00:00:00Z", "note": "m"}  # fmt: skip
        made = api.create(kinds.EVENTS_EVENT, node)
        assert made["eventTime"] == "2026-01-01T00:00:00.000000Z"
        core = api.get(kinds.EVENT, "default", "e")
        assert (core["message"], core["involvedObject"]["name"], core["firstTimestamp"]) == ("m", "n1", None)

    def test_a_hundred_generated_names(self, api):
        made = {
            api.create(kinds.CONFIG_MAP, {"metadata": {"generateName": "base-", "namespace": "t"}})["metadata"]["name"]
            for _ in range(100)
        }
        assert len(made) == 100
        assert all(re.fullmatch("base-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in made)
