"""The cells of a Node (printers.go, printNode)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.tables.ages import UNKNOWN, age_since
from lab.apiserver.tables.reading import NONE, Object, at, condition, joined, listed, text

_ROLE = "node-role.kubernetes.io/"


def node_cells(node: Object, now: float) -> list[Any]:
    """Name, Status, Roles, Age, Version, Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime."""
    return [
        text(node, "metadata", "name"),
        _status(node),
        joined(_roles(node)),
        age_since(at(node, "metadata", "creationTimestamp"), now),
        text(node, "status", "nodeInfo", "kubeletVersion"),
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        text(node, "status", "nodeInfo", "osImage") or UNKNOWN,
        text(node, "status", "nodeInfo", "kernelVersion") or UNKNOWN,
        text(node, "status", "nodeInfo", "containerRuntimeVersion") or UNKNOWN,
    ]


def _status(node: Object) -> str:
    ready = condition(node, "Ready")
    words = ["Unknown"] if ready is None else ["Ready" if ready.get("status") == "True" else "NotReady"]
    if at(node, "spec", "unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(node: Object) -> list[str]:
    labels = at(node, "metadata", "labels") or {}
    named = {key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE) and key != _ROLE}
    legacy = {value for key, value in labels.items() if key == "kubernetes.io/role" and value}
    return sorted(named | legacy)


def _address(node: Object, type_: str) -> str:
    addresses = listed(node, "status", "addresses")
    return next((text(entry, "address") for entry in addresses if entry.get("type") == type_), NONE)
