"""How OpenStack writes times: whole seconds, in three forms (openstack sheet §3, §5)."""

from __future__ import annotations

from datetime import UTC, datetime

from lab.clock import timestamp


def zoned(seconds: float) -> str:
    """`created` and `updated` of servers, `created` of faults: `2026-01-02T03:04:05Z`."""
    return timestamp(seconds)


def naive(seconds: float | None) -> str | None:
    """Columns of the database: `2026-01-02T03:04:05.000000`, UTC without a zone, whole seconds padded with zeros."""
    return None if seconds is None else timestamp(seconds).removesuffix("Z") + ".000000"


def parse(text: str) -> float:
    """Seconds of an ISO 8601 time; without a zone it is UTC. Raises ValueError."""
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
