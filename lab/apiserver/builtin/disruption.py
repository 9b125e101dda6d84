"""The controller that fills the status of PodDisruptionBudgets (kubernetes-api sheet §6.1, §6.3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.builtin.callers import CONTROLLER_MANAGER
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.builtin.kinds import PDB, POD, REPLICA_SET
from lab.apiserver.builtin.label_selectors import selects
from lab.apiserver.eviction import budgets_of, is_ready
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.clock import parse_timestamp
from lab.controllers.runtime import Key, Mapper, same_object

_FORGET = 120.0  # product seconds an evicted pod may take to start going before it counts as healthy again


@dataclass(slots=True)
class DisruptionController:
    """Counts pods and says how many more may be disrupted."""

    api: Api
    name: str = "disruption"

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Budgets, and the pods they select or selected."""
        return {PDB: same_object, POD: self._budgets}

    def reconcile(self, key: Key) -> float | None:
        """Bring the status of one budget up to date."""
        budget = self.api.find(PDB, *key)
        if budget is None:
            return None
        now = self.api.clock.now()
        selector = (budget.get("spec") or {}).get("selector")
        pods = [pod for pod in self.api.list(POD, key[0]) if selects(selector, pod)]
        disrupted = _still_disrupted(budget, pods, now)
        expected = self._expected(pods)
        desired = desired_healthy(budget.get("spec") or {}, expected)
        healthy = sum(
            is_ready(pod) and not pod["metadata"].get("deletionTimestamp") and pod["metadata"]["name"] not in disrupted
            for pod in pods
        )
        allowed = max(0, healthy - desired) if expected > 0 else 0
        counts = {"currentHealthy": healthy, "desiredHealthy": desired, "expectedPods": expected,
                  "disruptionsAllowed": allowed}  # fmt: skip
        status = self._status(budget, counts, disrupted)
        if status != budget.get("status"):
            self.api.update(PDB, {**budget, "status": status}, subresource="status", caller=CONTROLLER_MANAGER)
        return min((parse_timestamp(stamp) + _FORGET for stamp in disrupted.values()), default=None)

    def _status(self, budget: Object, counts: Mapping[str, int], disrupted: Mapping[str, str]) -> Object:
        generation = budget["metadata"].get("generation", 0)
        old = {key: value for key, value in (budget.get("status") or {}).items() if key != "disruptedPods"}
        status = {**old, **counts, "observedGeneration": generation}
        if disrupted:
            status["disruptedPods"] = dict(disrupted)
        enough = counts["disruptionsAllowed"] > 0
        condition = {
            "type": "DisruptionAllowed",
            "status": "True" if enough else "False",
            "reason": "SufficientPods" if enough else "InsufficientPods",
            "message": "",
            "observedGeneration": generation,
        }
        return with_condition(status, condition, self.api.clock.stamp())

    def _expected(self, pods: list[Object]) -> int:
        """Pods there should be: the replicas of the ReplicaSets that control them, else as many as there are."""
        expected: dict[str, int] = {}
        for pod in pods:
            owner = next((ref for ref in pod["metadata"].get("ownerReferences") or () if ref.get("controller")), None)
            uid = owner["uid"] if owner else pod["metadata"]["uid"]
            replicas = self._replicas(pod["metadata"]["namespace"], owner)
            expected[uid] = expected.get(uid, 0) + 1 if replicas is None else replicas
        return sum(expected.values())

    def _replicas(self, namespace: str, owner: Mapping[str, Any] | None) -> int | None:
        if owner is None or owner["kind"] != REPLICA_SET.kind:
            return None
        found = self.api.find(REPLICA_SET, namespace, owner["name"])
        if found is None or found["metadata"]["uid"] != owner["uid"]:
            return None
        replicas: int = (found.get("spec") or {}).get("replicas", 1)
        return replicas

    def _budgets(self, change: Change) -> Iterable[Key]:
        states = [change.new] if change.old is None else [change.new, change.old]
        budgets = (budget for state in states for budget in budgets_of(self.api, dict(state.obj)))
        return sorted({(change.new.namespace, str(budget["metadata"]["name"])) for budget in budgets})


def desired_healthy(spec: Mapping[str, Any], expected: int) -> int:
    """Pods that must stay healthy: minAvailable, or what maxUnavailable leaves of the expected ones."""
    if spec.get("maxUnavailable") is not None:
        return max(0, expected - _scaled(spec["maxUnavailable"], expected))
    if spec.get("minAvailable") is not None:
        return _scaled(spec["minAvailable"], expected)
    return 0


def _scaled(value: int | str, whole: int) -> int:
    """An int-or-percent as a number, percentages rounded up."""
    return math.ceil(int(value.removesuffix("%")) * whole / 100) if isinstance(value, str) else value


def _still_disrupted(budget: Object, pods: list[Object], now: float) -> dict[str, str]:
    """Evicted pods that have not started to go, with the time of their eviction; old ones are forgotten."""
    present = {pod["metadata"]["name"] for pod in pods if not pod["metadata"].get("deletionTimestamp")}
    recorded: Mapping[str, str] = (budget.get("status") or {}).get("disruptedPods") or {}
    return {
        name: stamp for name, stamp in recorded.items() if name in present and now < parse_timestamp(stamp) + _FORGET
    }
