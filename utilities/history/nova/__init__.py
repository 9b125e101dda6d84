"""Facts about Nova servers and their migrations, as a recorder hands them over: frozen values, no client library."""

from utilities.history.nova.drain import HypervisorDrain
from utilities.history.nova.facts import (
    DELETED,
    FINAL_STATUSES,
    LIVE_MIGRATE,
    MIGRATE,
    MOVES,
    Blind,
    MigrationRecord,
    Request,
    ServerHistory,
    ServerState,
    StateSample,
    StatusHistory,
)
from utilities.history.nova.flying import in_flight
from utilities.history.nova.journal import Journal
from utilities.history.nova.posts import Pass, Polls, Repeat, pauses
from utilities.history.nova.recording import NovaRecording
from utilities.history.nova.tolerance import STRICT, Tolerance

__all__ = [
    "DELETED",
    "FINAL_STATUSES",
    "LIVE_MIGRATE",
    "MIGRATE",
    "MOVES",
    "STRICT",
    "Blind",
    "HypervisorDrain",
    "Journal",
    "MigrationRecord",
    "NovaRecording",
    "Pass",
    "Polls",
    "Repeat",
    "Request",
    "ServerHistory",
    "ServerState",
    "StateSample",
    "StatusHistory",
    "Tolerance",
    "in_flight",
    "pauses",
]
