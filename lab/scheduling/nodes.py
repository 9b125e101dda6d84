"""Node objects of a profile: labels, capacity and devices as KubeVirt and the NVIDIA operator show them (§8.3)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import NODE
from lab.profiles.profile import Node, Product
from lab.quantities import whole
from lab.scheduling.addresses import Addresses

CALLER = Caller("system:node-bootstrapper", ("system:masters",), "kubelet")
_CPU_MODELS = {"Intel": "Skylake-Server", "AMD": "EPYC-Rome"}
_RESERVED = 3 * 2**30  # bytes kept for the system
_SANDBOX = ("sandbox-device-plugin", "sandbox-validator", "vgpu-device-manager", "vgpu-manager")
_KVM = {f"devices.kubevirt.io/{name}": "1k" for name in ("kvm", "tun", "vhost-net")}


def labels(node: Node) -> dict[str, str]:
    """All labels of a node."""
    found = {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": node.name,
        **{f"node-role.kubernetes.io/{role}": "" for role in node.roles},
    }
    if runs_guests(node):
        model = _CPU_MODELS[node.cpu_vendor]
        found |= {
            "kubevirt.io/schedulable": "true",
            f"cpu-vendor.node.kubevirt.io/{node.cpu_vendor}": "true",
            f"cpu-model.node.kubevirt.io/{model}": "true",
            f"cpu-model-migration.node.kubevirt.io/{model}": "true",
            f"host-model-cpu.node.kubevirt.io/{model}": "true",
            "machine-type.node.kubevirt.io/pc-q35-rhel9.6.0": "true",
            "machine-type.node.kubevirt.io/q35": "true",
        }
    if node.cards:
        found |= {"nvidia.com/gpu.present": "true"}
        sliced = next((card for card in node.cards if card.mdev_type is not None), None)
        if sliced is None:
            found |= {"nvidia.com/gpu.workload.config": "vm-passthrough"}
        else:
            found |= {
                "nvidia.com/gpu.workload.config": "vm-vgpu",
                "nvidia.com/vgpu.config": str(sliced.mdev_type).split()[-1],
                "nvidia.com/vgpu.config.state": "success",
            }
        found |= {f"nvidia.com/gpu.deploy.{name}": "true" for name in _SANDBOX}
    return {**found, **node.labels}


def runs_guests(node: Node) -> bool:
    """Whether virt-handler runs there: not on control plane nodes."""
    return "control-plane" not in node.roles


def capacity(node: Node) -> dict[str, str]:
    """Capacity with extended resources; a device counts as its plugin reports it."""
    devices: Counter[str] = Counter()
    for card in node.cards:
        devices[card.resource] += card.instances if card.mdev_type is not None else 1
    return {
        "cpu": node.cpu,
        "memory": str(whole(node.memory)),
        "ephemeral-storage": str(200 * 2**30),
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "pods": "250",
        **(_KVM if runs_guests(node) else {}),
        **{resource: str(count) for resource, count in devices.items()},
    }


def create(api: Api, nodes: tuple[Node, ...], product: Product, addresses: Addresses) -> None:
    """Register a profile's nodes, all Ready."""
    now = api.clock.stamp()
    for node in nodes:
        taints = [] if runs_guests(node) else [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
        annotations = {"kubevirt.io/heartbeat": now} if runs_guests(node) else {}
        manifest: dict[str, Any] = {
            "metadata": {"name": node.name, "labels": labels(node), "annotations": annotations},
            "spec": {"providerID": f"lab:///{node.name}", **({"taints": taints} if taints else {})},
        }
        created = api.create(NODE, manifest, caller=CALLER)
        whole_capacity = capacity(node)
        reserved = {"memory": str(whole(node.memory) - _RESERVED)}
        status = {
            "capacity": whole_capacity,
            "allocatable": {**whole_capacity, **reserved},
            "addresses": [
                {"type": "InternalIP", "address": addresses.node(node.name)},
                {"type": "Hostname", "address": node.name},
            ],
            "conditions": _conditions(now),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": _info(created["metadata"]["uid"], product),
        }
        api.patch(NODE, "", node.name, {"status": status}, subresource="status", caller=CALLER)


def _conditions(now: str) -> list[dict[str, str]]:
    pressures = ("MemoryPressure", "DiskPressure", "PIDPressure")
    stamps = {"lastHeartbeatTime": now, "lastTransitionTime": now}
    healthy = {"reason": "KubeletReady", "message": "kubelet is posting ready status"}
    return [
        *({"type": kind, "status": "False", "reason": "KubeletHasNoPressure", **stamps} for kind in pressures),
        {"type": "Ready", "status": "True", **healthy, **stamps},
    ]


def _info(uid: str, product: Product) -> dict[str, str]:
    return {
        "architecture": "amd64",
        "operatingSystem": "linux",
        "osImage": f"Red Hat Enterprise Linux CoreOS {product.openshift}",
        "kernelVersion": "5.14.0-570.el9.x86_64",
        "containerRuntimeVersion": "cri-o://1.33.0",
        "kubeletVersion": product.kubernetes,
        "kubeProxyVersion": product.kubernetes,
        "machineID": uid.replace("-", ""),
        "systemUUID": uid,
        "bootID": uid,
    }
