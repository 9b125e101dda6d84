"""Free vGPUs: counted by the scheduler's rule, and taken away from everybody for a while."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from utilities.clients import NODES, PODS, Rest
from utilities.evidence.steps import step
from utilities.history import dig
from utilities.kubevirt.actor import Actor
from utilities.reversible import Create
from utilities.watching import Watched

_ENDED = ("Succeeded", "Failed")
_IMAGE = "registry.k8s.io/pause:3.10"


def offered(rest: Rest, resource: str) -> dict[str, int]:
    """Devices that each schedulable node offers, by node; nodes without any are left out."""
    nodes = [node for node in rest.list(NODES)["items"] if not dig(node, "spec", "unschedulable")]
    counts = {node["metadata"]["name"]: int(dig(node, "status", "allocatable", resource) or 0) for node in nodes}
    return {name: count for name, count in counts.items() if count}


def free(rest: Rest, resource: str) -> dict[str, int]:
    """Devices by node that no unfinished pod holds; 0 where more are held than the node still offers."""
    used: Counter[str] = Counter()
    for pod in rest.list(PODS)["items"]:
        node = dig(pod, "spec", "nodeName")
        if node and dig(pod, "status", "phase") not in _ENDED:
            used[node] += sum(_asked(container, resource) for container in dig(pod, "spec", "containers") or ())
    return {node: max(0, count - used[node]) for node, count in offered(rest, resource).items()}


@contextmanager
def occupied(actor: Actor, namespace: str, resource: str, *, but: str, leaving: int = 0) -> Iterator[None]:
    """Every free device on every node but one is taken, by one pod per node; of all those nodes, some may be left."""
    with ExitStack() as undo:
        with step("occupy capacity", resource=resource, but_on=but, leaving=leaving or None) as occupying:
            found = {node: count for node, count in free(actor.rest, resource).items() if node != but}
            taken = {node: count for node, count in _leaving(found, leaving).items() if count}
            for node, count in taken.items():
                undo.enter_context(_filler(actor, namespace, resource, node, count))
            occupying.note("taken", taken)
        yield
        with step("free capacity", resource=resource, given_back=taken):
            undo.close()


def _leaving(found: Mapping[str, int], left: int) -> dict[str, int]:
    """Devices to take by node, so that so many are left in all; those with the most give way first."""
    taken = dict(found)
    for node in sorted(found, key=lambda name: (-found[name], name)):
        kept = min(left, taken[node])
        taken[node] -= kept
        left -= kept
    return taken


@contextmanager
def _filler(actor: Actor, namespace: str, resource: str, node: str, count: int) -> Iterator[None]:
    name = f"filler-{node}"
    container = {"name": "pause", "image": _IMAGE, "resources": {"limits": {resource: str(count)}}}
    spec = {
        "nodeSelector": {"kubernetes.io/hostname": node},
        "terminationGracePeriodSeconds": 0,
        "containers": [container],
    }
    manifest = {"metadata": {"name": name, "namespace": namespace}, "spec": spec}
    with actor.applied(Create(PODS, manifest, namespace)):
        actor.waits.wait_for(
            Watched(PODS, namespace, name),
            lambda pod: bool(dig(pod, "spec", "nodeName")),
            expecting=f"on {node} with {count} {resource}",
            within=actor.site.timeouts.vm_running,
        )
        yield


def _asked(container: Mapping[str, Any], resource: str) -> int:
    asked = dig(container, "resources", "requests", resource) or dig(container, "resources", "limits", resource)
    return int(asked or 0)
