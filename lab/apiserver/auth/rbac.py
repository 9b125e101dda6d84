"""Role-based access: which rules reach a user, and whether one of them allows a request (sheet §1.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab.apiserver.auth.attributes import Attributes
from lab.apiserver.auth.identity import User
from lab.apiserver.store import Store

GROUP = "rbac.authorization.k8s.io"
Rule = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """Allowed or not, and why."""

    allowed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """One rule that reaches a user, and the binding it comes through."""

    rule: Rule
    because: str


class Authorizer:
    """Evaluates Roles, ClusterRoles and their bindings as they are in the store now."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def decide(self, user: User, wanted: Attributes) -> Decision:
        """Whether `user` may do this; `system:masters` may do everything."""
        if user.is_admin:
            return Decision(True)
        for grant in self.grants(user, wanted.namespace):
            if allows(grant.rule, wanted):
                return Decision(True, f"RBAC: allowed by {grant.because}")
        return Decision(False)

    def grants(self, user: User, namespace: str) -> Iterator[Grant]:
        """Every rule that reaches a user: cluster-wide ones, then those of one namespace ("": none)."""
        yield from self._through("clusterrolebindings", "ClusterRoleBinding", None, user)
        if namespace:
            yield from self._through("rolebindings", "RoleBinding", namespace, user)

    def _through(self, plural: str, kind: str, namespace: str | None, user: User) -> Iterator[Grant]:
        for snapshot in self._store.scan((GROUP, plural), namespace):
            binding: Mapping[str, Any] = snapshot.obj
            subject = next((who for who in binding.get("subjects") or () if _is(who, user, namespace or "")), None)
            if subject is None:
                continue
            role = binding.get("roleRef") or {}
            named = snapshot.name if namespace is None else f"{snapshot.name}/{namespace}"
            because = (
                f'{kind} "{named}" of {role.get("kind")} "{role.get("name")}" '
                f'to {subject.get("kind")} "{subject.get("name")}"'
            )
            yield from (Grant(rule, because) for rule in self._rules(role, namespace or ""))

    def _rules(self, role: Mapping[str, Any], namespace: str) -> list[Rule]:
        in_cluster = role.get("kind") == "ClusterRole"
        key = (GROUP, "clusterroles" if in_cluster else "roles")
        snapshot = self._store.get(key, "" if in_cluster else namespace, str(role.get("name")))
        found: Any = None if snapshot is None else snapshot.obj.get("rules")
        return found or []


def allows(rule: Rule, wanted: Attributes) -> bool:
    """Whether one rule allows a request."""
    if not _has(rule, "verbs", wanted.verb):
        return False
    if wanted.path:
        return any(_matches_path(url, wanted.path) for url in rule.get("nonResourceURLs") or ())
    names = rule.get("resourceNames") or ()
    return (
        _has(rule, "apiGroups", wanted.group)
        and _names_resource(rule.get("resources") or (), wanted)
        and (not names or wanted.name in names)
    )


def _has(rule: Rule, field: str, value: str) -> bool:
    values = rule.get(field) or ()
    return "*" in values or value in values


def _names_resource(resources: Any, wanted: Attributes) -> bool:
    if "*" in resources or wanted.resource_text in resources:
        return True
    return bool(wanted.subresource) and f"*/{wanted.subresource}" in resources


def _matches_path(url: str, path: str) -> bool:
    return path.startswith(url[:-1]) if url.endswith("*") else url == path


def _is(subject: Mapping[str, Any], user: User, namespace: str) -> bool:
    kind, name = subject.get("kind"), subject.get("name")
    if kind == "User":
        return bool(name == user.name)
    if kind == "Group":
        return name in user.groups
    home = subject.get("namespace") or namespace
    return kind == "ServiceAccount" and user.name == f"system:serviceaccount:{home}:{name}"
