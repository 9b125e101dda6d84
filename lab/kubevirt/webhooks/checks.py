"""What is wrong with a VMI spec, in virt-api's words; what the lab does not simulate is refused, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lab.apiserver.errors import ApiError, Cause
from lab.kubevirt.config import KubeVirtConfig

Json = Mapping[str, Any]
_STRATEGIES = ("None", "LiveMigrate", "LiveMigrateIfPossible", "External")
_VOLUMES = frozenset(
    {
        "containerDisk", "cloudInitNoCloud", "cloudInitConfigDrive", "persistentVolumeClaim", "emptyDisk", "configMap",
        "secret", "serviceAccount", "hostDisk", "downwardAPI",
    }
)  # fmt: skip


def spec_causes(field: str, spec: Json, config: KubeVirtConfig) -> list[Cause]:
    """Everything wrong with a VMI spec at `field` (`spec` or `spec.template.spec`)."""
    devices = (spec.get("domain") or {}).get("devices") or {}
    return [
        *_disk_causes(field, spec, devices),
        *_memory_causes(field, spec),
        *_eviction_causes(field, spec),
        *_device_causes(field, devices, config),
    ]


def refuse_unsimulated(spec: Json) -> None:
    """Raise 501 for parts of a VMI the lab knows nothing about."""
    for volume in spec.get("volumes") or ():
        unknown = sorted(set(volume) - _VOLUMES - {"name"})
        if unknown:
            raise not_simulated(f"volumes of type {', '.join(unknown)} (volume {volume.get('name')})")
    devices = (spec.get("domain") or {}).get("devices") or {}
    for entry in (*(devices.get("gpus") or ()), *(devices.get("hostDevices") or ())):
        if "claimName" in entry:
            raise not_simulated(f"dynamic resource allocation (device {entry.get('name')})")
    for interface in devices.get("interfaces") or ():
        if "sriov" in interface:
            raise not_simulated(f"SR-IOV interfaces (interface {interface.get('name')})")


def not_simulated(what: str) -> ApiError:
    """501: the product has it, the lab does not."""
    return ApiError(501, "NotImplemented", f"the lab does not simulate {what}")


def _disk_causes(field: str, spec: Json, devices: Json) -> Iterable[Cause]:
    volumes = {volume["name"] for volume in spec.get("volumes") or ()}
    for number, disk in enumerate(devices.get("disks") or ()):
        if disk["name"] not in volumes and "cdrom" not in disk:
            place = f"{field}.domain.devices.disks[{number}]"
            yield Cause("FieldValueInvalid", f"{place}.Name '{disk['name']}' not found.", f"{place}.name")


def _memory_causes(field: str, spec: Json) -> Iterable[Cause]:
    domain = spec.get("domain") or {}
    resources, memory = domain.get("resources") or {}, domain.get("memory") or {}
    given = [(resources.get(kind) or {}).get("memory") for kind in ("requests", "limits")]
    if not any((*given, memory.get("guest"), memory.get("hugepages"))):
        base = f"{field}.domain"
        text = (
            f"{base}.resources.requests.memory, {base}.resources.limits.memory, {base}.memory.hugepages or "
            f"{base}.memory.guest should be provided"
        )
        yield Cause("FieldValueInvalid", text, "")


def _eviction_causes(field: str, spec: Json) -> Iterable[Cause]:
    strategy = spec.get("evictionStrategy")
    if strategy is not None and strategy not in _STRATEGIES:
        place = f"{field}.evictionStrategy"
        yield Cause("FieldValueInvalid", f"{place} is set with an unrecognized option: {strategy}", place)


def _device_causes(field: str, devices: Json, config: KubeVirtConfig) -> Iterable[Cause]:
    if sum(_owns_display(gpu) for gpu in devices.get("gpus") or ()) > 1:
        yield Cause("FieldValueInvalid", "configuring multiple displays with ramfb is not valid ", f"{field}.GPUs")
    if devices.get("hostDevices") and not config.on("HostDevices"):
        text = "Host Devices feature gate is not enabled in kubevirt-config"
        yield Cause("FieldValueInvalid", text, f"{field}.HostDevices")


def _owns_display(gpu: Json) -> bool:
    display = (gpu.get("virtualGPUOptions") or {}).get("display")
    if display is None:
        return False
    return bool(display.get("enabled", True)) and bool((display.get("ramFB") or {}).get("enabled", True))
