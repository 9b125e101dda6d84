"""How many migrations one Eviction may have in flight (operator sheet §2.4, §2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table


@dataclass(frozen=True, slots=True)
class HostLimits:
    """What the limit of a host follows from. `traits` come from its status; `current`: TraitsUpdated is True."""

    default: int
    by_trait: Mapping[str, int]
    traits: tuple[str, ...]
    current: bool


@dataclass(frozen=True, slots=True)
class Room:
    """The slots in the middle of a pass."""

    limit: int
    in_flight: int
    started: int


def lowest(host: HostLimits) -> int:
    """The default, or the lowest limit of the host's traits if that is lower; at least 1.

    Read anew each pass. Stale traits count like current ones (operator sheet §2.7: not adopted, guarantee 7).
    """
    own = [host.by_trait[trait] for trait in host.traits if trait in host.by_trait]
    return max(1, min([host.default, *own]))


LIMIT: Table[HostLimits] = Table("eviction-limit", (Row("lowest wins", lambda _: True, answering(lowest)),))
"""Answers the limit. It is per Eviction: nothing bounds several hosts together, or a destination."""
ROOM: Table[Room] = Table(
    "eviction-room",
    (
        Row("room", lambda room: room.in_flight + room.started < room.limit, says(True)),
        Row("full", lambda _: True, says(False)),
    ),
)
"""Answers whether one more migration may be started."""
