"""Specs of pods, in pods and in the templates of workloads: computed defaults, and what is wrong (sheet §6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.causes import duplicate, invalid_value, not_found_value, not_supported, required
from lab.apiserver.errors import Cause
from lab.apiserver.naming import dns_label_problem

CONTAINERS = ("initContainers", "containers")
RESTARTS = ("Always", "OnFailure", "Never")
_PULLS = ("Always", "IfNotPresent", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")


def completed(spec: Mapping[str, Any]) -> Object:
    """The spec with image pull policies, which follow from the images' tags."""
    changed = {
        field: [_with_pull_policy(container) for container in spec[field]] for field in CONTAINERS if spec.get(field)
    }
    return {**spec, **changed}


def is_extended(resource: str) -> bool:
    """True for resources of device plugins, such as `nvidia.com/gpu`: they cannot be overcommitted."""
    domain, slash, _ = resource.partition("/")
    return bool(slash) and not domain.endswith("kubernetes.io")


def causes(spec: Mapping[str, Any], path: str, restarts: Sequence[str] = RESTARTS) -> Iterator[Cause]:
    """What is wrong with a spec; `restarts` are the restart policies its owner allows."""
    volumes: list[Mapping[str, Any]] = spec.get("volumes") or []
    yield from _named(volumes, f"{path}.volumes")
    if not spec.get("containers"):
        yield required(f"{path}.containers")
    names: set[str] = set()
    for field in CONTAINERS:
        for index, container in enumerate(spec.get(field) or ()):
            where = f"{path}.{field}[{index}]"
            yield from _container(container, where, {volume.get("name") for volume in volumes})
            name = container.get("name")
            if name in names:
                yield duplicate(f"{where}.name", name)
            names.add(name)
    if spec.get("restartPolicy") not in restarts:
        yield not_supported(f"{path}.restartPolicy", spec.get("restartPolicy"), restarts)
    if spec.get("dnsPolicy") not in _DNS:
        yield not_supported(f"{path}.dnsPolicy", spec.get("dnsPolicy"), _DNS)
    grace = spec.get("terminationGracePeriodSeconds", 0)
    if grace < 0:
        yield invalid_value(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than or equal to 0")
    yield from _tolerations(spec.get("tolerations") or (), f"{path}.tolerations")


def _with_pull_policy(container: Mapping[str, Any]) -> Object:
    if container.get("imagePullPolicy"):
        return dict(container)
    name = str(container.get("image") or "").rpartition("/")[2]
    tag = "" if "@" in name else name.partition(":")[2] or "latest"
    return {**container, "imagePullPolicy": "Always" if tag == "latest" else "IfNotPresent"}


def _named(entries: Sequence[Mapping[str, Any]], path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        name = entry.get("name")
        if not name:
            yield required(f"{path}[{index}].name")
        elif dns_label_problem(name):
            yield invalid_value(f"{path}[{index}].name", name, dns_label_problem(name))
        elif name in seen:
            yield duplicate(f"{path}[{index}].name", name)
        seen.add(name or "")


def _container(container: Mapping[str, Any], path: str, volumes: set[str | None]) -> Iterator[Cause]:
    name = container.get("name") or ""
    if not name:
        yield required(f"{path}.name")
    elif dns_label_problem(name):
        yield invalid_value(f"{path}.name", name, dns_label_problem(name))
    if not container.get("image"):
        yield required(f"{path}.image")
    if container.get("imagePullPolicy") not in _PULLS:
        yield not_supported(f"{path}.imagePullPolicy", container.get("imagePullPolicy"), _PULLS)
    mounted: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        where = f"{path}.volumeMounts[{index}]"
        if mount.get("name") not in volumes:
            yield not_found_value(f"{where}.name", mount.get("name") or "")
        target = mount.get("mountPath") or ""
        if not target:
            yield required(f"{where}.mountPath")
        elif target in mounted:
            yield invalid_value(f"{where}.mountPath", target, "must be unique")
        mounted.add(target)
    resources = container.get("resources") or {}
    limits = resources.get("limits") or {}
    for resource, amount in (resources.get("requests") or {}).items():
        if is_extended(resource) and limits.get(resource) != amount:
            if resource not in limits:
                yield required(f"{path}.resources.limits", "Limit must be set for non overcommitable resources")
            else:
                why = f"must be equal to {resource} limit of {limits[resource]}"
                yield invalid_value(f"{path}.resources.requests", amount, why)


def _tolerations(tolerations: Sequence[Mapping[str, Any]], path: str) -> Iterator[Cause]:
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        operator = toleration.get("operator") or "Equal"
        if operator not in ("Equal", "Exists"):
            yield not_supported(f"{where}.operator", operator, ("Equal", "Exists"))
        if not toleration.get("key") and operator != "Exists":
            yield invalid_value(f"{where}.operator", operator, "operator must be Exists when `key` is empty, which "
                                                               "means \"match all values and all keys\"")  # fmt: skip
        if toleration.get("effect") not in (None, "", "NoSchedule", "PreferNoSchedule", "NoExecute"):
            effects = ("NoSchedule", "PreferNoSchedule", "NoExecute")
            yield not_supported(f"{where}.effect", toleration["effect"], effects)
