"""Namespaces, nodes and the classes of storage and priority: defaults and rules (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.builtin.shapes import FLAG, OBJECT, TEXT, TEXTS, WHOLE, array, obj, with_default
from lab.apiserver.causes import duplicate, forbidden_value, invalid_value, not_supported, required
from lab.apiserver.errors import Cause

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_HIGHEST_USER_PRIORITY = 1_000_000_000
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_PREEMPTIONS = ("PreemptLowerPriority", "Never")
_RECLAIMS = ("Delete", "Retain")
_BINDINGS = ("Immediate", "WaitForFirstConsumer")

NAMESPACE = obj(spec=obj(finalizers=array(TEXT)), status=OBJECT)
NODE = obj(
    spec=with_default(
        obj(unschedulable=FLAG, taints=array(obj(key=TEXT, value=TEXT, effect=TEXT, timeAdded=TEXT)), providerID=TEXT),
        {},
    ),
    status=OBJECT,
)
STORAGE_CLASS = obj(
    provisioner=with_default(TEXT, ""),
    parameters=TEXTS,
    reclaimPolicy=with_default(TEXT, "Delete"),
    volumeBindingMode=with_default(TEXT, "Immediate"),
    allowVolumeExpansion=FLAG,
)
PRIORITY_CLASS = obj(
    value=with_default(WHOLE, 0), globalDefault=FLAG, description=TEXT,
    preemptionPolicy=with_default(TEXT, "PreemptLowerPriority"),
)  # fmt: skip


def completed_namespace(new: Object, old: Object | None) -> Object:
    """With the label of its name; finalizers and phase are the server's."""
    metadata = new["metadata"]
    labels = {**(metadata.get("labels") or {}), NAMESPACE_LABEL: metadata.get("name", "")}
    named: Object = {**new, "metadata": {**metadata, "labels": labels}}
    if old is None:
        finalizers = [*((new.get("spec") or {}).get("finalizers") or ()), "kubernetes"]
        return {**named, "spec": {"finalizers": list(dict.fromkeys(finalizers))}, "status": {"phase": "Active"}}
    return {**named, "spec": old.get("spec") or {}}


def completed_node(new: Object, _: Object | None) -> Object:
    """False is the same as absent for `unschedulable`."""
    spec = {key: value for key, value in new["spec"].items() if not (key == "unschedulable" and value is False)}
    return {**new, "spec": spec}


def node_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with a Node: only its taints are judged."""
    seen: set[tuple[Any, Any]] = set()
    for index, taint in enumerate(new["spec"].get("taints") or ()):
        path = f"spec.taints[{index}]"
        if not taint.get("key"):
            yield required(f"{path}.key")
        if not taint.get("effect"):
            yield required(f"{path}.effect")
        elif taint["effect"] not in _EFFECTS:
            yield not_supported(f"{path}.effect", taint["effect"], _EFFECTS)
        unique = (taint.get("key"), taint.get("effect"))
        if unique in seen:
            yield duplicate(path, taint)
        seen.add(unique)


def storage_class_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a StorageClass."""
    if not new["provisioner"]:
        yield required("provisioner")
    for field, allowed in (("reclaimPolicy", _RECLAIMS), ("volumeBindingMode", _BINDINGS)):
        if new[field] not in allowed:
            yield not_supported(field, new[field], allowed)
    for field in ("parameters", "provisioner", "reclaimPolicy") if old is not None else ():
        if old is not None and (new.get(field) or None) != (old.get(field) or None):
            yield forbidden_value(field, f"updates to {field} are forbidden.")
    if old is not None and new["volumeBindingMode"] != old.get("volumeBindingMode"):
        yield invalid_value("volumeBindingMode", new["volumeBindingMode"], "field is immutable")


def priority_class_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a PriorityClass."""
    name, value, policy = new["metadata"].get("name", ""), new["value"], new["preemptionPolicy"]
    if name.startswith("system-"):
        if SYSTEM_PRIORITIES.get(name) != value:
            why = "priority class names with 'system-' prefix are reserved for system use only"
            yield forbidden_value("metadata.name", why)
    elif value > _HIGHEST_USER_PRIORITY:
        why = f"maximum allowed value of a user defined priority is {_HIGHEST_USER_PRIORITY}"
        yield forbidden_value("value", why)
    if policy not in _PREEMPTIONS:
        yield not_supported("preemptionPolicy", policy, _PREEMPTIONS)
    if old is not None:
        if value != old.get("value"):
            yield forbidden_value("value", "may not be changed in an update.")
        if policy != old.get("preemptionPolicy"):
            yield invalid_value("preemptionPolicy", policy, "field is immutable")
