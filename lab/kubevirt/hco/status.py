"""Conditions and health of the HyperConverged object (kubevirt sheet §3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.kubevirt.conditions import find, of
from lab.kubevirt.hco.generate import KUBEVIRT_NAME, is_tainted
from lab.kubevirt.hco.view import HcoView
from lab.profiles.profile import Product

Json = Mapping[str, Any]
_DONE = ("ReconcileCompleted", "Reconcile completed successfully")
_TAINTED = ("UnsupportedFeatureAnnotation", "Unsupported feature was activated via an HCO annotation")


def wanted(view: HcoView, product: Product, highly_available: bool, now: str) -> dict[str, Any]:
    """The whole status."""
    status = dict(view.hco.get("status") or {})
    generation = view.hco["metadata"].get("generation", 1)
    entries = [_entry(kind, *said, generation) for kind, said in _conditions(view).items()]
    if is_tainted(view.hco):
        entries.append(_entry("TaintedConfiguration", True, *_TAINTED, generation))
    states = {entry["type"]: entry["status"] for entry in entries}
    return {
        **status,
        "conditions": [_dated(entry, of(view.hco), now) for entry in entries],
        "observedGeneration": generation,
        "infrastructureHighlyAvailable": highly_available,
        "systemHealthStatus": _health(states),
        "versions": [{"name": "operator", "version": product.hco}],
        "relatedObjects": [
            {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "name": KUBEVIRT_NAME,
             "namespace": view.hco["metadata"]["namespace"]},
        ],
    }  # fmt: skip


def _conditions(view: HcoView) -> dict[str, tuple[bool, str, str]]:
    """ReconcileComplete and the four states, aggregated from the KubeVirt object."""
    found = [] if view.kubevirt is None else of(view.kubevirt)
    available = _said(found, "Available") is not False and view.kubevirt is not None
    progressing, degraded = _said(found, "Progressing") is True, _said(found, "Degraded") is True
    result: dict[str, tuple[bool, str, str]] = {"ReconcileComplete": (True, *_DONE)}
    result["Available"] = (True, *_DONE) if available else (False, "KubeVirtNotAvailable", _why(found, "Available"))
    result["Progressing"] = (
        (True, "KubeVirtProgressing", _why(found, "Progressing")) if progressing else (False, *_DONE)
    )
    result["Degraded"] = (True, "KubeVirtDegraded", _why(found, "Degraded")) if degraded else (False, *_DONE)
    if degraded:
        result["Upgradeable"] = (False, "HCODegraded", "HCO is not Upgradeable due to degraded components")
    elif progressing:
        result["Upgradeable"] = (False, "HCOProgressing", "HCO is not Upgradeable due to progressing components")
    else:
        result["Upgradeable"] = (True, *_DONE)
    return result


def _said(conditions: Sequence[Json], kind: str) -> bool | None:
    entry = find(conditions, kind)
    return None if entry is None else bool(entry["status"] == "True")


def _why(conditions: Sequence[Json], kind: str) -> str:
    entry = find(conditions, kind)
    text = "" if entry is None else entry.get("message", "")
    word = "not available" if kind == "Available" else kind.lower()
    return f"KubeVirt is {word}: {text}"


def _health(states: Mapping[str, str]) -> str:
    if states["Available"] != "True" or states["Degraded"] == "True":
        return "error"
    return "warning" if states["ReconcileComplete"] != "True" or states["Progressing"] == "True" else "healthy"


def _entry(kind: str, status: bool, reason: str, message: str, generation: int) -> dict[str, Any]:
    texts = {"reason": reason, "message": message, "observedGeneration": generation}
    return {"type": kind, "status": "True" if status else "False", **texts}


def _dated(entry: Json, old: Sequence[Json], now: str) -> dict[str, Any]:
    before = find(old, entry["type"])
    same = before is not None and before["status"] == entry["status"]
    return {**entry, "lastTransitionTime": before["lastTransitionTime"] if before is not None and same else now}
