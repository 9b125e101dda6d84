"""LabelSelector objects (matchLabels, matchExpressions) as requirements on labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.causes import forbidden_value, invalid_value, required
from lab.apiserver.errors import Cause
from lab.apiserver.labels import LabelRequirement, Operator

_OPERATORS: Mapping[str, Operator] = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "absent"}


def requirements(selector: Mapping[str, Any]) -> tuple[LabelRequirement, ...]:
    """What a valid LabelSelector asks for; an empty one asks for nothing."""
    labels: Mapping[str, str] = selector.get("matchLabels") or {}
    exact = (LabelRequirement(key, "in", frozenset((value,))) for key, value in labels.items())
    expressions = (
        LabelRequirement(entry["key"], _OPERATORS[entry["operator"]], frozenset(entry.get("values") or ()))
        for entry in selector.get("matchExpressions") or ()
    )
    return (*exact, *expressions)


def selects(selector: Mapping[str, Any] | None, obj: Mapping[str, Any]) -> bool:
    """Whether an object's labels meet a LabelSelector; no selector (None) selects nothing."""
    if selector is None:
        return False
    labels = obj["metadata"].get("labels") or {}
    return all(requirement.matches(labels) for requirement in requirements(selector))


def problems(selector: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """What is wrong with the expressions of a LabelSelector."""
    for index, entry in enumerate(selector.get("matchExpressions") or ()):
        where = f"{path}.matchExpressions[{index}]"
        operator, values = entry.get("operator"), entry.get("values")
        if not entry.get("key"):
            yield required(f"{where}.key")
        if operator not in _OPERATORS:
            yield invalid_value(f"{where}.operator", operator or "", "not a valid selector operator")
        elif operator in ("In", "NotIn") and not values:
            yield required(f"{where}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        elif operator in ("Exists", "DoesNotExist") and values:
            why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden_value(f"{where}.values", why)
