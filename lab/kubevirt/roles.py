"""Cluster roles of KubeVirt and HCO (kubevirt sheet §1.2): migrating is a right of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import CLUSTER_ROLE, CLUSTER_ROLE_BINDING
from lab.kubevirt.callers import Callers

Rule = dict[str, Any]
_RBAC = "rbac.authorization.k8s.io"
_ALL = ("get", "delete", "create", "update", "patch", "list", "watch", "deletecollection")
_READ = ("get", "list", "watch")
_SUBRESOURCES, _KUBEVIRT, _POLICIES = "subresources.kubevirt.io", "kubevirt.io", "migrations.kubevirt.io"
_INFORMATION = ("guestosinfo", "filesystemlist", "userlist")
_STREAMS = ("console", "vnc", "portforward", "usbredir")
_ACTIONS = ("pause", "unpause", "freeze", "unfreeze", "softreboot", "reset", "evacuate", "evacuate/cancel")
_VM_ACTIONS = ("start", "stop", "restart", "evacuate", "evacuate/cancel")


def install(api: Api, callers: Callers, *, with_hco: bool) -> None:
    """Create them."""
    for role in (*_kubevirt_roles(), *(_hco_roles() if with_hco else ())):
        api.create(CLUSTER_ROLE, role, caller=callers.operator)
    binding = {
        "metadata": {"name": "kubevirt.io:default"},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "kubevirt.io:default"},
        "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": "system:authenticated"}],
    }
    api.create(CLUSTER_ROLE_BINDING, binding, caller=callers.operator)


def _kubevirt_roles() -> Iterator[dict[str, Any]]:
    get, update = ("get",), ("update",)
    own = ("virtualmachines", "virtualmachineinstances")
    reading = (
        _rule(_KUBEVIRT, ("virtualmachineinstancemigrations",), _READ),
        _rule(_POLICIES, ("migrationpolicies",), _READ),
    )
    using = (
        _rule(_SUBRESOURCES, _of("virtualmachineinstances", (*_STREAMS, *_INFORMATION)), get),
        _rule(_SUBRESOURCES, _of("virtualmachineinstances", _ACTIONS), update),
        _rule(_SUBRESOURCES, _of("virtualmachines", ("expand-spec", "portforward")), get),
        _rule(_SUBRESOURCES, _of("virtualmachines", _VM_ACTIONS), update),
        _rule(_KUBEVIRT, own, _ALL),
    )
    yield _role("kubevirt.io:admin", (*using, *reading), aggregate="admin")
    yield _role(
        "kubevirt.io:edit", (*using, *reading, _rule(_KUBEVIRT, ("kubevirts",), ("get", "list"))), aggregate="edit"
    )
    viewing = (
        _rule(_SUBRESOURCES, _of("virtualmachineinstances", _INFORMATION), get),
        _rule(_SUBRESOURCES, _of("virtualmachines", ("expand-spec",)), get),
        _rule(_KUBEVIRT, own, _READ),
    )
    yield _role("kubevirt.io:view", (*viewing, *reading), aggregate="view")
    yield _role(
        "kubevirt.io:migrate",
        (
            _rule(_SUBRESOURCES, ("virtualmachines/migrate",), update),
            _rule(_KUBEVIRT, ("virtualmachineinstancemigrations",), _ALL),
        ),
    )
    yield _role(
        "kubevirt.io:default",
        (
            _rule(_KUBEVIRT, ("kubevirts",), ("get", "list")),
            _rule(_SUBRESOURCES, ("version", "guestfs"), ("get", "list")),
        ),
    )


def _hco_roles() -> Iterator[dict[str, Any]]:
    for suffix, verbs in (("admin", _ALL), ("edit", _ALL), ("view", _READ)):
        rules = (_rule("hco.kubevirt.io", ("hyperconvergeds",), verbs),)
        yield _role(f"hyperconvergeds.hco.kubevirt.io-v1-{suffix}", rules)


def _role(name: str, rules: Sequence[Rule], *, aggregate: str = "") -> dict[str, Any]:
    labels = {"kubevirt.io": ""}
    if aggregate:
        labels[f"{_RBAC}/aggregate-to-{aggregate}"] = "true"
    return {"metadata": {"name": name, "labels": labels}, "rules": list(rules)}


def _rule(group: str, resources: Iterable[str], verbs: Iterable[str]) -> Rule:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def _of(resource: str, subresources: Iterable[str]) -> list[str]:
    return [f"{resource}/{name}" for name in subresources]
