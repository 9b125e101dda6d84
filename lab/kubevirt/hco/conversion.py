"""HyperConverged v1beta1 and v1: the same settings in other places (kubevirt sheet §1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
Path = tuple[str, ...]

_VIRTUALIZATION = (
    "liveMigrationConfig", "permittedHostDevices", "mediatedDevicesConfiguration", "evictionStrategy",
    "workloadUpdateStrategy", "ksmConfiguration", "liveUpdateConfiguration", "higherWorkloadDensity", "tuningPolicy",
)  # fmt: skip
_SOURCES = ("dataImportCronTemplates", "commonTemplatesNamespace", "enableCommonBootImageImport")
PLACES: tuple[tuple[Path, Path], ...] = (  # (in v1beta1, in v1), below spec
    *(((name,), ("virtualization", name)) for name in _VIRTUALIZATION),
    (("resourceRequirements", "vmiCPUAllocationRatio"), ("virtualization", "vmiCPUAllocationRatio")),
    (("infra", "nodePlacement"), ("deployment", "nodePlacements", "infra")),
    (("workloads", "nodePlacement"), ("deployment", "nodePlacements", "workload")),
    (("uninstallStrategy",), ("deployment", "uninstallStrategy")),
    (("logVerbosityConfig",), ("deployment", "logVerbosityConfig")),
    (("certConfig",), ("security", "certConfig")),
    (("tlsSecurityProfile",), ("security", "tlsSecurityProfile")),
    (("vmStateStorageClass",), ("storage", "vmStateStorageClass")),
    *(((name,), ("workloadSources", name)) for name in _SOURCES),
)
_MDEV_GATE = "disableMDevConfiguration"
_MDEV_ENABLED = ("virtualization", "mediatedDevicesConfiguration", "enabled")


def to_v1(obj: Json) -> dict[str, Any]:
    """The object as v1 has it. Settings that have the same place in both stay where they are."""
    old = obj.get("spec") or {}
    spec = _moved(old, [(before, after) for before, after in PLACES])
    gates: Json = old.get("featureGates") or {}
    spec.pop("featureGates", None)
    named = {name: on for name, on in gates.items() if name != _MDEV_GATE}
    if named:
        states = {True: "Enabled", False: "Disabled"}
        spec["featureGates"] = [{"name": name, "state": states[bool(on)]} for name, on in sorted(named.items())]
    if gates.get(_MDEV_GATE):
        spec = _put(spec, _MDEV_ENABLED, False)
    return {**obj, "apiVersion": "hco.kubevirt.io/v1", "spec": spec}


def to_v1beta1(obj: Json) -> dict[str, Any]:
    """The object as v1beta1 has it."""
    old = obj.get("spec") or {}
    enabled = _get(old, _MDEV_ENABLED)
    spec = _moved(_without(old, _MDEV_ENABLED), [(after, before) for before, after in PLACES])
    gates: list[Json] = old.get("featureGates") or []
    spec.pop("featureGates", None)
    named = {gate["name"]: gate.get("state", "Enabled") == "Enabled" for gate in gates}
    if enabled is False:
        named[_MDEV_GATE] = True
    if named:
        spec["featureGates"] = named
    return {**obj, "apiVersion": "hco.kubevirt.io/v1beta1", "spec": spec}


def _moved(spec: Json, places: list[tuple[Path, Path]]) -> dict[str, Any]:
    found: dict[str, Any] = dict(spec)
    moves = [(after, _get(spec, before)) for before, after in places if _get(spec, before) is not None]
    for before, _ in places:
        found = _without(found, before)
    for after, value in moves:
        found = _put(found, after, value)
    return found


def _get(tree: Json, path: Path) -> Any:
    for key in path:
        if not isinstance(tree, Mapping) or key not in tree:
            return None
        tree = tree[key]
    return tree


def _put(tree: Json, path: Path, value: Any) -> dict[str, Any]:
    key, *rest = path
    inner = value if not rest else _put(tree.get(key) or {}, tuple(rest), value)
    return {**tree, key: inner}


def _without(tree: Json, path: Path) -> dict[str, Any]:
    """The tree without the value at `path`; maps that this empties go, too."""
    key, *rest = path
    if key not in tree:
        return dict(tree)
    others = {name: value for name, value in tree.items() if name != key}
    if not rest:
        return others
    if not isinstance(tree[key], Mapping):
        return dict(tree)
    inner = _without(tree[key], tuple(rest))
    return {**others, key: inner} if inner else others
