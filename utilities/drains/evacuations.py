"""Evacuations that the product has under way for VMIs: who is marked, and how one is called off (sheet §1.2, §7.3)."""

from __future__ import annotations

from utilities.clients import VMIS
from utilities.errors import NotFound
from utilities.evidence.steps import step
from utilities.history import dig
from utilities.kubevirt.actor import Actor


def marked_node(actor: Actor, namespace: str, vmi: str) -> str:
    """The node that the VMI is to leave, "" if it is not, or if there is no such VMI."""
    try:
        found = actor.rest.get(VMIS, vmi, namespace)
    except NotFound:
        return ""
    return str(dig(found, "status", "evacuationNodeName") or "")


def cancel(actor: Actor, namespace: str, vmi: str, node: str) -> None:
    """Call off the evacuation of a VMI from a node. A migration under way goes on until somebody deletes it."""
    with step("cancel evacuation", vmi=vmi, node=node):
        path = VMIS.path(namespace, vmi, "evacuate/cancel").replace("kubevirt.io", "subresources.kubevirt.io", 1)
        actor.rest.call("PUT", path, body={"evacuationNodeName": node})
