"""The virt-launcher pod of a VMI, for its start and as a migration target (kubevirt sheet §4.9)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from lab.kubevirt.config import KubeVirtConfig
from lab.kubevirt.gates import LIBVIRT_HOOKS, VGPU_LIVE_MIGRATION
from lab.quantities import milli, whole

LAUNCHER_IMAGE = "registry.redhat.io/container-native-virtualization/virt-launcher-rhel9:v1.9.0"
VGPU_ARG = "--vgpu-dedicated-hook"
HOOK_ARG = "--libvirt-hook-server-and-client"
_MI = 2**20
_PADDING = 15  # seconds the launcher's grace exceeds the guest's, twice
_IMAGE_OVERRIDE = "kubevirt.io/func-test-migration-target-image-override"
_NOT_COPIED = ("kubectl.kubernetes.io", "kubevirt.io/storage-observed-api-version",
               "kubevirt.io/latest-observed-api-version")  # fmt: skip

Json = Mapping[str, Any]


class RenderError(Exception):
    """The pod cannot be rendered; the text ends up in `failed to render launch manifest: …`."""


def render(
    vmi: Json, config: KubeVirtConfig, *, node_selector: Mapping[str, str] | None = None, migration: Json | None = None
) -> dict[str, Any]:
    """The pod manifest (without status) for `vmi`.

    `node_selector` adds terms (the VM's own win on conflict). With `migration` (the VMIM) it becomes a target pod:
    its addedNodeSelector, labels and annotations, and never the node of another pod of this VMI.
    What gates switch on is fixed here, at render time. Raises RenderError for a device that is not permitted.
    """
    for device in requested_devices(vmi):
        if device["deviceName"] not in config.devices:
            kind = "GPU" if device in _gpus(vmi) else "HostDevice"
            raise RenderError(f"{kind} {device['deviceName']} is not permitted in permittedHostDevices configuration")
    metadata, spec = vmi["metadata"], vmi["spec"]
    grace = spec.get("terminationGracePeriodSeconds", 30) + _PADDING
    pod: dict[str, Any] = {
        "metadata": {
            "generateName": f"virt-launcher-{metadata['name']}-",
            "namespace": metadata["namespace"],
            "labels": _labels(vmi, migration),
            "annotations": _annotations(vmi, migration),
            "ownerReferences": [_owner(vmi)],
        },
        "spec": {
            "hostname": metadata["name"][:63],
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": grace + _PADDING,
            "nodeSelector": _node_selector(vmi, node_selector or {}, migration),
            "containers": [_compute(vmi, config, grace, migration), *_disk_containers(vmi)],
            "readinessGates": [{"conditionType": "kubevirt.io/virtual-machine-unpaused"}],
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
        },
    }
    for key in ("tolerations", "schedulerName", "priorityClassName"):
        if spec.get(key):
            pod["spec"][key] = spec[key]
    affinity = _affinity(vmi, migration)
    if affinity:
        pod["spec"]["affinity"] = affinity
    return pod


def cpu_vendor_selector(node: Json) -> dict[str, str]:
    """Selector that keeps a target on the CPU vendor of this (source) node."""
    labels: Mapping[str, str] = node["metadata"].get("labels") or {}
    prefix = "cpu-vendor.node.kubevirt.io/"
    return {key: "true" for key, value in labels.items() if key.startswith(prefix) and value == "true"}


def requested_devices(vmi: Json) -> list[Json]:
    """All entries of devices.gpus and devices.hostDevices that name an extended resource."""
    devices = vmi["spec"].get("domain", {}).get("devices", {})
    entries: Iterable[Json] = (*(devices.get("gpus") or ()), *(devices.get("hostDevices") or ()))
    return [entry for entry in entries if entry.get("deviceName")]


def guest_memory(vmi: Json) -> int:
    """Bytes of guest memory: domain.memory.guest, otherwise resources.requests.memory."""
    domain = vmi["spec"].get("domain", {})
    given = (domain.get("memory") or {}).get("guest") or domain.get("resources", {}).get("requests", {}).get("memory")
    return whole(given) if given else 0


def vcpus(vmi: Json) -> int:
    """Number of virtual CPUs."""
    cpu = vmi["spec"].get("domain", {}).get("cpu") or {}
    return int(cpu.get("cores", 1)) * int(cpu.get("sockets", 1)) * int(cpu.get("threads", 1))


def memory_overhead(vmi: Json) -> int:
    """Bytes KubeVirt adds for the page tables, the launcher's processes, video memory and device mappings."""
    overhead = math.ceil(guest_memory(vmi) / 512) + (220 + 8 * vcpus(vmi) + 8 + 32) * _MI
    return overhead + 1024 * _MI if requested_devices(vmi) else overhead


def _gpus(vmi: Json) -> list[Json]:
    return list(vmi["spec"].get("domain", {}).get("devices", {}).get("gpus") or ())


def _owner(vmi: Json) -> dict[str, Any]:
    metadata = vmi["metadata"]
    return {"apiVersion": vmi["apiVersion"], "kind": vmi["kind"], "name": metadata["name"], "uid": metadata["uid"],
            "controller": True, "blockOwnerDeletion": True}  # fmt: skip


def _labels(vmi: Json, migration: Json | None) -> dict[str, str]:
    metadata = vmi["metadata"]
    labels = {
        **(metadata.get("labels") or {}),
        "kubevirt.io": "virt-launcher",
        "kubevirt.io/created-by": metadata["uid"],
        "vm.kubevirt.io/name": metadata["name"],
        "vmi.kubevirt.io/id": metadata["name"],
    }
    labels.pop("kubevirt.io/migrationTargetNodeName", None)
    if migration is not None:
        labels["kubevirt.io/migrationJobUID"] = migration["metadata"]["uid"]
    return labels


def _annotations(vmi: Json, migration: Json | None) -> dict[str, str]:
    own = vmi["metadata"].get("annotations") or {}
    annotations = {
        **{key: value for key, value in own.items() if not key.startswith(_NOT_COPIED)},
        "kubevirt.io/domain": vmi["metadata"]["name"],
        "kubevirt.io/migrationTransportUnix": "true",
        "kubevirt.io/memory-overhead-bytes": str(memory_overhead(vmi)),
        "kubectl.kubernetes.io/default-container": "compute",
        "descheduler.alpha.kubernetes.io/request-evict-only": "",
    }
    if migration is not None:
        annotations["kubevirt.io/migrationJobName"] = migration["metadata"]["name"]
    return annotations


def _node_selector(vmi: Json, extra: Mapping[str, str], migration: Json | None) -> dict[str, str]:
    added = (migration or {}).get("spec", {}).get("addedNodeSelector") or {}
    return {"kubernetes.io/arch": vmi["spec"].get("architecture", "amd64"), **extra, **added,
            **(vmi["spec"].get("nodeSelector") or {}), "kubevirt.io/schedulable": "true"}  # fmt: skip


def _affinity(vmi: Json, migration: Json | None) -> dict[str, Any]:
    affinity: dict[str, Any] = dict(vmi["spec"].get("affinity") or {})
    if migration is None:
        return affinity
    key = "requiredDuringSchedulingIgnoredDuringExecution"
    anti = dict(affinity.get("podAntiAffinity") or {})
    term = {
        "labelSelector": {"matchLabels": {"kubevirt.io/created-by": vmi["metadata"]["uid"]}},
        "topologyKey": "kubernetes.io/hostname",
    }
    anti[key] = [*(anti.get(key) or ()), term]
    return {**affinity, "podAntiAffinity": anti}


def _compute(vmi: Json, config: KubeVirtConfig, grace: int, migration: Json | None) -> dict[str, Any]:
    metadata = vmi["metadata"]
    arguments = [
        "--qemu-timeout", "240s", "--name", metadata["name"], "--uid", metadata["uid"],
        "--namespace", metadata["namespace"], "--kubevirt-share-dir", "/var/run/kubevirt",
        "--ephemeral-disk-dir", "/var/run/kubevirt-ephemeral-disks",
        "--container-disk-dir", "/var/run/kubevirt/container-disks",
        "--grace-period-seconds", str(grace), "--hook-sidecars", "0", "--ovmf-path", "/usr/share/OVMF",
        "--run-as-nonroot",
    ]  # fmt: skip
    arguments += [arg for gate, arg in ((VGPU_LIVE_MIGRATION, VGPU_ARG), (LIBVIRT_HOOKS, HOOK_ARG)) if config.on(gate)]
    override = ((migration or {}).get("metadata", {}).get("annotations") or {}).get(_IMAGE_OVERRIDE)
    return {
        "name": "compute",
        "image": override or LAUNCHER_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/usr/bin/virt-launcher-monitor"],
        "args": arguments,
        "env": [
            {"name": "XDG_CACHE_HOME", "value": "/var/run/kubevirt-private"},
            {"name": "XDG_CONFIG_HOME", "value": "/var/run/kubevirt-private"},
            {"name": "XDG_RUNTIME_DIR", "value": "/var/run"},
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "resources": _resources(vmi),
        "securityContext": {"runAsUser": 107, "runAsNonRoot": True, "allowPrivilegeEscalation": False},
    }


def _resources(vmi: Json) -> dict[str, dict[str, str]]:
    given = vmi["spec"].get("domain", {}).get("resources") or {}
    devices: dict[str, int] = {}
    for entry in requested_devices(vmi):
        devices[entry["deviceName"]] = devices.get(entry["deviceName"], 0) + 1
    kvm = {"devices.kubevirt.io/kvm": "1", "devices.kubevirt.io/tun": "1", "devices.kubevirt.io/vhost-net": "1"}
    extended = {**kvm, **{name: str(count) for name, count in devices.items()}}
    memory = whole(given.get("requests", {}).get("memory") or guest_memory(vmi)) + memory_overhead(vmi)
    cpu = given.get("requests", {}).get("cpu") or f"{math.ceil(vcpus(vmi) * 1000 / 10)}m"  # cpuAllocationRatio 10
    requests = {"cpu": f"{milli(cpu)}m", "memory": str(memory), "ephemeral-storage": "50M", **extended}
    limits = dict(extended)
    if given.get("limits", {}).get("memory"):
        limits["memory"] = str(whole(given["limits"]["memory"]) + memory_overhead(vmi))
    if given.get("limits", {}).get("cpu"):
        limits["cpu"] = str(given["limits"]["cpu"])
    return {"requests": requests, "limits": limits}


def _disk_containers(vmi: Json) -> list[dict[str, Any]]:
    disks = [volume for volume in vmi["spec"].get("volumes") or () if volume.get("containerDisk")]
    return [
        {
            "name": f"volume{volume['name']}",
            "image": volume["containerDisk"]["image"],
            "imagePullPolicy": volume["containerDisk"].get("imagePullPolicy", "IfNotPresent"),
            "command": ["/usr/bin/container-disk"],
            "args": ["--copy-path", f"/var/run/kubevirt-ephemeral-disks/container-disk-data/{volume['name']}"],
            "resources": {"limits": {"cpu": "10m", "memory": "40M"}, "requests": {"cpu": "1m", "memory": "1M"}},
        }
        for volume in disks
    ]
