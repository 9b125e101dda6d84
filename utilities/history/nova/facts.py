"""Single facts about Nova. All times are product time: UNIX seconds on the cloud's clock.

Two kinds of sources. Every cloud has migration records, whose stamps are whole seconds, and servers that can be looked
at. A lab also has a journal with exact times (`GET /lab/journal`): requests, statuses of records, states of servers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LIVE_MIGRATE = "os-migrateLive"
MIGRATE = "migrate"
MOVES = frozenset({LIVE_MIGRATE, MIGRATE})
"""Actions of POST /servers/{id}/action that begin a migration."""

FINAL_STATUSES = frozenset({"completed", "confirmed", "reverted", "error", "failed", "cancelled", "done"})
"""Statuses of a migration record that never change again (openstack sheet §5)."""

DELETED = "DELETED"
"""Status of a server that Nova answers 404 for."""


@dataclass(frozen=True, slots=True)
class MigrationRecord:
    """A migration record as one GET /os-migrations showed it; the same record may be given as often as it was read.

    kind: `migration_type`, one of live-migration, migration, resize, evacuation. source, target: `source_compute` and
    `dest_compute`; target None until the scheduler has chosen. created, updated: the stamps; updated None until the
    first update. resolution: seconds that the stamps are cut to (1 on a real Nova). sent, received: when the request
    was sent and its answer received.
    """

    id: int
    uuid: str
    server: str
    kind: str
    source: str
    target: str | None
    status: str
    created: float
    updated: float | None
    sent: float
    received: float
    resolution: float = 1.0

    @property
    def final(self) -> bool:
        """Whether the status will not change again."""
        return self.status in FINAL_STATUSES


@dataclass(frozen=True, slots=True)
class StateSample:
    """A server as one request showed it; it was so at some moment between `sent` and `received`.

    status: as Nova spells it, `DELETED` for 404. host: `OS-EXT-SRV-ATTR:host`. power_state: 1 running, 3 paused, 4 off.
    name: what people call the server; "" if it was not read.
    """

    server: str
    sent: float
    received: float
    status: str
    task_state: str | None
    host: str | None
    power_state: int = 1
    name: str = ""

    @property
    def gone(self) -> bool:
        """Whether the server exists no more."""
        return self.status == DELETED

    @property
    def moving(self) -> bool:
        """Whether Nova is at work on a migration of it, by status or by task (both appear in either order)."""
        return is_moving(self.task_state) or self.status in ("MIGRATING", "RESIZE")

    @property
    def flying(self) -> bool:
        """Whether a migration of it is under way: moving, or being deleted, which may happen in mid-flight.

        A cold migration that waits for its confirmation has arrived, and stays so while it is confirmed.
        """
        arrived = self.status in ("VERIFY_RESIZE", "REVERT_RESIZE")
        return not arrived and (self.moving or self.task_state == "deleting")


@dataclass(frozen=True, slots=True)
class Request:
    """A request to Nova that was answered; only a lab's journal has them.

    at: when it took effect. path: below the service, e.g. `/servers/{id}/action`. server: its uuid, "" if the request
    is about none. action: key of an action's body, else "". status: of the answer. served: whether Nova did what was
    asked; with a lost answer it did although the status says otherwise.
    """

    at: float
    method: str
    path: str
    status: int
    served: bool
    server: str = ""
    action: str = ""
    id: str = ""

    @property
    def moves(self) -> bool:
        """Whether it asks for a migration."""
        return self.method == "POST" and self.action in MOVES


@dataclass(frozen=True, slots=True)
class StatusHistory:
    """Every status of one migration record with the exact moment at which it began; from a lab's journal.

    request: id of the request that asked for it.
    """

    id: int
    uuid: str
    server: str
    kind: str
    source: str
    target: str | None
    request: str
    statuses: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server from `at` on, exactly; from a lab's journal. vm_state `deleted`: it exists no more."""

    at: float
    vm_state: str
    task_state: str | None
    host: str | None
    power_state: int = 1

    @property
    def moving(self) -> bool:
        """Whether Nova is at work on a migration of it."""
        return is_moving(self.task_state)


@dataclass(frozen=True, slots=True)
class ServerHistory:
    """Every state of one server, oldest first; from a lab's journal."""

    server: str
    states: tuple[ServerState, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Blind:
    """Requests of the recorder were not answered between two moments. what: `servers`, `migrations` or `journal`."""

    what: str
    since: float
    until: float = math.inf
    reason: str = ""

    def __str__(self) -> str:
        until = "the end" if math.isinf(self.until) else f"{self.until:.1f}"
        return f"{self.what} unobserved from {self.since:.1f} until {until}: {self.reason or 'no answer'}"


def is_moving(task_state: str | None) -> bool:
    """Whether a task is part of a migration, live or cold; the operator's own rule (operator sheet §2.2, row 5)."""
    return task_state is not None and ("migrat" in task_state or "resize" in task_state)
