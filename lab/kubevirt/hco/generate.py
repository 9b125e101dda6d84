"""The KubeVirt object that a HyperConverged object stands for (kubevirt sheet §3.3, §5.1)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from typing import Any

import jsonpatch

from lab.kubevirt.gates import GATES

Json = Mapping[str, Any]
KUBEVIRT_NAME = "kubevirt-kubevirt-hyperconverged"
PATCH_ANNOTATION = "kubevirt.kubevirt.io/jsonpatch"
PATCH_ANNOTATIONS = (
    PATCH_ANNOTATION,
    "containerizeddataimporter.kubevirt.io/jsonpatch",
    "networkaddonsconfigs.kubevirt.io/jsonpatch",
    "ssp.kubevirt.io/jsonpatch",
)
_ALWAYS = ("CPUManager", "HostDevices", "HypervStrictCheck", "KubevirtSeccompProfile", "Snapshot")
_BY_HCO_GATE = {  # HyperConverged gate: (default, KubeVirt gate)
    "declarativeHotplugVolumes": (True, "DeclarativeHotplugVolumes"),
    "downwardMetrics": (False, "DownwardMetrics"),
    "alignCPUs": (False, "AlignCPUs"),
    "objectGraph": (False, "ObjectGraph"),
    "decentralizedLiveMigration": (False, "DecentralizedLiveMigration"),
    "incrementalBackup": (False, "IncrementalBackup"),
    "containerPathVolumes": (False, "ContainerPathVolumes"),
}
_DROPPED = ("disabled",)  # keys of HyperConverged device entries that KubeVirt does not have


class PatchError(Exception):
    """The jsonpatch annotation is wrong; the message says what HCO says."""


def live_migration_defaults(hco_version: str) -> dict[str, Any]:
    """What a HyperConverged object of this HCO release has in liveMigrationConfig when nobody set it."""
    old = _older_than_1_19(hco_version)
    found = {
        "allowAutoConverge": False,
        "allowPostCopy": False,
        "completionTimeoutPerGiB": 150 if old else 20,
        "parallelMigrationsPerCluster": 5,
        "parallelOutboundMigrationsPerNode": 2 if old else 1,
        "progressTimeout": 150,
    }
    return found if old else {**found, "allowWorkloadDisruption": False}


def kubevirt_spec(hco: Json, hco_version: str) -> dict[str, Any]:
    """`spec` of the KubeVirt object for a HyperConverged (v1) object; raises PatchError."""
    spec = hco.get("spec") or {}
    virtualization: Json = spec.get("virtualization") or {}
    enabled = sorted({*_ALWAYS, *_from_gates(spec.get("featureGates") or ())})
    developer: dict[str, Any] = {"diskVerification": {"memoryLimit": "2G"}, "featureGates": enabled}
    if not _older_than_1_19(hco_version):
        betas = sorted(gate for gate, maturity in GATES.items() if maturity == "Beta" and gate not in enabled)
        developer["disabledFeatureGates"] = betas
    migrations = {**live_migration_defaults(hco_version), **(virtualization.get("liveMigrationConfig") or {})}
    configuration: dict[str, Any] = {
        "developerConfiguration": developer,
        "evictionStrategy": virtualization.get("evictionStrategy", "LiveMigrate"),
        "migrations": migrations,
        "network": {"defaultNetworkInterface": "masquerade"},
        "vmRolloutStrategy": "LiveUpdate",
    }
    devices = virtualization.get("permittedHostDevices")
    if devices is not None:
        configuration["permittedHostDevices"] = _devices(devices)
    mdevs = virtualization.get("mediatedDevicesConfiguration")
    if mdevs is not None:
        configuration["mediatedDevicesConfiguration"] = dict(mdevs)
    return _patched(
        {
            "certificateRotateStrategy": {"selfSigned": {"ca": {"duration": "48h0m0s", "renewBefore": "24h0m0s"}}},
            "configuration": configuration,
            "productComponent": "compute",
            "productName": "hyperconverged-cluster",
            "uninstallStrategy": "BlockUninstallIfWorkloadsExist",
            "workloadUpdateStrategy": virtualization.get("workloadUpdateStrategy") or {"workloadUpdateMethods": []},
        },
        (hco["metadata"].get("annotations") or {}).get(PATCH_ANNOTATION),
    )


def is_tainted(hco: Json) -> bool:
    """Whether some jsonpatch annotation changes something."""
    annotations: Mapping[str, str] = hco["metadata"].get("annotations") or {}
    return any(_operations(annotations[name]) for name in PATCH_ANNOTATIONS if name in annotations)


def _patched(spec: dict[str, Any], annotation: str | None) -> dict[str, Any]:
    if annotation is None:
        return spec
    try:
        operations = json.loads(annotation)
        if not isinstance(operations, list) or not all(isinstance(entry, dict) for entry in operations):
            raise PatchError("json: cannot unmarshal the annotation into a list of operations")
        if any(not str(entry.get("path", "")).startswith("/spec/") for entry in operations):
            raise PatchError("can only modify spec fields")
        whole = jsonpatch.apply_patch({"spec": copy.deepcopy(spec)}, operations)
    except (PatchError, ValueError, jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        raise PatchError(f"invalid jsonPatch in the {PATCH_ANNOTATION} annotation: {error}") from error
    patched: dict[str, Any] = whole["spec"]
    return patched


def _operations(annotation: str) -> int:
    try:
        operations = json.loads(annotation)
    except ValueError:
        return 0
    return len(operations) if isinstance(operations, list) else 0


def _from_gates(gates: Iterable[Json]) -> Iterable[str]:
    given = {gate["name"]: gate.get("state", "Enabled") == "Enabled" for gate in gates}
    for name, (default, kubevirt_gate) in _BY_HCO_GATE.items():
        if given.get(name, default):
            yield kubevirt_gate
            if name == "incrementalBackup":
                yield "UtilityVolumes"
    if not given.get("declarativeHotplugVolumes", True):
        yield "HotplugVolumes"


def _devices(devices: Json) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for ours, theirs in (("pciHostDevices", "pciHostDevices"), ("mediatedDevices", "mediatedDevices")):
        entries = [entry for entry in devices.get(ours) or () if not entry.get("disabled")]
        if entries:
            found[theirs] = [_entry(entry) for entry in entries]
    return found


def _entry(entry: Json) -> dict[str, Any]:
    renamed = {"pciDeviceSelector": "pciVendorSelector"}
    return {renamed.get(key, key): value for key, value in entry.items() if key not in _DROPPED}


def _older_than_1_19(version: str) -> bool:
    major, minor = version.lstrip("v").split(".")[:2]
    return (int(major), int(minor)) < (1, 19)
