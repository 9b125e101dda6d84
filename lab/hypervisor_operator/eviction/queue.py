"""The queue in `status.outstandingInstances`: taking servers out, and moving those that cannot go to the back.

"Back" is index 0: the serial form works from the tail. The parallel form scans from index 0 all the same, so that a
server which was moved back is the first to be tried once it can go (operator sheet §2.7, still so in the proposal).
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.eviction.rulings import Ask


@dataclass(frozen=True, slots=True)
class Turn:
    """One server that cannot go now. `moved`: those moved back earlier in this pass."""

    outstanding: tuple[str, ...]
    server: str
    moved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A server that can be asked to move; `attempts`: how often this process did so already."""

    server: str
    request: Ask
    attempts: int = 0


def without(outstanding: tuple[str, ...], server: str) -> tuple[str, ...]:
    """The queue without that server, order kept."""
    if server not in outstanding:
        return outstanding
    at = outstanding.index(server)
    return (*outstanding[:at], *outstanding[at + 1 :])


def to_the_back(turn: Turn) -> tuple[str, ...]:
    """That server at index 0, the others in their order; unchanged when it is not there or there already.

    With two or more such servers each pass swaps them, which is a change, which causes the next pass at once: a loop
    without a pause (operator sheet §2.8, guarantee 23).
    """
    if turn.server not in turn.outstanding:
        return turn.outstanding
    return (turn.server, *without(turn.outstanding, turn.server))


ORDER: Table[Turn] = Table("eviction-order", (Row("to the very back", lambda _: True, answering(to_the_back)),))
"""Answers the queue after a server was moved back."""
SCAN: Table[bool] = Table("eviction-scan", (Row("looks at all", lambda _: True, says(True)),))
"""Answers whether a parallel pass looks at further servers; the subject is whether the last one was moved back."""
CANDIDATES: Table[tuple[Candidate, ...]] = Table(
    "eviction-candidates", (Row("as scanned", lambda _: True, answering(lambda found: found)),)
)
"""Answers in which order servers are asked to move. One that failed back to ACTIVE is asked again in each pass, and
where it comes first nothing else has a turn at limit 1 (operator sheet §2.8)."""
