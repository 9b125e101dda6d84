"""How far Nova's records may lie from what really happened."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from utilities.history.nova.facts import MigrationRecord, StateSample


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Seconds. Where nothing better is known, starts and ends are believed to lie this far from the records.

    skew: between the clock of the samples and that of the stamps, either way, what the database rounds among it.
    lead: from the accepted POST to the record's creation. lag: from the server's arrival on its target, or its failure,
    to the end of the record (openstack sheet §5: the server first, the record second).
    """

    skew: float = 1.0
    lead: float = 5.0
    lag: float = 10.0

    def stamped(self, at: float, record: MigrationRecord) -> tuple[float, float]:
        """Earliest and latest moment with that stamp; at its latest it still lies before the next possible stamp."""
        return at, math.nextafter(at + record.resolution, -math.inf) if record.resolution else at

    def seen(self, sample: StateSample) -> tuple[float, float]:
        """Earliest and latest moment that a sample may show, on the clock of the stamps."""
        return sample.sent - self.skew, sample.received + self.skew


STRICT: Final = Tolerance(0.0, 0.0, 0.0)
"""One clock, and records written in the same moment: a lab without lag."""
