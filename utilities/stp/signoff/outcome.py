"""What can be said of a scenario, from best to worst.  Source: sheet §7, 4."""

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """Only PASSED is a success; the rest is ordered by how loudly it speaks against a release."""

    PASSED = "passed"
    EXCLUDED = "excluded"
    DESIGNED = "designed"
    NOT_RUN = "not run"
    QUARANTINED = "quarantined"
    BLOCKED = "blocked"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"
    FAILED = "failed"

    @property
    def rank(self) -> int:
        """Higher is worse."""
        return tuple(Outcome).index(self)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of them; NOT_RUN when there is none."""
    return max(outcomes, key=lambda outcome: outcome.rank, default=Outcome.NOT_RUN)
