"""Whether a VMI can move, and the exact words for why not (kubevirt sheet §2.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.controllers.answers import answer, answering, every_answer, says
from lab.controllers.decisions import Faults, Row, Table
from lab.kubevirt.conditions import make
from lab.kubevirt.config import KubeVirtConfig
from lab.kubevirt.gates import VGPU_LIVE_MIGRATION

Json = Mapping[str, Any]
Problem = Callable[["Mobility"], str]  # what is wrong, "" if nothing is
_BRIDGE_ALLOWED = "kubevirt.io/allow-pod-bridge-network-live-migration"


@dataclass(frozen=True, slots=True)
class Mobility:
    """A VMI looked at for live migration."""

    vmi: Json
    config: KubeVirtConfig
    node: Json | None
    volumes: Mapping[str, Json]  # PVCs by claim name
    device_problem: str = ""  # the answer of the devices table

    @property
    def domain(self) -> Json:
        """`spec.domain`."""
        return self.vmi["spec"].get("domain") or {}

    @property
    def gpus(self) -> list[Json]:
        """`devices.gpus`."""
        return list((self.domain.get("devices") or {}).get("gpus") or ())

    @property
    def host_devices(self) -> list[Json]:
        """`devices.hostDevices`."""
        return list((self.domain.get("devices") or {}).get("hostDevices") or ())

    @property
    def mediated(self) -> bool:
        """Whether the only GPU is a permitted mediated device."""
        return self.gpus[0].get("deviceName") in self.config.devices.mediated


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a VMI cannot move."""

    reason: str
    message: str


# -- host devices ------------------------------------------------------------------------------------------------------

DEVICES: Table[Mobility] = Table(
    "migratable-devices",
    (
        Row(
            "generic host device",
            lambda asked: bool(asked.host_devices),
            says("VMI specifies non-migratable generic PCI host device"),
        ),
        Row("too many GPUs", lambda asked: len(asked.gpus) > 1, says("VMI specifies too many GPUs")),
        Row("no GPU", lambda asked: not asked.gpus, says("")),
        Row(
            "gate is off",
            lambda asked: not asked.config.on(VGPU_LIVE_MIGRATION),
            says(f"VMI specifies a GPU but feature gate {VGPU_LIVE_MIGRATION} is not enabled"),
        ),
        Row("not an mdev", lambda asked: not asked.mediated, says("VMI specifies non-migratable GPU device")),
        Row("one vGPU", lambda _: True, says("")),
    ),
)

# -- everything else ---------------------------------------------------------------------------------------------------


def _network_problem(asked: Mobility) -> str:
    spec = asked.vmi["spec"]
    pod_network = next((entry for entry in spec.get("networks") or () if "pod" in entry), None)
    if pod_network is None:
        return ""
    interfaces = (asked.domain.get("devices") or {}).get("interfaces") or ()
    found = next((entry for entry in interfaces if entry["name"] == pod_network["name"]), None)
    if found is None:
        return f"no primary interface found for network {pod_network['name']}"
    if "masquerade" in found or (found.get("binding") or {}).get("name") in ("passt", "l2bridge"):
        return ""
    if "bridge" in found and _BRIDGE_ALLOWED in (asked.vmi["metadata"].get("annotations") or {}):
        return ""
    return "cannot migrate VMI which does not use masquerade or a migratable plugin to connect to the pod network"


def _cpu_problem(asked: Mobility) -> str:
    model = (asked.domain.get("cpu") or {}).get("model") or "host-model"
    if model != "host-model" or asked.node is None:
        return ""
    labels = asked.node["metadata"].get("labels") or {}
    if any(key.startswith("host-model-cpu.node.kubevirt.io/") for key in labels):
        return ""
    return f'the node "{asked.node["metadata"]["name"]}" does not allow migration with host-model'


def _security(asked: Mobility, kind: str) -> bool:
    return kind in (asked.domain.get("launchSecurity") or {})


def _secure_execution(asked: Mobility) -> bool:
    return asked.vmi["spec"].get("architecture") == "s390x" and "launchSecurity" in asked.domain


def _needs_tsc(asked: Mobility) -> bool:
    features = (asked.domain.get("features") or {}).get("hyperv") or {}
    enlightened = (features.get("reenlightenment") or {}).get("enabled", "reenlightenment" in features)
    hints = (asked.vmi.get("status") or {}).get("topologyHints") or {}
    return bool(enlightened) and "tscFrequency" not in hints


def _hyperv_passthrough(asked: Mobility) -> bool:
    return bool(((asked.domain.get("features") or {}).get("hypervPassthrough") or {}).get("enabled"))


def _disk_problem(asked: Mobility) -> str:
    for volume in asked.vmi["spec"].get("volumes") or ():
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName") or (volume.get("dataVolume") or {}).get(
            "name"
        )
        if claim is not None and "ReadWriteMany" not in (asked.volumes.get(claim, {}).get("spec") or {}).get(
            "accessModes", ()
        ):
            return (
                f"cannot migrate VMI: PVC {claim} is not shared, live migration requires that all PVCs must be shared "
                "(using ReadWriteMany access mode)"
            )
        if "hostDisk" in volume and not volume["hostDisk"].get("shared"):
            return "cannot migrate VMI with non-shared HostDisk"
    return ""


def _when(holds: Callable[[Mobility], bool], message: str) -> Problem:
    return lambda asked: message if holds(asked) else ""


def _row(reason: str, problem: Problem) -> Row[Mobility]:
    return Row(reason, lambda asked: problem(asked) != "", answering(lambda asked: Obstacle(reason, problem(asked))))


_STORAGE_TOO = (
    _row("InterfaceNotLiveMigratable", _network_problem),
    _row("CPUModeLiveMigratable", _cpu_problem),
    _row("HostDeviceNotLiveMigratable", lambda asked: asked.device_problem),
    _row("SEVNotLiveMigratable", _when(lambda asked: _security(asked, "sev"), "VMI uses SEV")),
    _row("TDXNotLiveMigratable", _when(lambda asked: _security(asked, "tdx"), "VMI uses TDX")),
)
_SECURE = _row("SecureExecutionNotLiveMigratable", _when(_secure_execution, "VMI uses Secure Execution"))
_LATER = (
    _row("NoTSCFrequencyNotLiveMigratable", _when(_needs_tsc, "HyperV Reenlightenment VMIs cannot migrate when TSC "
         "Frequency is not exposed on the cluster: guest timers might be inconsistent")),
    _row("HypervPassthroughNotLiveMigratable", _when(_hyperv_passthrough, "VMI uses hyperv passthrough")),
)  # fmt: skip
_MIGRATABLE: Row[Mobility] = Row("migratable", lambda _: True, says(None))
LIVE: Table[Mobility] = Table(
    "live-migratable",
    (
        *_STORAGE_TOO,
        _SECURE,
        *_LATER,
        _row("DisksNotLiveMigratable", _disk_problem),
        _MIGRATABLE,
    ),
)
STORAGE: Table[Mobility] = Table("storage-live-migratable", (*_STORAGE_TOO, *_LATER))  # every row that applies counts


def conditions_of(asked: Mobility, faults: Faults) -> tuple[dict[str, Any], dict[str, Any]]:
    """The conditions LiveMigratable and StorageLiveMigratable."""
    seen = replace(asked, device_problem=answer(faults.ahead_of(DEVICES), asked))
    obstacle: Obstacle | None = answer(faults.ahead_of(LIVE), seen)
    live = make("LiveMigratable", obstacle is None, transition=None)
    if obstacle is not None:
        live = make("LiveMigratable", False, obstacle.reason, obstacle.message, transition=None)
    obstacles: list[Obstacle] = every_answer(faults.ahead_of(STORAGE), seen)
    if not obstacles:
        return live, make("StorageLiveMigratable", True, transition=None)
    text = ", ".join(f"{found.reason}: {found.message}" for found in obstacles)
    return live, make("StorageLiveMigratable", False, "NotMigratable", text, transition=None)


def needs_block_migration(vmi: Json) -> bool:
    """Whether some writable disk is neither shared nor a claim (containerDisk overlays, cloud-init)."""
    return any(
        not {"persistentVolumeClaim", "dataVolume"} & volume.keys() for volume in vmi["spec"].get("volumes") or ()
    )
