"""Nodes that take no new pods for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from utilities.clients import NODES
from utilities.errors import SiteError
from utilities.evidence.steps import step
from utilities.history import Obj, dig
from utilities.kubevirt.actor import Actor
from utilities.reversible import Patch, Target
from utilities.vgpu.capacity import offered

_CORDON = {"spec": {"unschedulable": True}}


@contextmanager
def cordoned(actor: Actor, *nodes: str) -> Iterator[None]:
    """These nodes take no new pods until the block ends."""
    with ExitStack() as undo:
        with step("cordon nodes", nodes=nodes):
            for node in nodes:
                undo.enter_context(actor.applied(Patch(Target(NODES, node), _CORDON, "cordon")))
        yield


@contextmanager
def only(actor: Actor, node: str, resource: str) -> Iterator[None]:
    """Of the nodes that offer a resource, only this one takes pods until the block ends. Raises SiteError."""
    others = offered(actor.rest, resource)
    if node not in others:
        raise SiteError(f"node {node} offers no {resource}", next_step="uncordon it, or name another one")
    with cordoned(actor, *(other for other in others if other != node)):
        yield


@contextmanager
def tainted(actor: Actor, node: str, key: str = "kubevirt.io/drain", effect: str = "NoSchedule") -> Iterator[None]:
    """The node carries one taint more until the block ends."""

    def more(found: Obj) -> dict[str, Any]:
        return {"spec": {"taints": [*(dig(found, "spec", "taints") or ()), {"key": key, "effect": effect}]}}

    with ExitStack() as undo:
        with step("taint node", node=node, taint=f"{key}:{effect}"):
            undo.enter_context(actor.applied(Patch(Target(NODES, node), more, f"taint {key}:{effect}")))
        yield


def uncordon(actor: Actor, node: str) -> None:
    """Let a node take pods again."""
    with step("uncordon node", node=node):
        actor.rest.patch(NODES, node, {"spec": {"unschedulable": None}})
