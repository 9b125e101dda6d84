"""What virt-handler needs of whoever makes guests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lab.kubevirt.domains import Guest
from lab.scheduling.devices import Allocation

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Agent:
    """What a connected guest agent tells."""

    hostname: str = ""
    os: Mapping[str, str] = field(default_factory=dict)  # keys as in `status.guestOSInfo`
    version: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """A guest to be made."""

    vmi: Json
    allocation: Allocation | None
    on_off: Callable[[], None]  # called when the guest powers itself off
    on_change: Callable[[], None]  # called when its agent comes or goes


class GuestOrderError(Exception):
    """The VMI asks for something no guest can be; the text becomes the VMI's sync error."""


class GuestMaker(Protocol):
    """Makes guests for domains."""

    def make(self, order: Order) -> Guest:
        """Boot a guest; raises GuestOrderError."""

    def agent(self, guest: Guest) -> Agent | None:
        """The guest's agent, None while its channel is closed."""
