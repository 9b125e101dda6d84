"""A flight: one attempt to migrate something, from its start until it left or stayed for good.

What a source tells about the start and the end has a resolution, so each of the two is known to lie between an earliest
and a latest coordinate. Between the latest start and the earliest end the flight surely was in the air; between the
earliest start and the latest end it may have been. Where the two are the same the source is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self


class Proof(StrEnum):
    """The source that tells of the start or the end of a flight."""

    POST = "accepted POST"
    STATE = "state of the server"
    RECORD = "migration record"
    SAMPLE = "sampled state"
    WATCH = "watch"
    OPEN = "not over at the end of the recording"


class Outcome(StrEnum):
    """How a flight ended."""

    LEFT = "left"
    STAYED = "stayed"
    """Failed, was cancelled or refused: the VM is where it was."""
    DELETED = "deleted"
    OPEN = "in flight"


@dataclass(frozen=True, slots=True)
class Edge:
    """A start or an end, no earlier than `earliest` and no later than `latest`, and which source says so.

    product_time: the best guess in product seconds, where coordinates are something else.
    """

    earliest: float
    latest: float
    proof: Proof
    product_time: float | None = None

    @classmethod
    def exactly(cls, at: float, proof: Proof, product_time: float | None = None) -> Self:
        """An edge that is known without doubt."""
        return cls(at, at, proof, product_time)

    @property
    def exact(self) -> bool:
        """Whether there is no doubt."""
        return self.earliest == self.latest

    @property
    def seconds(self) -> float:
        """Product time for people; infinite where the edge is."""
        if self.product_time is not None:
            return self.product_time
        return self.latest if abs(self.latest) < math.inf else self.earliest


NEVER = Edge.exactly(math.inf, Proof.OPEN)
"""The end of a flight that was not over."""


@dataclass(frozen=True, slots=True)
class Flight:
    """One attempt. subject: what is counted, once however many of its flights may overlap; label: for people.

    attempt: uid of the migration or the record, "" if there is none. source, target: nodes or hypervisors, None while
    not known.
    """

    subject: str
    label: str
    began: Edge
    ended: Edge
    outcome: Outcome
    source: str | None = None
    target: str | None = None
    attempt: str = ""
    kind: str = ""

    @property
    def sure(self) -> tuple[float, float]:
        """When it surely was in flight; never if the start is not before the end."""
        return self.began.latest, self.ended.earliest

    @property
    def possible(self) -> tuple[float, float]:
        """When it may have been in flight."""
        return self.began.earliest, self.ended.latest

    @property
    def exact(self) -> bool:
        """Whether nothing about its time is in doubt."""
        return self.began.exact and self.ended.exact

    @property
    def over(self) -> bool:
        """Whether it was seen to end."""
        return self.outcome is not Outcome.OPEN

    @property
    def proven_by(self) -> tuple[Proof, Proof]:
        """The sources of start and end."""
        return self.began.proof, self.ended.proof

    def with_label(self, label: str) -> Flight:
        """The same under another name for people."""
        return replace(self, label=label)
