"""Facts about Nova servers and their migrations, as a recorder hands them over: frozen values, no client library."""

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
from utilities.history.nova.journal import Journal
from utilities.history.nova.recording import NovaRecording

__all__ = [
    "DELETED",
    "FINAL_STATUSES",
    "LIVE_MIGRATE",
    "MIGRATE",
    "MOVES",
    "Blind",
    "Journal",
    "MigrationRecord",
    "NovaRecording",
    "Request",
    "ServerHistory",
    "ServerState",
    "StateSample",
    "StatusHistory",
]
