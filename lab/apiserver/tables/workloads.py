"""The cells of Deployments, DaemonSets, ReplicaSets and PodDisruptionBudgets (printers.go)."""

from __future__ import annotations

from typing import Any

from lab.apiserver.tables.ages import age_since
from lab.apiserver.tables.reading import Object, at, joined, listed, number, selector_text, text


def deployment_cells(obj: Object, now: float) -> list[Any]:
    """Name, Ready, Up-to-date, Available, Age, Containers, Images, Selector."""
    return [
        text(obj, "metadata", "name"),
        f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}",
        number(obj, "status", "updatedReplicas"),
        number(obj, "status", "availableReplicas"),
        age_since(at(obj, "metadata", "creationTimestamp"), now),
        *_template(obj),
    ]


def daemon_set_cells(obj: Object, now: float) -> list[Any]:
    """Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, Containers, Images, Selector."""
    placed = at(obj, "spec", "template", "spec", "nodeSelector") or {}
    return [
        text(obj, "metadata", "name"),
        number(obj, "status", "desiredNumberScheduled"),
        number(obj, "status", "currentNumberScheduled"),
        number(obj, "status", "numberReady"),
        number(obj, "status", "updatedNumberScheduled"),
        number(obj, "status", "numberAvailable"),
        joined(f"{key}={value}" for key, value in sorted(placed.items())),
        age_since(at(obj, "metadata", "creationTimestamp"), now),
        *_template(obj),
    ]


def replica_set_cells(obj: Object, now: float) -> list[Any]:
    """Name, Desired, Current, Ready, Age, Containers, Images, Selector."""
    return [
        text(obj, "metadata", "name"),
        number(obj, "spec", "replicas"),
        number(obj, "status", "replicas"),
        number(obj, "status", "readyReplicas"),
        age_since(at(obj, "metadata", "creationTimestamp"), now),
        *_template(obj),
    ]


def budget_cells(obj: Object, now: float) -> list[Any]:
    """Name, Min Available, Max Unavailable, Allowed Disruptions, Age."""
    least, most = at(obj, "spec", "minAvailable"), at(obj, "spec", "maxUnavailable")
    return [
        text(obj, "metadata", "name"),
        "N/A" if least is None else str(least),
        "N/A" if most is None else str(most),
        number(obj, "status", "disruptionsAllowed"),
        age_since(at(obj, "metadata", "creationTimestamp"), now),
    ]


def _template(obj: Object) -> list[str]:
    containers = listed(obj, "spec", "template", "spec", "containers")
    names = joined((text(container, "name") for container in containers), "")
    images = joined((text(container, "image") for container in containers), "")
    return [names, images, selector_text(at(obj, "spec", "selector"))]
