"""What virt-api fills into a VMI at creation (kubevirt sheet §2.1, §2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.kubevirt.config import KubeVirtConfig
from lab.quantities import whole

Json = Mapping[str, Any]
MACHINE = "pc-q35-rhel9.6.0"


def spec_with_defaults(spec: Json, config: KubeVirtConfig) -> dict[str, Any]:
    """The VMI spec with architecture, machine, CPU, memory, network and eviction strategy filled in."""
    domain = dict(spec.get("domain") or {})
    domain["machine"] = {
        "type": MACHINE,
        **{key: value for key, value in (domain.get("machine") or {}).items() if value},
    }
    domain["cpu"] = _cpu(domain)
    memory = _memory(domain)
    if memory:
        domain["memory"] = memory
    found = {"terminationGracePeriodSeconds": 30, **spec, "domain": domain}
    found.setdefault("architecture", "amd64")
    if found.get("evictionStrategy") is None:
        found["evictionStrategy"] = config.eviction_strategy
    found["volumes"] = [_volume(volume) for volume in spec.get("volumes") or ()]
    if not found["volumes"]:
        del found["volumes"]
    _network(found, config)
    _disks(found)
    return found


def first_status(vmi: Json, now: str) -> dict[str, Any]:
    """The status a new VMI starts with: phase Pending, sizes as asked for."""
    domain = vmi["spec"]["domain"]
    cpu = domain["cpu"]
    status = dict(vmi.get("status") or {})
    status |= {
        "phase": "Pending",
        "phaseTransitionTimestamps": [{"phase": "Pending", "phaseTransitionTimestamp": now}],
        "runtimeUser": 107,
        "currentCPUTopology": {key: cpu[key] for key in ("cores", "sockets", "threads") if key in cpu},
        "guestOSInfo": {},
    }
    guest = (domain.get("memory") or {}).get("guest")
    if guest:
        status["memory"] = {"guestAtBoot": guest, "guestCurrent": guest, "guestRequested": guest}
    return status


def _cpu(domain: Json) -> dict[str, Any]:
    cpu = dict(domain.get("cpu") or {})
    if not any(cpu.get(key) for key in ("cores", "sockets", "threads")):
        resources = domain.get("resources") or {}
        asked = (resources.get("limits") or {}).get("cpu") or (resources.get("requests") or {}).get("cpu")
        cpu |= {"cores": 1, "threads": 1, "sockets": max(1, whole(asked)) if asked else 1}
    cpu.setdefault("model", "host-model")
    return cpu


def _memory(domain: Json) -> dict[str, Any]:
    memory = dict(domain.get("memory") or {})
    resources = domain.get("resources") or {}
    for given in ((resources.get("requests") or {}).get("memory"), (resources.get("limits") or {}).get("memory")):
        if given and not memory.get("guest"):
            memory["guest"] = given
    return memory


def _volume(volume: Json) -> Json:
    disk = volume.get("containerDisk")
    if not disk or disk.get("imagePullPolicy"):
        return volume
    image = disk["image"]
    latest = image.endswith(":latest") or not (":" in image or "@" in image)
    return {**volume, "containerDisk": {**disk, "imagePullPolicy": "Always" if latest else "IfNotPresent"}}


def _network(spec: dict[str, Any], config: KubeVirtConfig) -> None:
    """A VM that names neither network nor interface gets the pod network, bound as the cluster says."""
    devices = dict(spec["domain"].get("devices") or {})
    if devices.get("interfaces") or spec.get("networks") or devices.get("autoattachPodInterface") is False:
        return
    devices["interfaces"] = [{"name": "default", config.default_interface: {}}]
    spec["networks"] = [{"name": "default", "pod": {}}]
    spec["domain"] = {**spec["domain"], "devices": devices}


def _disks(spec: dict[str, Any]) -> None:
    """Every volume without a disk gets a virtio disk."""
    devices = dict(spec["domain"].get("devices") or {})
    disks = list(devices.get("disks") or ())
    named = {disk["name"] for disk in disks} | {entry["name"] for entry in devices.get("filesystems") or ()}
    missing = [volume["name"] for volume in spec.get("volumes") or () if volume["name"] not in named]
    if missing:
        devices["disks"] = [*disks, *({"name": name, "disk": {"bus": "virtio"}} for name in missing)]
        spec["domain"] = {**spec["domain"], "devices": devices}
