"""The status one reconcile of an Eviction is going to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.apiserver.builtin.conditions import condition, with_condition
from lab.hypervisor_operator.words import FAILED, MIGRATING, SUCCEEDED, entry

Json = Mapping[str, Any]


class Draft:
    """A copy of the status, changed step by step. Times move only when a condition's status does."""

    def __init__(self, eviction: Json, stamp: str) -> None:
        self._status: dict[str, Any] = dict(eviction.get("status") or {})
        self._stamp = stamp

    @property
    def outstanding(self) -> tuple[str, ...]:
        """The queue as it is going to be."""
        return tuple(self._status.get("outstandingInstances") or ())

    def enqueue(self, servers: Sequence[str]) -> None:
        """Replace the queue."""
        self._status["outstandingInstances"] = list(servers)

    def set(self, field: str, content: Any) -> None:
        """Set another field."""
        self._status[field] = content

    def say(self, kind: str, status: bool, reason: str, message: str) -> None:
        """Set a condition."""
        self._status = with_condition(self._status, entry(kind, status, reason, message), self._stamp)

    def migrating(self, reason: str, message: str) -> None:
        """MigratingInstance is always False, so its time never moves after the first write: read reason and message."""
        self.say(MIGRATING, False, reason, message)

    @property
    def failed(self) -> bool:
        """Whether a failure was told and still stands."""
        told = condition(self._status, MIGRATING) or {}
        return told.get("status") == "False" and told.get("reason") == FAILED

    def succeeded(self, message: str) -> None:
        """One server is off the host."""
        self.migrating(SUCCEEDED, message)

    def onto(self, present: Json) -> Json:
        """The present status with everything of the draft on it."""
        result = dict(present)
        for new in self._status.get("conditions") or ():
            result = with_condition(result, new, self._stamp)
        fields = {key: content for key, content in self._status.items() if key != "conditions"}
        return {**result, **fields}
