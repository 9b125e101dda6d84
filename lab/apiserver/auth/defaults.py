"""The roles and bindings every cluster is born with, and the aggregation of cluster roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.apiserver.admission import Object
from lab.apiserver.api import Api
from lab.apiserver.auth.identity import AUTHENTICATED, MASTERS, UNAUTHENTICATED
from lab.apiserver.auth.rbac import GROUP
from lab.apiserver.builtin.kinds import CLUSTER_ROLE, CLUSTER_ROLE_BINDING
from lab.apiserver.store import Change

_AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"
_READ = ("get", "list", "watch")
_WRITE = ("create", "delete", "deletecollection", "patch", "update")
_EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
_INFO = ("/healthz", "/livez", "/readyz", "/version", "/version/")
_DISCOVERY = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", *_INFO)
_CORE = (
    "configmaps",
    "endpoints",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "serviceaccounts",
    "services",
)
_APPS = ("daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale", "statefulsets")
_POD_STREAMS = ("pods/attach", "pods/exec", "pods/portforward", "pods/proxy")


def install(api: Api) -> None:
    """Create what is missing, and keep aggregated cluster roles up to date from now on."""
    for resource, objects in ((CLUSTER_ROLE, _roles()), (CLUSTER_ROLE_BINDING, _bindings())):
        for obj in objects:
            if api.find(resource, "", obj["metadata"]["name"]) is None:
                api.create(resource, obj)
    _aggregate(api)
    api.listen(CLUSTER_ROLE, lambda change: _follow(api, change))


def _roles() -> Iterator[Object]:
    yield _role("cluster-admin", [_EVERYTHING, {"nonResourceURLs": ["*"], "verbs": ["*"]}])
    yield _aggregated("admin", {})
    yield _aggregated("edit", _to("admin"))
    yield _aggregated("view", _to("edit"))
    yield _role("system:aggregate-to-view", _view_rules(), _to("view"))
    yield _role("system:aggregate-to-edit", _edit_rules(), _to("edit"))
    yield _role("system:aggregate-to-admin", _admin_rules(), _to("admin"))
    reviews = _rule("authorization.k8s.io", ("selfsubjectaccessreviews", "selfsubjectrulesreviews"), ("create",))
    yield _role("system:basic-user", [reviews, _rule("authentication.k8s.io", ("selfsubjectreviews",), ("create",))])
    yield _role("system:discovery", [{"nonResourceURLs": list(_DISCOVERY), "verbs": ["get"]}])
    yield _role("system:public-info-viewer", [{"nonResourceURLs": list(_INFO), "verbs": ["get"]}])


def _bindings() -> Iterator[Object]:
    yield _binding("cluster-admin", MASTERS)
    yield _binding("system:basic-user", AUTHENTICATED)
    yield _binding("system:discovery", AUTHENTICATED)
    yield _binding("system:public-info-viewer", AUTHENTICATED, UNAUTHENTICATED)


def _view_rules() -> list[Object]:
    return [
        _rule("", (*_CORE, "bindings", "events", "namespaces", "pods/log", "pods/status"), _READ),
        _rule("apps", _APPS, _READ),
        _rule("batch", ("cronjobs", "jobs"), _READ),
        _rule("events.k8s.io", ("events",), _READ),
        _rule("policy", ("poddisruptionbudgets",), _READ),
    ]


def _edit_rules() -> list[Object]:
    return [
        _rule("", (*_POD_STREAMS, "secrets"), _READ),
        _rule("", (*_CORE, *_POD_STREAMS, "events", "secrets"), _WRITE),
        _rule("", ("pods/eviction", "serviceaccounts/token"), ("create",)),
        _rule("apps", _APPS, _WRITE),
        _rule("batch", ("cronjobs", "jobs"), _WRITE),
        _rule("coordination.k8s.io", ("leases",), (*_READ, *_WRITE)),
        _rule("policy", ("poddisruptionbudgets",), _WRITE),
    ]


def _admin_rules() -> list[Object]:
    return [
        _rule("authorization.k8s.io", ("localsubjectaccessreviews",), ("create",)),
        _rule(GROUP, ("rolebindings", "roles"), (*_READ, *_WRITE)),
    ]


def _to(role: str) -> dict[str, str]:
    """The label that adds a role's rules to `role`."""
    return {f"{_AGGREGATE}{role}": "true"}


def _rule(group: str, resources: tuple[str, ...], verbs: tuple[str, ...]) -> Object:
    return {"apiGroups": [group], "resources": sorted(resources), "verbs": list(verbs)}


def _metadata(name: str, labels: Mapping[str, str]) -> Object:
    return {
        "name": name,
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults", **labels},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    }


def _role(name: str, rules: list[Object], labels: Mapping[str, str] | None = None) -> Object:
    return {"metadata": _metadata(name, labels or {}), "rules": rules}


def _aggregated(name: str, labels: Mapping[str, str]) -> Object:
    rule = {"clusterRoleSelectors": [{"matchLabels": _to(name)}]}
    return {"metadata": _metadata(name, labels), "aggregationRule": rule, "rules": []}


def _binding(role: str, *groups: str) -> Object:
    return {
        "metadata": _metadata(role, {}),
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "Group", "apiGroup": GROUP, "name": group} for group in groups],
    }


def _follow(api: Api, change: Change) -> None:
    if not change.new.obj.get("aggregationRule"):
        api.clock.call_later(0, _aggregate, api)


def _aggregate(api: Api) -> None:
    """Refresh aggregated cluster roles until none changes: `view` is part of `edit`, which is part of `admin`."""
    while any(_refresh(api, role) for role in api.list(CLUSTER_ROLE) if role.get("aggregationRule")):
        pass


def _refresh(api: Api, role: Object) -> bool:
    """Give an aggregated role the rules of the roles its selectors match, ordered by name; True if they changed."""
    rules: list[Any] = []
    for selector in role["aggregationRule"].get("clusterRoleSelectors") or ():
        wanted = selector.get("matchLabels") or {}
        for other in api.list(CLUSTER_ROLE):
            labels = other["metadata"].get("labels") or {}
            if other["metadata"]["name"] != role["metadata"]["name"] and wanted.items() <= labels.items():
                rules.extend(entry for entry in other.get("rules") or () if entry not in rules)
    if rules == (role.get("rules") or []):
        return False
    api.update(CLUSTER_ROLE, {**role, "rules": rules})
    return True
