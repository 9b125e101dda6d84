"""Cordoned nodes carry a taint that says so, as the node controller writes it (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.kinds import NODE
from lab.apiserver.resources import Resource
from lab.controllers.runtime import Key, Mapper, same_object

TAINT = "node.kubernetes.io/unschedulable"


@dataclass(frozen=True, slots=True)
class CordonTaints:
    """Keeps the taint equal to `spec.unschedulable`."""

    api: Api
    name: str = "cordon-taints"

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Nodes."""
        return {NODE: same_object}

    def reconcile(self, key: Key) -> float | None:
        """Add or remove the taint of one node."""
        node = self.api.find(NODE, *key)
        if node is None:
            return None
        spec = node.get("spec") or {}
        taints: list[Mapping[str, Any]] = spec.get("taints") or []
        others = [taint for taint in taints if taint.get("key") != TAINT]
        if (len(others) < len(taints)) == bool(spec.get("unschedulable")):
            return None
        if spec.get("unschedulable"):
            others.append({"key": TAINT, "effect": "NoSchedule", "timeAdded": self.api.clock.stamp()})
        body = {
            "metadata": {"resourceVersion": node["metadata"]["resourceVersion"]},
            "spec": {"taints": others or None},
        }
        self.api.patch(NODE, *key, body, caller=CONTROLLER_MANAGER)
        return None
