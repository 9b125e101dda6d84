"""The cells of small kinds: namespaces, configuration, storage, leases, bindings (printers.go)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.tables.ages import age_since
from lab.apiserver.tables.reading import NONE, Object, at, joined, listed, number, text

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


def namespace_cells(obj: Object, now: float) -> list[Any]:
    """Name, Status, Age."""
    return [text(obj, "metadata", "name"), text(obj, "status", "phase"), _age(obj, now)]


def secret_cells(obj: Object, now: float) -> list[Any]:
    """Name, Type, Data, Age."""
    return [text(obj, "metadata", "name"), text(obj, "type"), len(at(obj, "data") or {}), _age(obj, now)]


def config_map_cells(obj: Object, now: float) -> list[Any]:
    """Name, Data, Age."""
    count = len(at(obj, "data") or {}) + len(at(obj, "binaryData") or {})
    return [text(obj, "metadata", "name"), count, _age(obj, now)]


def service_account_cells(obj: Object, now: float) -> list[Any]:
    """Name, Secrets, Age."""
    return [text(obj, "metadata", "name"), len(listed(obj, "secrets")), _age(obj, now)]


def service_cells(obj: Object, now: float) -> list[Any]:
    """Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector."""
    ports = (f"{number(port, 'port')}/{text(port, 'protocol') or 'TCP'}" for port in listed(obj, "spec", "ports"))
    selector = at(obj, "spec", "selector") or {}
    return [
        text(obj, "metadata", "name"),
        text(obj, "spec", "type") or "ClusterIP",
        text(obj, "spec", "clusterIP") or NONE,
        joined(listed(obj, "spec", "externalIPs")),
        joined(ports),
        _age(obj, now),
        joined(f"{key}={value}" for key, value in sorted(selector.items())),
    ]


def claim_cells(obj: Object, now: float) -> list[Any]:
    """Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode."""
    bound = bool(text(obj, "spec", "volumeName"))
    modes = listed(obj, "status", "accessModes") if bound else []
    return [
        text(obj, "metadata", "name"),
        "Terminating" if at(obj, "metadata", "deletionTimestamp") else text(obj, "status", "phase"),
        text(obj, "spec", "volumeName"),
        text(obj, "status", "capacity", "storage") if bound else "",
        joined((_MODES.get(mode, mode) for mode in modes), ""),
        text(obj, "spec", "storageClassName"),
        text(obj, "spec", "volumeAttributesClassName") or "<unset>",
        _age(obj, now),
        text(obj, "spec", "volumeMode") or "<unset>",
    ]


def storage_class_cells(obj: Object, now: float) -> list[Any]:
    """Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age."""
    default = text(obj, "metadata", "annotations", _DEFAULT_CLASS) == "true"
    return [
        text(obj, "metadata", "name") + (" (default)" if default else ""),
        text(obj, "provisioner"),
        text(obj, "reclaimPolicy") or "Delete",
        text(obj, "volumeBindingMode") or "<unset>",
        bool(at(obj, "allowVolumeExpansion")),
        _age(obj, now),
    ]


def lease_cells(obj: Object, now: float) -> list[Any]:
    """Name, Holder, Age."""
    return [text(obj, "metadata", "name"), text(obj, "spec", "holderIdentity"), _age(obj, now)]


def priority_class_cells(obj: Object, now: float) -> list[Any]:
    """Name, Value, Global-Default, Age, PreemptionPolicy."""
    name, policy = text(obj, "metadata", "name"), text(obj, "preemptionPolicy") or "PreemptLowerPriority"
    return [name, number(obj, "value"), bool(at(obj, "globalDefault")), _age(obj, now), policy]


def binding_cells(obj: Object, now: float) -> list[Any]:
    """Name, Role, Age, Users, Groups, ServiceAccounts."""
    subjects = listed(obj, "subjects")

    def named(kind: str) -> str:
        return joined((text(entry, "name") for entry in subjects if entry.get("kind") == kind), "")

    accounts = (
        f"{text(entry, 'namespace')}/{text(entry, 'name')}"
        for entry in subjects
        if entry.get("kind") == "ServiceAccount"
    )
    role = f"{text(obj, 'roleRef', 'kind')}/{text(obj, 'roleRef', 'name')}"
    return [text(obj, "metadata", "name"), role, _age(obj, now), named("User"), named("Group"), joined(accounts, "")]


def created_cells(obj: Object, now: float) -> list[Any]:
    """Name, Created At: what the server shows of kinds it has no printer for."""
    del now
    return [text(obj, "metadata", "name"), text(obj, "metadata", "creationTimestamp")]


def _age(obj: Object, now: float) -> str:
    return age_since(at(obj, "metadata", "creationTimestamp"), now)
