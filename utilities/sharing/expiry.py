"""Which holders are gone: those whose stamp has not changed for the duration of the lease, by our own clock.

Stamps of others are never compared with our time: their clocks may be wrong. Ours starts when a stamp is first seen,
as in Kubernetes' leader election, so a holder is never given up too early, at worst one duration late.
"""

from __future__ import annotations

from utilities.sharing.holders import Stamps


class Expiry:
    """Remembers when each stamp was first seen. duration and times: seconds of one monotonic clock."""

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._seen: dict[str, tuple[str, float]] = {}

    def gone(self, stamps: Stamps, now: float) -> frozenset[str]:
        """Holders whose stamp is as old as the duration."""
        self._seen = {
            who: known if (known := self._seen.get(who)) and known[0] == stamp else (stamp, now)
            for who, stamp in stamps.items()
        }
        return frozenset(who for who, (_, since) in self._seen.items() if now - since >= self._duration)
