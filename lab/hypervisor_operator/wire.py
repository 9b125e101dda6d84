"""HTTP between the operator and OpenStack: what goes out, what comes back, and how long it takes on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

TOOK = (0.02, 0.08)  # product seconds from a request to its reply
UNREACHABLE = 0  # the status of a reply that never came: the connection broke


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `url` is absolute, `body` is JSON."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """One reply; status UNREACHABLE: none came, and `body` says why."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Mapping[str, Any]:
        """The body as an object; empty when it is none."""
        try:
            found = orjson.loads(self.body) if self.body else {}
        except orjson.JSONDecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def text(self) -> str:
        """The body as it came."""
        return self.body.decode(errors="replace")

    def header(self, name: str) -> str:
        """A header whatever its case, "" when it is not there."""
        return next((value for key, value in self.headers.items() if key.lower() == name.lower()), "")


Answered = Callable[[HttpReply], None]


class Nova(Protocol):
    """OpenStack as the operator reaches it: Keystone, Nova and Placement behind one door."""

    def send(self, request: HttpRequest, answered: Answered) -> None:
        """Send a request; `answered` is called once, later than this returns, or never when the server hangs."""
