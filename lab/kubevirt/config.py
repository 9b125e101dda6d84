"""What the KubeVirt object makes effective, and when each component picks a change up (kubevirt sheet §3.1, §5.1)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.store import Change
from lab.kubevirt.gates import Gates
from lab.kubevirt.kinds import KUBEVIRT
from lab.quantities import whole

PICK_UP = (0.5, 8.0)  # product seconds until a component applies a changed KubeVirt object (< 10, sheet §10)


@dataclass(frozen=True, slots=True)
class Migrations:
    """Effective cluster-wide `spec.configuration.migrations`, product defaults filled in."""

    parallel_per_cluster: int = 5
    parallel_outbound_per_node: int = 2
    bandwidth: int = 0  # bytes per second, 0: no cap
    completion_timeout_per_gib: int = 150
    progress_timeout: int = 150
    allow_auto_converge: bool = False
    allow_post_copy: bool = False
    allow_workload_disruption: bool = False
    max_downtime_ms: int = 900
    utility_volumes_timeout: int = 150
    unsafe_override: bool = False
    disable_tls: bool = False
    network: str | None = None
    node_drain_taint_key: str = "kubevirt.io/drain"
    match_selinux_level: bool = True
    bandwidth_text: str = "0"

    def to_json(self) -> dict[str, Any]:
        """As `status.migrationState.migrationConfiguration` shows it."""
        body: dict[str, Any] = {
            "nodeDrainTaintKey": self.node_drain_taint_key,
            "parallelOutboundMigrationsPerNode": self.parallel_outbound_per_node,
            "parallelMigrationsPerCluster": self.parallel_per_cluster,
            "allowAutoConverge": self.allow_auto_converge,
            "bandwidthPerMigration": self.bandwidth_text,
            "completionTimeoutPerGiB": self.completion_timeout_per_gib,
            "maxDowntimeMs": self.max_downtime_ms,
            "progressTimeout": self.progress_timeout,
            "utilityVolumesTimeout": self.utility_volumes_timeout,
            "unsafeMigrationOverride": self.unsafe_override,
            "allowPostCopy": self.allow_post_copy,
            "allowWorkloadDisruption": self.allow_workload_disruption,
            "disableTLS": self.disable_tls,
            "matchSELinuxLevelOnMigration": self.match_selinux_level,
        }
        return body if self.network is None else {**body, "network": self.network}


@dataclass(frozen=True, slots=True)
class PermittedDevices:
    """Resource names that VMIs may ask for."""

    mediated: frozenset[str] = frozenset()
    pci: frozenset[str] = frozenset()

    def __contains__(self, resource: str) -> bool:
        return resource in self.mediated or resource in self.pci


@dataclass(frozen=True, slots=True)
class KubeVirtConfig:
    """One KubeVirt object as components understand it."""

    gates: Gates = field(default_factory=Gates)
    migrations: Migrations = Migrations()
    devices: PermittedDevices = PermittedDevices()
    eviction_strategy: str = "None"
    default_interface: str = "bridge"  # binding of the pod network where a VM names none
    resource_version: str = ""

    def on(self, gate: str) -> bool:
        """Whether a feature gate is on."""
        return self.gates.on(gate)


def effective(kubevirt: Mapping[str, Any]) -> KubeVirtConfig:
    """The configuration a KubeVirt object asks for."""
    configuration = kubevirt.get("spec", {}).get("configuration") or {}
    developer = configuration.get("developerConfiguration") or {}
    devices = configuration.get("permittedHostDevices") or {}
    return KubeVirtConfig(
        gates=Gates(tuple(developer.get("featureGates") or ()), tuple(developer.get("disabledFeatureGates") or ())),
        migrations=_migrations(configuration.get("migrations") or {}),
        devices=PermittedDevices(
            mediated=frozenset(entry["resourceName"] for entry in devices.get("mediatedDevices") or ()),
            pci=frozenset(entry["resourceName"] for entry in devices.get("pciHostDevices") or ()),
        ),
        eviction_strategy=configuration.get("evictionStrategy") or "None",
        default_interface=(configuration.get("network") or {}).get("defaultNetworkInterface") or "bridge",
        resource_version=str(kubevirt.get("metadata", {}).get("resourceVersion", "")),
    )


_KEYS = {
    "parallelMigrationsPerCluster": "parallel_per_cluster",
    "parallelOutboundMigrationsPerNode": "parallel_outbound_per_node",
    "completionTimeoutPerGiB": "completion_timeout_per_gib",
    "progressTimeout": "progress_timeout",
    "allowAutoConverge": "allow_auto_converge",
    "allowPostCopy": "allow_post_copy",
    "maxDowntimeMs": "max_downtime_ms",
    "utilityVolumesTimeout": "utility_volumes_timeout",
    "unsafeMigrationOverride": "unsafe_override",
    "disableTLS": "disable_tls",
    "network": "network",
    "nodeDrainTaintKey": "node_drain_taint_key",
    "matchSELinuxLevelOnMigration": "match_selinux_level",
}


def _migrations(given: Mapping[str, Any]) -> Migrations:
    known: dict[str, Any] = {field: given[key] for key, field in _KEYS.items() if given.get(key) is not None}
    if given.get("bandwidthPerMigration") is not None:
        text = str(given["bandwidthPerMigration"])
        known |= {"bandwidth": whole(text), "bandwidth_text": text}
    settings = replace(Migrations(), **known)
    disruption = given.get("allowWorkloadDisruption")  # nil follows allowPostCopy
    return replace(
        settings, allow_workload_disruption=settings.allow_post_copy if disruption is None else bool(disruption)
    )


class ComponentConfig:
    """The configuration one component works with now."""

    def __init__(self, config: KubeVirtConfig) -> None:
        self.current = config


class ConfigSource:
    """Follows the KubeVirt object; each component gets a change a little later, as its informer would."""

    def __init__(self, api: Api, rng: random.Random, pick_up: tuple[float, float] = PICK_UP) -> None:
        self._api = api
        self._rng = rng
        self._pick_up = pick_up
        self._components: dict[str, ComponentConfig] = {}
        api.listen(KUBEVIRT, self._on_change)

    def component(self, name: str) -> ComponentConfig:
        """The view of a component such as `virt-api`, `virt-controller` or `virt-handler`; it starts up to date."""
        if name not in self._components:
            found = self._api.list(KUBEVIRT)
            self._components[name] = ComponentConfig(effective(found[0]) if found else KubeVirtConfig())
        return self._components[name]

    def _on_change(self, change: Change) -> None:
        if change.type == "DELETED":
            return
        config = effective(change.new.obj)
        for name in self._components:
            delay = self._rng.uniform(*self._pick_up)
            self._api.clock.call_later(delay, self._apply, name, config)

    def _apply(self, name: str, config: KubeVirtConfig) -> None:
        component = self._components[name]
        if int(config.resource_version or 0) < int(component.current.resource_version or 0):
            return  # an older change that arrives late never undoes a newer one
        component.current = config
