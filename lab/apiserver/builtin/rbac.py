"""Roles and their bindings: defaults and rules (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lab.apiserver.admission import Object
from lab.apiserver.builtin.shapes import OBJECT, TEXT, array, obj, with_default
from lab.apiserver.causes import invalid_value, not_supported, required
from lab.apiserver.errors import Cause

_GROUP: Final = "rbac.authorization.k8s.io"
_RULE = obj(
    verbs=with_default(array(TEXT), []), apiGroups=array(TEXT), resources=array(TEXT), resourceNames=array(TEXT),
    nonResourceURLs=array(TEXT),
)  # fmt: skip
ROLE = obj(rules=with_default(array(_RULE), []), aggregationRule=OBJECT)
_REF = obj(apiGroup=with_default(TEXT, _GROUP), kind=with_default(TEXT, ""), name=with_default(TEXT, ""))
BINDING = obj(
    subjects=array(obj(kind=with_default(TEXT, ""), apiGroup=TEXT, name=with_default(TEXT, ""), namespace=TEXT)),
    roleRef=with_default(_REF, {}),
)
_SUBJECT_GROUPS = {"User": _GROUP, "Group": _GROUP, "ServiceAccount": ""}


def completed_binding(new: Object, _: Object | None) -> Object:
    """With the API groups of the subjects, which follow from their kinds."""
    subjects = [
        subject if subject.get("apiGroup") or not group else {**subject, "apiGroup": group}
        for subject in new.get("subjects") or ()
        for group in (_SUBJECT_GROUPS.get(subject["kind"], ""),)
    ]
    return {**new, "subjects": subjects} if subjects else new


def role_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with a Role."""
    for index, rule in enumerate(new["rules"]):
        yield from _rule(rule, f"rules[{index}]", namespaced=True)


def cluster_role_causes(new: Object, _: Object | None) -> Iterator[Cause]:
    """What is wrong with a ClusterRole."""
    for index, rule in enumerate(new["rules"]):
        yield from _rule(rule, f"rules[{index}]", namespaced=False)


def binding_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a RoleBinding."""
    yield from _binding(new, old, ("Role", "ClusterRole"))


def cluster_binding_causes(new: Object, old: Object | None) -> Iterator[Cause]:
    """What is wrong with a ClusterRoleBinding."""
    yield from _binding(new, old, ("ClusterRole",))


def _rule(rule: Mapping[str, Any], path: str, *, namespaced: bool) -> Iterator[Cause]:
    if not rule["verbs"]:
        yield required(f"{path}.verbs", "verbs must contain at least one value")
    urls = rule.get("nonResourceURLs")
    if urls:
        if namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
            yield invalid_value(f"{path}.nonResourceURLs", urls, why)
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid_value(f"{path}.nonResourceURLs", urls, why)
        return
    if not rule.get("apiGroups"):
        yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(f"{path}.resources", "resource rules must supply at least one resource")


def _binding(new: Object, old: Object | None, kinds: tuple[str, ...]) -> Iterator[Cause]:
    ref: Mapping[str, Any] = new["roleRef"]
    if ref["apiGroup"] != _GROUP:
        yield not_supported("roleRef.apiGroup", ref["apiGroup"], (_GROUP,))
    if ref["kind"] not in kinds:
        yield not_supported("roleRef.kind", ref["kind"], kinds)
    if not ref["name"]:
        yield required("roleRef.name")
    for index, subject in enumerate(new.get("subjects") or ()):
        yield from _subject(subject, f"subjects[{index}]", namespaced="Role" in kinds)
    if old is not None and ref != old.get("roleRef"):
        yield invalid_value("roleRef", ref, "cannot change roleRef")


def _subject(subject: Mapping[str, Any], path: str, *, namespaced: bool) -> Iterator[Cause]:
    kind, group = subject["kind"], subject.get("apiGroup") or ""
    if not subject["name"]:
        yield required(f"{path}.name")
    if kind not in _SUBJECT_GROUPS:
        yield not_supported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group"))
    elif group != _SUBJECT_GROUPS[kind]:
        yield not_supported(f"{path}.apiGroup", group, (_SUBJECT_GROUPS[kind],))
    if kind == "ServiceAccount" and not namespaced and not subject.get("namespace"):
        yield required(f"{path}.namespace")
