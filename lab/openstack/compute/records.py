"""Migration records: one per attempt, with every status it went through and exact times (openstack sheet §5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

Kind = Literal["live-migration", "migration"]
LIVE: Final = "live-migration"
COLD: Final = "migration"
TERMINAL = frozenset({"completed", "confirmed", "reverted", "error", "failed", "cancelled", "done"})
IN_PROGRESS_LIVE = ("queued", "preparing", "running", "post-migrating")  # what /servers/{id}/migrations shows


class Stage(Enum):
    """How far an attempt is; finer than its status."""

    CONDUCTED = "conducted"  # waits for the scheduler
    CHOSEN = "chosen"  # has a target
    QUEUED = "queued"  # waits for a slot of the source
    PREPARING = "preparing"
    COPYING = "copying"
    POST_COPY = "post-copy"
    ARRIVED = "arrived"  # the server is on the target, the record is not closed
    ROLLING_BACK = "rolling back"
    CUT_OFF = "cut off"  # the source's nova-compute stopped
    MOVED = "moved"  # cold: disks are on the target
    FINISHED = "finished"  # cold: waits for confirmation
    CONFIRMING = "confirming"
    REVERTING = "reverting"
    OVER = "over"


_ACTIVE = frozenset({Stage.PREPARING, Stage.COPYING, Stage.POST_COPY, Stage.ARRIVED})


@dataclass(frozen=True, slots=True)
class Bytes:
    """Progress of a transfer."""

    total: int
    processed: int
    remaining: int


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for. `host`: "" lets the scheduler choose; `block`: disks too, None lets Nova find out."""

    request_id: str
    host: str = ""
    block: bool | None = None
    unchecked: bool = False  # `force`: to that host, whatever the scheduler thinks


@dataclass(frozen=True, slots=True)
class Record:
    """One attempt. Times are product seconds since the epoch; `history` holds each status with its time."""

    id: int
    uuid: str
    server_id: str
    kind: Kind
    order: Order
    status: str
    source_compute: str
    source_node: str | None
    created: float
    entered: float  # the present stage
    stage: Stage
    flavor: int
    user_id: str
    project_id: str
    dest_compute: str | None = None
    dest_node: str | None = None
    dest_host: str | None = None
    updated: float | None = None
    memory: Bytes | None = None
    disk: Bytes | None = None
    abort: bool = False  # asked for
    force: bool = False  # asked for
    copied: bool = False  # nothing is left to copy
    interrupted: bool = False  # nova-compute of the source stopped in mid-flight
    hidden: bool = False  # went with its server
    history: tuple[tuple[float, str], ...] = ()

    @property
    def holds_slot(self) -> bool:
        """Whether it is one of those that a source runs at once; cold migrations are not counted."""
        return self.kind == LIVE and self.stage in _ACTIVE

    @property
    def over(self) -> bool:
        """Whether nothing more happens to it."""
        return self.stage is Stage.OVER
