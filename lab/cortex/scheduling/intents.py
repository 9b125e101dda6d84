"""What a request is for, told by the hint `_nova_check_type` (Cortex sheet §2, intents)."""

from __future__ import annotations

from collections.abc import Mapping

from lab.cortex.scheduling.request import Request

HINT = "_nova_check_type"
LIVE_MIGRATION = "live_migration"
EVACUATE = "evacuate"
CREATE = "create"
RESERVE_FOR_FAILOVER = "reserve_for_failover"
REUSE_FAILOVER = "reuse_failover_reservation"
RESERVE_FOR_COMMITTED = "reserve_for_committed_resource"
CAPACITY_PROBE = "capacity_probe"
UNKNOWN = "Unknown"
"""What histories, Decisions and metric labels say of an intent that cannot be read."""

_BY_HINT: Mapping[str, str] = {
    "live_migrate": LIVE_MIGRATION,
    **{
        each: each
        for each in (
            "rebuild", "resize", EVACUATE, RESERVE_FOR_FAILOVER, REUSE_FAILOVER, RESERVE_FOR_COMMITTED, CAPACITY_PROBE,
        )
    },
}  # fmt: skip
PROBING = frozenset({RESERVE_FOR_FAILOVER, REUSE_FAILOVER, CAPACITY_PROBE})
"""Intents that are for no tenant's VM: filters that judge a tenant pass over them."""
INTERNAL = PROBING | {RESERVE_FOR_COMMITTED}
"""Intents that Cortex itself has: filters that need a user's request pass over them."""


def intent_of(request: Request) -> str | None:
    """The intent; None without a readable hint, which is how a create of Nova comes."""
    hint = request.hint(HINT)
    return None if hint is None else _BY_HINT.get(hint, CREATE)
