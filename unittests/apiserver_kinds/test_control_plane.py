"""The small controllers of the control plane, and everything together."""

import random

import pytest

from lab.apiserver.admission import Admission
from lab.apiserver.api import Api
from lab.apiserver.builtin import kinds
from lab.apiserver.builtin.claim_binder import ClaimBinder
from lab.apiserver.builtin.cordons import CordonTaints
from lab.apiserver.builtin.event_expiry import EventExpiry
from lab.apiserver.builtin.install import install
from lab.apiserver.builtin.kinds import BUILTIN, CRD, DAEMON_SET, DEPLOYMENT, EVENT, NAMESPACE, NODE, POD, PVC
from lab.apiserver.builtin.rules import strategies
from lab.apiserver.builtin.workload_status import workload_controllers
from lab.apiserver.options import DeleteOptions
from lab.apiserver.resources import Catalogue
from lab.apiserver.store import Store
from lab.controllers.runtime import Runtime
from unittests.apiserver_kinds.hypervisors import definition
from unittests.apiserver_kinds.objects import pod, workload


class TestWorkloads:
    @pytest.fixture(autouse=True)
    def controllers(self, api, runtime):
        for controller in workload_controllers(api):
            runtime.add(controller)

    def test_a_deployment_is_available_as_if_its_pods_ran(self, api, clock):
        api.create(DEPLOYMENT, workload(spec={"replicas": 2}))
        clock.advance(1)
        found = api.get(DEPLOYMENT, "t", "d")
        conditions = {entry["type"]: (entry["status"], entry["reason"]) for entry in found["status"].pop("conditions")}
        assert found["status"] == {
            "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
        }  # fmt: skip
        assert conditions == {
            "Available": ("True", "MinimumReplicasAvailable"), "Progressing": ("True", "NewReplicaSetAvailable"),
        }  # fmt: skip

    def test_it_follows_its_scale_and_then_rests(self, api, clock, changes):
        api.create(DEPLOYMENT, workload(spec={"replicas": 2}))
        clock.advance(1)
        api.patch(DEPLOYMENT, "t", "d", {"spec": {"replicas": 0}}, subresource="scale")
        clock.advance(1)
        status = api.get(DEPLOYMENT, "t", "d")["status"]
        assert status["observedGeneration"] == 2
        assert "replicas" not in status
        seen = changes(DEPLOYMENT)
        api.patch(DEPLOYMENT, "t", "d", {"metadata": {"labels": {"a": "b"}}})
        clock.advance(1)
        assert len(seen) == 1

    def test_a_daemon_set_counts_the_nodes_it_selects(self, api, clock):
        spec = {"template": {"metadata": {"labels": {"app": "d"}}, "spec": {
            "nodeSelector": {"gpu": "true"}, "containers": [{"name": "c", "image": "i"}]}}}  # fmt: skip
        api.create(DAEMON_SET, workload(spec=spec))
        api.create(NODE, {"metadata": {"name": "n1"}})
        api.create(NODE, {"metadata": {"name": "n2", "labels": {"gpu": "true"}}})
        clock.advance(1)
        status = api.get(DAEMON_SET, "t", "d")["status"]
        assert (status["desiredNumberScheduled"], status["numberReady"], status["numberMisscheduled"]) == (1, 1, 0)


class TestCordons:
    def test_the_taint_comes_and_goes_with_the_cordon(self, api, runtime, clock):
        runtime.add(CordonTaints(api))
        own = {"key": "own", "effect": "NoExecute"}
        api.create(NODE, {"metadata": {"name": "n"}, "spec": {"taints": [own]}})
        api.patch(NODE, "", "n", {"spec": {"unschedulable": True}})
        clock.advance(1)
        taints = api.get(NODE, "", "n")["spec"]["taints"]
        assert [(taint["key"], taint["effect"]) for taint in taints] == [
            ("own", "NoExecute"), ("node.kubernetes.io/unschedulable", "NoSchedule"),
        ]  # fmt: skip
        api.patch(NODE, "", "n", {"spec": {"unschedulable": None}})
        clock.advance(1)
        assert api.get(NODE, "", "n")["spec"] == {"taints": [own]}


class TestEvents:
    def test_an_event_lives_for_an_hour_after_its_last_write(self, api, runtime, clock):
        runtime.add(EventExpiry(api))
        api.create(EVENT, {"metadata": {"name": "e", "namespace": "default"}, "involvedObject": {"kind": "Node"}})
        clock.advance(1800)
        api.patch(EVENT, "default", "e", {"count": 2})
        clock.advance(3599)
        assert api.get(EVENT, "default", "e")["count"] == 2
        clock.advance(2)
        assert api.find(EVENT, "default", "e") is None


class TestClaims:
    @pytest.fixture(autouse=True)
    def binder(self, api, runtime):
        runtime.add(ClaimBinder(api))

    @pytest.fixture
    def claim(self, api, clock):
        def create(**spec):
            requests = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            api.create(PVC, {"metadata": {"name": "c", "namespace": "t"}, "spec": {**requests, **spec}})
            clock.advance(1)
            return api.get(PVC, "t", "c")

        return create

    def storage(self, api, name="fast", mode="Immediate", default="true"):
        notes = {"storageclass.kubernetes.io/is-default-class": default}
        body = {"metadata": {"name": name, "annotations": notes}, "provisioner": "p", "volumeBindingMode": mode}
        api.create(kinds.STORAGE_CLASS, body)

    def test_a_claim_of_the_default_class_is_bound(self, api, claim):
        self.storage(api)
        found = claim()
        assert found["spec"]["storageClassName"] == "fast"
        assert found["spec"]["volumeName"] == f"pvc-{found['metadata']['uid']}"
        assert found["status"] == {
            "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
        }  # fmt: skip

    def test_without_a_class_it_stays_pending(self, claim):
        found = claim()
        assert found["status"]["phase"] == "Pending"
        assert "storageClassName" not in found["spec"]

    def test_a_claim_may_wait_for_its_first_pod(self, api, claim, clock):
        self.storage(api, mode="WaitForFirstConsumer")
        assert claim()["status"]["phase"] == "Pending"
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
        api.create(POD, pod(spec={"volumes": volumes, "nodeName": "n1"}))
        clock.advance(1)
        assert api.get(PVC, "t", "c")["status"]["phase"] == "Bound"

    def test_a_used_claim_stays_until_its_pod_goes(self, api, claim, clock):
        claim()
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
        api.create(POD, pod(spec={"volumes": volumes, "nodeName": "n1"}))
        held = api.delete(PVC, "t", "c")
        assert held["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
        clock.advance(1)
        assert api.find(PVC, "t", "c") is not None
        api.delete(POD, "t", "p", options=DeleteOptions(grace_period=0))
        clock.advance(1)
        assert api.find(PVC, "t", "c") is None


class TestTogether:
    @pytest.fixture
    def whole(self, clock):
        api = Api(Store(), clock, Catalogue(BUILTIN), Admission(), strategies(), random.Random(3))
        install(api, Runtime(api, clock, random.Random(4)), "PEM")
        clock.advance(2)
        return api

    def test_a_cluster_is_born_with_these(self, whole):
        names = {obj["metadata"]["name"] for obj in whole.list(NAMESPACE)}
        assert names == {"default", "kube-system", "kube-public", "kube-node-lease"}
        assert {obj["metadata"]["name"] for obj in whole.list(kinds.PRIORITY_CLASS)} == {
            "system-cluster-critical", "system-node-critical",
        }  # fmt: skip
        assert whole.get(kinds.SERVICE, "default", "kubernetes")["spec"]["clusterIP"] == "10.96.0.1"
        assert whole.get(kinds.SERVICE_ACCOUNT, "kube-system", "default")

    def test_a_namespace_takes_custom_resources_and_pods_along(self, whole, clock):
        body = definition()
        body["spec"]["scope"] = "Namespaced"
        whole.create(CRD, body)
        whole.create(NAMESPACE, {"metadata": {"name": "t"}})
        clock.advance(2)
        hypervisors = whole.catalogue.find("kvm.cloud.sap", "v1", "hypervisors")
        whole.create(kinds.CONFIG_MAP, {"metadata": {"name": "c", "namespace": "t"}})
        held = {"metadata": {"name": "h", "namespace": "t", "finalizers": ["a/b"]}, "spec": {}}
        whole.create(hypervisors, held)
        whole.create(POD, pod())
        assert whole.delete(NAMESPACE, "", "t")["status"]["phase"] == "Terminating"
        with pytest.raises(Exception, match="because it is being terminated"):
            whole.create(kinds.CONFIG_MAP, {"metadata": {"name": "d", "namespace": "t"}})
        clock.advance(5)
        assert whole.find(NAMESPACE, "", "t") is not None
        whole.patch(hypervisors, "t", "h", {"metadata": {"finalizers": None}})
        clock.advance(5)
        assert whole.find(NAMESPACE, "", "t") is None
        assert not any(list(whole.store.scan(key, "t")) for key in tuple(whole.store.keys()))

    def test_it_comes_to_rest(self, whole, clock):
        clock.advance(10)
        revision = whole.store.revision
        clock.advance(60)
        assert whole.store.revision == revision
