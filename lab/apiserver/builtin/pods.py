"""Pods: what the server adds on create, and the little that may change later (kubernetes-api sheet §6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.builtin import pod_specs
from lab.apiserver.builtin.pod_shapes import POD_SPEC
from lab.apiserver.builtin.shapes import OBJECT, obj, with_default
from lab.apiserver.causes import forbidden_value
from lab.apiserver.errors import Cause

SHAPE = obj(spec=with_default(POD_SPEC, {}), status=OBJECT)
_EVICTED_BY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EVICTED_AFTER = 300  # seconds
_COMPUTE = ("cpu", "memory")
_FIXED = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def completed(new: Object, old: Object | None) -> Object:
    """A new pod with all its defaults and its first status; a changed one with the defaults of its spec."""
    spec = pod_specs.completed(new["spec"])
    if old is not None:
        return {**new, "spec": spec}
    for field in pod_specs.CONTAINERS:
        if spec.get(field):
            spec[field] = [_with_requests(container) for container in spec[field]]
    spec = {**spec, "serviceAccount": spec["serviceAccountName"], "tolerations": _tolerations(spec)}
    return {**new, "spec": spec, "status": {"phase": "Pending", "qosClass": qos_class(spec)}}


def causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a pod, or with a change of one."""
    if old is None:
        yield from pod_specs.causes(new["spec"], "spec")
        return
    before, after = old["spec"], new["spec"]
    if after == before:
        return
    for field in pod_specs.CONTAINERS:
        if len(after.get(field) or ()) != len(before.get(field) or ()):
            yield forbidden_value(f"spec.{field}", "pod updates may not add or remove containers")
            return
    if not _adds_only(before.get("tolerations") or [], after.get("tolerations") or []):
        why = "existing toleration can not be modified except its tolerationSeconds"
        yield forbidden_value("spec.tolerations", why)
    if _without_changeable(after, before) != _without_changeable(before, before):
        yield forbidden_value("spec", _FIXED)


def qos_class(spec: Mapping[str, Any]) -> str:
    """Guaranteed if every container limits cpu and memory to its requests, BestEffort if none asks, else Burstable."""
    resources = [entry.get("resources") or {} for field in pod_specs.CONTAINERS for entry in spec.get(field) or ()]
    amounts = [
        ((entry.get("requests") or {}).get(name), (entry.get("limits") or {}).get(name))
        for entry in resources
        for name in _COMPUTE
    ]
    if not any(request or limit for request, limit in amounts):
        return "BestEffort"
    return "Guaranteed" if all(limit and limit == request for request, limit in amounts) else "Burstable"


def _with_requests(container: Mapping[str, Any]) -> Object:
    """What is limited but not requested is requested up to the limit."""
    resources = container.get("resources") or {}
    limits = resources.get("limits")
    if not limits:
        return dict(container)
    return {**container, "resources": {**resources, "requests": {**limits, **(resources.get("requests") or {})}}}


def _tolerations(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pod's own, and those that keep it on a failing node for five minutes."""
    own: list[Mapping[str, Any]] = list(spec.get("tolerations") or [])
    for key in _EVICTED_BY:
        if not any(
            entry.get("key") in (None, "", key) and entry.get("effect") in (None, "", "NoExecute") for entry in own
        ):
            own.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _EVICTED_AFTER})
    return own


def _adds_only(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> bool:
    def known(toleration: Mapping[str, Any]) -> Object:
        return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}

    return all(known(entry) in [known(other) for other in after] for entry in before)


def _without_changeable(spec: Mapping[str, Any], old: Mapping[str, Any]) -> Object:
    """The spec without what an update may change; a grace that was negative may become 1."""
    aside = ["activeDeadlineSeconds", "tolerations"]
    if old.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        aside.append("terminationGracePeriodSeconds")
    rest = {key: value for key, value in spec.items() if key not in aside}
    for field in pod_specs.CONTAINERS:
        if rest.get(field):
            rest[field] = [{**container, "image": ""} for container in rest[field]]
    return rest
