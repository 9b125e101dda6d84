"""What a process remembers. The product's eviction controller remembers nothing; fixes and faults may look here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Attempt:
    """The migrate requests of one server that Nova accepted from this process."""

    count: int = 0
    last: float = 0.0  # product time


NONE = Attempt()


@dataclass(slots=True)
class Memory:
    """Attempts by UID of the Eviction and UUID of the server. A new process starts with none."""

    _attempts: dict[tuple[str, str], Attempt] = field(default_factory=dict)

    def attempt(self, eviction: Mapping[str, Any], server: str) -> Attempt:
        """What was asked for one server so far."""
        return self._attempts.get((eviction["metadata"]["uid"], server), NONE)

    def note(self, eviction: Mapping[str, Any], server: str, now: float) -> None:
        """Nova accepted a request to migrate this server."""
        before = self.attempt(eviction, server)
        self._attempts[eviction["metadata"]["uid"], server] = Attempt(before.count + 1, now)
