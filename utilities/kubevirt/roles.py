"""Giving a user a role in a namespace for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from utilities.clients import ROLE_BINDINGS
from utilities.kubevirt.actor import Actor
from utilities.reversible import Create

_RBAC = "rbac.authorization.k8s.io"


@contextmanager
def bound(actor: Actor, namespace: str, cluster_role: str, user: str) -> Iterator[None]:
    """The user holds a cluster role in one namespace."""
    name = f"{user}-{cluster_role.replace(':', '-').replace('.', '-')}"
    manifest = {
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": cluster_role},
        "subjects": [{"apiGroup": _RBAC, "kind": "User", "name": user}],
    }
    with actor.applied(Create(ROLE_BINDINGS, manifest, namespace)):
        yield
