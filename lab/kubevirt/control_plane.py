"""The pods of the product and of the NVIDIA operator, so that a cluster looks like one (kubevirt sheet §1.1, §8.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import DAEMON_SET, DEPLOYMENT, NAMESPACE, POD, REPLICA_SET
from lab.apiserver.resources import Resource
from lab.kubevirt.callers import Callers
from lab.kubevirt.operator import REGISTRY
from lab.profiles.profile import Node, Profile
from lab.scheduling.nodes import runs_guests

NVIDIA = "nvidia-gpu-operator"
_NVIDIA_SETS = (
    "nvidia-sandbox-device-plugin-daemonset",
    "nvidia-sandbox-validator",
    "nvidia-vgpu-device-manager",
    "nvidia-vgpu-manager-daemonset",
)
_DEPLOYMENTS = ("virt-api", "virt-controller", "virt-operator")
_HCO_DEPLOYMENTS = ("hco-operator", "hco-webhook")
_REPLICAS = 2
_EVERYWHERE = [{"operator": "Exists"}]


def install(api: Api, profile: Profile, namespace: str, callers: Callers) -> None:
    """Create namespaces, workloads and their pods; Deployments stay off the nodes that run guests."""
    placed = _Placed(api, callers)
    guests = [node for node in profile.nodes if runs_guests(node)]
    others = [node for node in profile.nodes if not runs_guests(node)] or guests
    placed.namespace(namespace)
    placed.daemon_set(namespace, "virt-handler", guests, f"{REGISTRY}/virt-handler-rhel9:{profile.product.kubevirt}")
    with_hco = profile.product.installed_by == "hco"
    for name in (*_DEPLOYMENTS, *(_HCO_DEPLOYMENTS if with_hco else ())):
        version = profile.product.hco if name in _HCO_DEPLOYMENTS else profile.product.kubevirt
        placed.deployment(namespace, name, others, f"{REGISTRY}/{name}-rhel9:{version}")
    gpus = [node for node in guests if node.cards]
    if gpus:
        placed.namespace(NVIDIA)
        for name in _NVIDIA_SETS:
            placed.daemon_set(NVIDIA, name, gpus, f"nvcr.io/nvidia/{name}:v25.3.0")


class _Placed:
    """Workloads with pods that are bound from the start."""

    def __init__(self, api: Api, callers: Callers) -> None:
        self._api = api
        self._caller = callers.operator

    def namespace(self, name: str) -> None:
        """A namespace, unless it is there."""
        if self._api.find(NAMESPACE, "", name) is None:
            self._api.create(NAMESPACE, {"metadata": {"name": name}}, caller=self._caller)

    def daemon_set(self, namespace: str, name: str, nodes: Iterable[Node], image: str) -> None:
        """One pod on each of the nodes."""
        chosen = list(nodes)
        count = len(chosen)
        body = {"selector": _selector(name), "template": _template(name, image)}
        status = {
            "currentNumberScheduled": count,
            "desiredNumberScheduled": count,
            "numberAvailable": count,
            "numberMisscheduled": 0,
            "numberReady": count,
            "observedGeneration": 1,
            "updatedNumberScheduled": count,
        }
        owner = self._workload(DAEMON_SET, namespace, name, body, status)
        for node in chosen:
            self._pod(namespace, name, image, node, owner)

    def deployment(self, namespace: str, name: str, nodes: list[Node], image: str) -> None:
        """Two pods, spread over the nodes."""
        body = {"replicas": _REPLICAS, "selector": _selector(name), "template": _template(name, image)}
        counts = {"replicas": _REPLICAS, "readyReplicas": _REPLICAS, "availableReplicas": _REPLICAS,
                  "observedGeneration": 1}  # fmt: skip
        deployment = self._workload(DEPLOYMENT, namespace, name, body, {**counts, "updatedReplicas": _REPLICAS})
        owner = self._workload(REPLICA_SET, namespace, f"{name}-5d9c7b6f4", body, counts, deployment)
        for number in range(_REPLICAS):
            self._pod(namespace, f"{name}-5d9c7b6f4", image, nodes[number % len(nodes)], owner, app=name)

    def _workload(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        spec: dict[str, Any],
        status: dict[str, Any],
        owner: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": name, "namespace": namespace}
        if owner is not None:
            metadata["ownerReferences"] = [owner]
        created = self._api.create(resource, {"metadata": metadata, "spec": spec}, caller=self._caller)
        self._api.patch(resource, namespace, name, {"status": status}, subresource="status", caller=self._caller)
        return {
            "apiVersion": resource.api_version, "kind": resource.kind, "name": name, "uid": created["metadata"]["uid"],
            "controller": True, "blockOwnerDeletion": True,
        }  # fmt: skip

    def _pod(self, namespace: str, prefix: str, image: str, node: Node, owner: dict[str, Any], app: str = "") -> None:
        name = app or prefix
        template = _template(name, image)
        metadata = {
            **template["metadata"],
            "generateName": f"{prefix}-",
            "namespace": namespace,
            "ownerReferences": [owner],
        }
        pod = {"metadata": metadata, "spec": {**template["spec"], "nodeName": node.name}}
        self._api.create(POD, pod, caller=self._caller)


def _selector(name: str) -> dict[str, Any]:
    return {"matchLabels": {"kubevirt.io": name} if name.startswith("virt-") else {"app": name}}


def _template(name: str, image: str) -> dict[str, Any]:
    container = {
        "name": name,
        "image": image,
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
    }
    spec = {"containers": [container], "tolerations": _EVERYWHERE, "terminationGracePeriodSeconds": 10}
    return {"metadata": {"labels": _selector(name)["matchLabels"]}, "spec": spec}
