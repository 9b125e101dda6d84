"""Events live for an hour after they were last written (kubernetes-api sheet §6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lab.apiserver.api import Api
from lab.apiserver.builtin.kinds import EVENT
from lab.apiserver.resources import Resource
from lab.apiserver.store import Change
from lab.controllers.runtime import Key, Mapper

LIFETIME = 3600.0  # product seconds


@dataclass(slots=True)
class EventExpiry:
    """Removes events an hour after their last write."""

    api: Api
    name: str = "event-expiry"
    _written: dict[Key, float] = field(default_factory=dict)

    @property
    def watches(self) -> Mapping[Resource, Mapper]:
        """Events of both groups: they are stored once."""
        return {EVENT: self._note}

    def reconcile(self, key: Key) -> float | None:
        """Remove the event when its time has come; returns that time."""
        written = self._written.get(key)
        if written is None:
            return None
        if self.api.clock.now() < written + LIFETIME:
            return written + LIFETIME
        if self.api.find(EVENT, *key) is not None:
            self.api.delete(EVENT, *key)
        return None

    def _note(self, change: Change) -> Iterable[Key]:
        key = (change.new.namespace, change.new.name)
        if change.type == "DELETED":
            self._written.pop(key, None)
            return ()
        self._written[key] = self.api.clock.now()
        return (key,)
