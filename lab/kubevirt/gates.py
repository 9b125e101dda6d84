"""KubeVirt v1.9 feature gates: their maturity, and what a KubeVirt object switches on (kubevirt sheet §3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Maturity = Literal["Alpha", "Beta", "GA", "Deprecated"]

VGPU_LIVE_MIGRATION = "VGPULiveMigration"
LIBVIRT_HOOKS = "LibvirtHooksServerAndClient"
STALL_DETECTION = "MigrationStallDetection"
DECENTRALIZED = "DecentralizedLiveMigration"

_BETA = (
    "DeclarativeHotplugVolumes",
    "ExternalNetResourceInjection",
    "GPUsWithDRA",
    "HostDevicesWithDRA",
    "ImageVolume",
    "KubevirtSeccompProfile",
    LIBVIRT_HOOKS,
    "NodeRestriction",
    "OptOutRoleAggregation",
    "PasstBinding",
    "PodSecondaryInterfaceNamingUpgrade",
    "RebootPolicy",
    "Snapshot",
    "Template",
    "VmiMemoryOverheadReport",
    "WorkloadEncryptionSEV",
)
_ALPHA = (
    "AlignCPUs",
    "CPUManager",
    "ConfigurableHypervisor",
    "ContainerPathVolumes",
    DECENTRALIZED,
    "DownwardMetrics",
    "EnableVirtioFsStorageVolumes",
    "ExperimentalIgnitionSupport",
    "HostDevices",
    "HostDisk",
    "HypervStrictCheck",
    "IncrementalBackup",
    STALL_DETECTION,
    "ObjectGraph",
    "PCINUMAAwareTopology",
    "Root",
    "Sidecar",
    "UtilityVolumes",
    VGPU_LIVE_MIGRATION,
    "VSOCK",
    "WorkloadEncryptionTDX",
)
_GA = ("LiveMigration", "GPU", "WithHostModelCPU", "NetworkBindingPlugins", "VMLiveUpdateFeatures", "HotplugVolumes")
_DEPRECATED = ("DisableMDEVConfiguration",)

GATES: Mapping[str, Maturity] = {
    **dict.fromkeys(_BETA, "Beta"),
    **dict.fromkeys(_ALPHA, "Alpha"),
    **dict.fromkeys(_GA, "GA"),
    **dict.fromkeys(_DEPRECATED, "Deprecated"),
}


@dataclass(frozen=True, slots=True)
class Gates:
    """The two lists of `spec.configuration.developerConfiguration`."""

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()

    def on(self, gate: str) -> bool:
        """Whether a gate is on; a gate this version does not know is off, listed or not."""
        maturity = GATES.get(gate)
        if maturity is None:
            return False
        return next((answer for _, rule, answer in PRECEDENCE if rule(self, gate, maturity)), False)

    @property
    def in_both(self) -> tuple[str, ...]:
        """Gates listed as enabled and as disabled, which no KubeVirt object may have."""
        return tuple(gate for gate in self.enabled if gate in self.disabled)


# Precedence, first match wins: its name, what must hold, and the answer.
PRECEDENCE: tuple[tuple[str, Callable[[Gates, str, Maturity], bool], bool], ...] = (
    ("always on", lambda _gates, _gate, maturity: maturity == "GA", True),
    ("asked for", lambda gates, gate, _maturity: gate in gates.enabled, True),
    ("refused", lambda gates, gate, _maturity: gate in gates.disabled, False),
    ("on by default", lambda _gates, _gate, maturity: maturity == "Beta", True),
)
