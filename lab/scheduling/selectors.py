"""Label selectors, node selector terms, taints: the matching rules of the scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Json = Mapping[str, Any]
Labels = Mapping[str, str]


def matches_labels(selector: Json, labels: Labels) -> bool:
    """A LabelSelector (matchLabels and matchExpressions, all must hold); an empty one matches everything."""
    wanted: Labels = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_expression(entry, labels) for entry in selector.get("matchExpressions") or ())


def matches_node_affinity(required: Json, node: Json) -> bool:
    """A required NodeSelector: one of its terms must hold."""
    labels = node["metadata"].get("labels") or {}
    fields = {"metadata.name": node["metadata"]["name"]}
    return any(
        all(_expression(entry, labels) for entry in term.get("matchExpressions") or ())
        and all(_expression(entry, fields) for entry in term.get("matchFields") or ())
        for term in required.get("nodeSelectorTerms") or ()
    )


def untolerated(pod: Json, taints: Iterable[Json]) -> Json | None:
    """The first taint that keeps the pod off a node."""
    tolerations = pod["spec"].get("tolerations") or ()
    for taint in taints:
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not any(
            _tolerates(toleration, taint) for toleration in tolerations
        ):
            return taint
    return None


def _tolerates(toleration: Json, taint: Json) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return toleration.get("key") == taint["key"] and (toleration.get("value") or "") == (taint.get("value") or "")


def _expression(entry: Json, labels: Labels) -> bool:
    key, operator = entry["key"], entry["operator"]
    values: list[str] = entry.get("values") or []
    if operator == "In":
        return labels.get(key) in values
    if operator == "NotIn":
        return labels.get(key) not in values
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    if key not in labels:
        return False
    return int(labels[key]) > int(values[0]) if operator == "Gt" else int(labels[key]) < int(values[0])
