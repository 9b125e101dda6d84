"""What every one of these controllers works with."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.apiserver.admission import Caller
from lab.apiserver.api import Api
from lab.apiserver.errors import ApiError
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.decisions import Faults
from lab.controllers.index import Index
from lab.cortex.kinds import RESERVATION
from lab.cortex.metrics.families import Metrics
from lab.cortex.reservations.settings import Settings
from lab.cortex.scheduling.reserved import COMMITTED
from lab.cortex.scheduling.view import Lens, View
from lab.hypervisor_operator.kinds import HYPERVISOR

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """`by_host`: reservations by status.host; `by_commitment`: slots by the commitment they are for.

    alive: whether the process of Cortex runs; metrics: what it counts.
    """

    api: Api
    faults: Faults
    settings: Settings
    rng: random.Random
    caller: Caller
    alive: Callable[[], bool]
    metrics: Callable[[], Metrics]
    by_host: Index
    by_commitment: Index
    lens: Lens = field(default_factory=Lens)

    def view(self) -> View:
        """The objects as they are now."""
        return self.lens.view(self.stored(HYPERVISOR), self.stored(RESERVATION), now=self.api.clock.now())

    def stored(self, resource: Resource) -> Iterator[Json]:
        """Objects of a kind in the order of a list. Shared with the store: never change them."""
        return (snapshot.obj for snapshot in self.api.store.scan(resource.key))

    def patch(self, resource: Resource, name: str, body: Json) -> None:
        """A merge patch; an object that went meanwhile is fine."""
        _forgiving(lambda: self.api.patch(resource, "", name, body, caller=self.caller))

    def patch_status(self, resource: Resource, name: str, status: Json) -> None:
        """The same for the status."""
        body = {"status": status}
        _forgiving(lambda: self.api.patch(resource, "", name, body, subresource="status", caller=self.caller))

    def delete(self, resource: Resource, name: str) -> None:
        """Delete; an object that is gone is fine."""
        _forgiving(lambda: self.api.delete(resource, "", name, caller=self.caller))


def indexes(api: Api) -> tuple[Index, Index]:
    """Reservations by status.host and by commitment."""
    return (
        Index(api, RESERVATION, lambda obj: filter(None, ((obj.get("status") or {}).get("host"),))),
        Index(api, RESERVATION, lambda obj: filter(None, (part_of(obj).get("commitmentUUID"),))),
    )


def part_of(reservation: Json) -> Json:
    """The part of the spec that makes a reservation a slot; empty without it."""
    found: Json = reservation["spec"].get("committedResourceReservation") or {}
    return found


def is_slot(reservation: Json) -> bool:
    """Whether the controllers of slots look at it."""
    return bool(reservation["spec"].get("type") == COMMITTED)


def capacity_changed(change: Change) -> bool:
    """Whether a change of a Hypervisor concerns its guests or its capacity."""
    if change.type != "MODIFIED" or change.old is None:
        return True
    old, new = _capacity(change.old.obj), _capacity(change.new.obj)
    return old != new


def _capacity(obj: Mapping[str, Any]) -> Iterable[object]:
    status = obj.get("status") or {}
    return [status.get(key) for key in ("instances", "allocation", "effectiveCapacity", "capacity")]


def _forgiving(write: Callable[[], object]) -> None:
    try:
        write()
    except ApiError as error:
        if error.code != 404:
            raise
