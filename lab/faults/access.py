"""Faults of access: roles that allow too much or too little (kubevirt sheet §1.2)."""

from __future__ import annotations

from lab.apiserver.builtin.kinds import CLUSTER_ROLE, CLUSTER_ROLE_BINDING
from lab.controllers.effects import Create, Patch, Ref
from lab.faults.fault import Fault
from lab.faults.plan import scenarios

_RBAC = "rbac.authorization.k8s.io"
_EVERYBODY = {"apiGroup": _RBAC, "kind": "Group", "name": "system:authenticated"}


def _for_everybody(name: str, rules: list[dict[str, list[str]]]) -> tuple[Create, Create]:
    """A cluster role, and its binding to every user."""
    reference = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name}
    return (
        Create(CLUSTER_ROLE, {"metadata": {"name": name}, "rules": rules}),
        Create(CLUSTER_ROLE_BINDING, {"metadata": {"name": name}, "roleRef": reference, "subjects": [_EVERYBODY]}),
    )


ANYONE_SWITCHES_GATES = Fault(
    "anyone_switches_gates",
    "Every user may change the product's configuration.",
    scenarios(29),
    at_start=_for_everybody(
        "fault:configuration",
        [
            {
                "apiGroups": ["hco.kubevirt.io", "kubevirt.io"],
                "resources": ["hyperconvergeds", "kubevirts"],
                "verbs": ["get", "list", "watch", "update", "patch"],
            }
        ],
    ),
)
ANYONE_MIGRATES = Fault(
    "anyone_migrates",
    "Every user may migrate, with or without the role for it.",
    scenarios(30),
    at_start=_for_everybody(
        "fault:migrate",
        [
            {
                "apiGroups": ["kubevirt.io"],
                "resources": ["virtualmachineinstancemigrations"],
                "verbs": ["get", "list", "watch", "create", "delete"],
            },
            {
                "apiGroups": ["subresources.kubevirt.io"],
                "resources": ["virtualmachines/migrate"],
                "verbs": ["update"],
            },
        ],
    ),
)
MIGRATE_ROLE_INEFFECTIVE = Fault(
    "migrate_role_ineffective",
    "The role for migrating allows nothing.",
    scenarios(31),
    at_start=(Patch(Ref(CLUSTER_ROLE, "", "kubevirt.io:migrate"), {"rules": []}),),
)
