"""Binding a pod to a node, as a scheduler does it (kubernetes-api sheet §6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.apiserver.admission import SYSTEM, Caller, Object, Review
from lab.apiserver.api import Api
from lab.apiserver.builtin.conditions import with_condition
from lab.apiserver.builtin.kinds import POD
from lab.apiserver.causes import not_supported, required
from lab.apiserver.errors import bad_request, conflict, invalid
from lab.apiserver.options import WriteOptions
from lab.apiserver.resources import Resource

_BINDING = Resource("", "v1", "bindings", "Binding")
_POD_BINDING = Resource("", "v1", "pods/binding", "Binding")


def bind(
    api: Api,
    namespace: str,
    name: str,
    binding: Mapping[str, Any],
    *,
    options: WriteOptions = WriteOptions(),
    caller: Caller = SYSTEM,
) -> Object:
    """Give a pod its node; returns the Status that answers with 201.

    Raises ApiError 400 for another pod's binding, 404 without the pod, 409 when it has a node or is going, 422 without
    a target node.
    """
    metadata, target = binding.get("metadata") or {}, binding.get("target") or {}
    if not isinstance(metadata, Mapping) or not isinstance(target, Mapping):
        raise bad_request("Binding: metadata and target must be objects")
    if metadata.get("name", name) != name:
        raise bad_request("name in URL does not match name in Binding object")
    causes = []
    if target.get("kind") not in (None, "", "Node"):
        causes.append(not_supported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        causes.append(required("target.name"))
    if causes:
        raise invalid(_BINDING, name, causes)
    api.admission.validate(Review("CREATE", POD, "binding", dict(binding), None, caller, options.dry_run))
    old = api.get(POD, namespace, name)
    if old["metadata"].get("deletionTimestamp"):
        raise conflict(_POD_BINDING, name, f"pod {name} is being deleted, cannot be assigned to a host")
    if old["spec"].get("nodeName"):
        raise conflict(_POD_BINDING, name, f'pod {name} is already assigned to node "{old["spec"]["nodeName"]}"')
    if not options.dry_run:
        api.store.put(POD.key, _bound(old, metadata, target["name"], api.clock.stamp()))
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _bound(pod: Object, metadata: Mapping[str, Any], node: str, stamp: str) -> Object:
    notes = {**(pod["metadata"].get("annotations") or {}), **(metadata.get("annotations") or {})}
    own = {**pod["metadata"], "annotations": notes} if notes else pod["metadata"]
    scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    status = with_condition(pod.get("status") or {}, scheduled, stamp)
    generation = {"generation": own["generation"] + 1} if own.get("generation") else {}
    return {**pod, "metadata": {**own, **generation}, "spec": {**pod["spec"], "nodeName": node}, "status": status}
