"""Options of writes and deletes, as the query string or the body carries them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """Query options of a write."""

    dry_run: bool = False
    force: bool = False
    field_validation: str = "Warn"  # Strict | Warn | Ignore


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """Options of a delete; None means not given."""

    grace_period: int | None = None  # seconds
    propagation: str | None = None  # Background | Foreground | Orphan
    precondition_uid: str | None = None
    precondition_revision: str | None = None
    dry_run: bool = False
    orphan_dependents: bool | None = None  # the older word for Orphan (True) or Background (False)
