"""What must be right about the metadata of an object (kubernetes-api sheet §2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.apiserver.causes import forbidden_value, invalid_value, required, too_long
from lab.apiserver.errors import Cause
from lab.apiserver.naming import (
    dns_label_problem,
    label_value_problem,
    path_segment_problem,
    qualified_name_problem,
    subdomain_problem,
)
from lab.apiserver.resources import Resource

ANNOTATIONS_LIMIT = 256 * 1024  # bytes, keys and values together
STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")


def name_causes(resource: Resource, metadata: Mapping[str, Any]) -> Iterator[Cause]:
    """What is wrong with the name of a new object."""
    name = metadata.get("name")
    if not name:
        yield required("metadata.name", "name or generateName is required")
        return
    if resource.group == "rbac.authorization.k8s.io":
        problem = path_segment_problem(name)
    elif (resource.group, resource.plural) == ("", "namespaces"):
        problem = dns_label_problem(name)
    else:
        problem = subdomain_problem(name)
    if problem:
        yield invalid_value("metadata.name", name, problem)


def causes(resource: Resource, new: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[Cause]:
    """What is wrong with labels, annotations, finalizers and owners, as far as they differ from those of `old`."""
    if new is old:
        return
    if new.get("labels") is not old.get("labels"):
        yield from _label_causes(new.get("labels") or {})
    if new.get("annotations") is not old.get("annotations"):
        yield from _annotation_causes(new.get("annotations") or {})
    if new.get("ownerReferences") is not old.get("ownerReferences"):
        yield from _owner_causes(new.get("ownerReferences") or ())
    if new.get("finalizers") is not old.get("finalizers"):
        yield from _finalizer_causes(resource, new, old)


def finalizer_warnings(resource: Resource, new: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[str]:
    """What servers say to custom resources with finalizers that could clash."""
    if not resource.custom:
        return
    for name in new.get("finalizers") or ():
        if "/" not in name and name not in STANDARD_FINALIZERS and name not in (old.get("finalizers") or ()):
            advice = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts"
            yield f'metadata.finalizers: "{name}": {advice} with other finalizer writers'


def _label_causes(labels: Mapping[str, str]) -> Iterator[Cause]:
    for key, value in labels.items():
        for text, problem in ((key, qualified_name_problem(key)), (value, label_value_problem(value))):
            if problem:
                yield invalid_value("metadata.labels", text, problem)


def _annotation_causes(annotations: Mapping[str, str]) -> Iterator[Cause]:
    for key in annotations:
        problem = qualified_name_problem(key.lower())
        if problem:
            yield invalid_value("metadata.annotations", key, problem)
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > ANNOTATIONS_LIMIT:
        yield too_long("metadata.annotations", ANNOTATIONS_LIMIT)


def _owner_causes(owners: Sequence[Mapping[str, Any]]) -> Iterator[Cause]:
    for owner in owners:
        for key, problem in (
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ):
            if not owner.get(key):
                yield invalid_value(f"metadata.ownerReferences.{key}", "", problem)
    controllers = [str(owner.get("name")) for owner in owners if owner.get("controller") is True]
    if len(controllers) > 1:
        detail = (
            'Only one reference can have Controller set to true. Found "true" in references for '
            f"{controllers[0]} and {controllers[1]}"
        )
        yield invalid_value("metadata.ownerReferences", owners, detail)


def _finalizer_causes(resource: Resource, new: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[Cause]:
    names: list[str] = new.get("finalizers") or []
    for name in names:
        problem = qualified_name_problem(name)
        if not problem and not resource.custom and "/" not in name and name not in STANDARD_FINALIZERS:
            problem = "name is neither a standard finalizer name nor is it fully qualified"
        if problem:
            yield invalid_value("metadata.finalizers", name, problem)
    if "orphan" in names and "foregroundDeletion" in names:
        yield invalid_value("metadata.finalizers", names, "finalizer orphan and foregroundDeletion cannot be both set")
    added = [name for name in names if name not in (old.get("finalizers") or ())]
    if added and old.get("deletionTimestamp"):
        shown = ", ".join(f'"{name}"' for name in added)
        yield forbidden_value(
            "metadata.finalizers",
            f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{shown}}}",
        )
