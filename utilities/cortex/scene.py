"""A scene: Hypervisors and slots of our own that a scheduler decides about, there for the length of a block."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from utilities.clients import Resource
from utilities.cortex.kinds import RESERVATIONS
from utilities.cortex.objects import Host, Slot
from utilities.evidence.steps import step
from utilities.hypervisors.kinds import HYPERVISORS
from utilities.kubevirt.actor import Actor
from utilities.reversible import Create
from utilities.watching.passing import let_pass

_SEEN = 1.0
"""Product seconds that a scheduler's caches may lag behind what was written."""


@contextmanager
def standing(actor: Actor, hosts: Iterable[Host], slots: Iterable[Slot], *, zone: str) -> Iterator[None]:
    """Create them with their status; gone again at the end. zone: label of the Hypervisors and of the slots.

    Hypervisors come first, so that a slot finds its VMs where it says they are.
    """
    hosts, slots = tuple(hosts), tuple(slots)
    commitment = str(uuid.uuid4())
    with actor.reversible() as changes:

        def make(resource: Resource, body: Mapping[str, Any], status: Mapping[str, Any]) -> None:
            made = changes.apply(Create(resource, body, why="for the scheduler to decide about"))
            actor.rest.patch(resource, made["metadata"]["name"], {"status": status}, subresource="status")

        with step("set the scene", hypervisors=len(hosts), slots=len(slots)):
            for host in hosts:
                make(HYPERVISORS, host.body(zone), host.status())
            now = _now(actor, commitment, slots)
            for slot in slots:
                make(RESERVATIONS, slot.body(zone, commitment), slot.status(now))
            let_pass(actor.rest, "default", _SEEN, time_scale=actor.site.time_scale)
        yield


def _now(actor: Actor, commitment: str, slots: tuple[Slot, ...]) -> str:
    """The cluster's own time, from what it would stamp a slot with."""
    body = slots[0].body("", commitment)
    return str(actor.rest.create(RESERVATIONS, body, dry_run=True)["metadata"]["creationTimestamp"])
