"""Pod eviction: a delete that asks disruption budgets, and whoever else may veto, first (kubernetes-api sheet §6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.admission import SYSTEM, Caller, Object, Review
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import condition, with_condition
from lab.apiserver.builtin.kinds import PDB, POD
from lab.apiserver.builtin.label_selectors import selects
from lab.apiserver.errors import ApiError, bad_request, forbidden
from lab.apiserver.options import DeleteOptions

API_VERSIONS = ("policy/v1", "policy/v1beta1")
BLOCKED = "Cannot evict pod as it would violate the pod's disruption budget."
_BUSY_RETRY = 10  # seconds clients shall wait while the budget's status is out of date
_MOST_DISRUPTED = 2000  # pods a budget may have under way


def evict(
    api: Api,
    namespace: str,
    name: str,
    eviction: Mapping[str, Any],
    *,
    options: DeleteOptions = DeleteOptions(),
    caller: Caller = SYSTEM,
) -> Object:
    """Evict a pod; returns the Status that answers with 201. `options` are its deleteOptions and the query's dryRun.

    Validators of (POD, "eviction", CREATE) may veto, and see the Eviction as `obj`. Raises ApiError 400 for an
    Eviction that does not fit, 404 without the pod, 429 when a budget or a validator says no, 500 for two budgets.
    """
    body = _body(namespace, name, eviction)
    api.admission.validate(Review("CREATE", POD, "eviction", body, None, caller, options.dry_run))
    pod = api.get(POD, namespace, name)
    if not _is_down(pod):
        _ask_budget(api, pod, dry_run=options.dry_run)
    if not options.dry_run:
        _announce(api, pod, caller)
    api.delete(POD, namespace, name, options=options, caller=caller)
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def budgets_of(api: Api, pod: Mapping[str, Any]) -> list[Object]:
    """The disruption budgets that select a pod."""
    budgets = api.list(PDB, pod["metadata"]["namespace"])
    return [budget for budget in budgets if selects((budget.get("spec") or {}).get("selector"), pod)]


def is_ready(pod: Mapping[str, Any]) -> bool:
    """True for a pod with condition Ready."""
    ready = condition(pod.get("status") or {}, "Ready")
    return ready is not None and ready.get("status") == "True"


def _body(namespace: str, name: str, eviction: Mapping[str, Any]) -> Object:
    metadata = eviction.get("metadata") or {}
    if not isinstance(metadata, Mapping) or metadata.get("name") != name:
        raise bad_request("name in URL does not match name in Eviction object")
    if metadata.get("namespace") not in (None, "", namespace):
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    version, kind = eviction.get("apiVersion") or API_VERSIONS[0], eviction.get("kind") or "Eviction"
    if version not in API_VERSIONS or kind != "Eviction":
        raise bad_request(f'no kind "{kind}" is registered for version "{version}"')
    envelope = {"apiVersion": version, "kind": kind, "metadata": {**metadata, "namespace": namespace}}
    return {**eviction, **envelope}


def _is_down(pod: Object) -> bool:
    """True for a pod that serves nobody: budgets do not protect it."""
    phase = (pod.get("status") or {}).get("phase")
    return phase in ("Pending", "Succeeded", "Failed") or bool(pod["metadata"].get("deletionTimestamp"))


def _ask_budget(api: Api, pod: Object, *, dry_run: bool) -> None:
    budgets = budgets_of(api, pod)
    if len(budgets) > 1:
        why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        raise ApiError(500, "", why)
    if not budgets:
        return
    budget = budgets[0]
    status = budget.get("status") or {}
    if not is_ready(pod) and _ignores_unready(budget, status):
        return
    taken = _taken(budget, status, pod["metadata"]["name"], api.clock.stamp())
    if not dry_run:
        api.update(PDB, {**budget, "status": taken}, subresource="status")


def _ignores_unready(budget: Object, status: Mapping[str, Any]) -> bool:
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    desired: int = status.get("desiredHealthy", 0)
    healthy: int = status.get("currentHealthy", 0)
    return 0 < desired <= healthy


def _taken(budget: Object, status: Mapping[str, Any], pod: str, stamp: str) -> Object:
    """The budget's status with one disruption spent on the pod; raises 429 when there is none to spend."""
    metadata = budget["metadata"]
    name: str = metadata["name"]
    if status.get("observedGeneration", 0) < metadata.get("generation", 0):
        raise _blocked(f"The disruption budget {name} is still being processed by the server.", _BUSY_RETRY)
    allowed, disrupted = status.get("disruptionsAllowed", 0), status.get("disruptedPods") or {}
    if allowed < 0:
        raise forbidden(PDB, name, "pdb disruptions allowed is negative")
    if len(disrupted) > _MOST_DISRUPTED:
        raise forbidden(PDB, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    if allowed == 0:
        wanted, found = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        raise _blocked(f"The disruption budget {name} needs {wanted} healthy pods and has {found} currently")
    left = {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": {**disrupted, pod: stamp}}
    if allowed > 1:
        return left
    spent = {"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": ""}
    return with_condition(left, {**spent, "observedGeneration": metadata.get("generation", 0)}, stamp)


def _blocked(why: str, retry_after: int = 0) -> ApiError:
    causes = [{"reason": "DisruptionBudget", "message": why}]
    details: dict[str, object] = {"causes": causes}
    if retry_after:
        details["retryAfterSeconds"] = retry_after
    return ApiError(429, "TooManyRequests", BLOCKED, details)


def _announce(api: Api, pod: Object, caller: Caller) -> None:
    """Say on the pod why it goes."""
    target = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
              "message": "Eviction API: evicting"}  # fmt: skip
    status = with_condition(pod.get("status") or {}, target, api.clock.stamp())
    api.update(POD, {**pod, "status": status}, subresource="status", caller=caller)
