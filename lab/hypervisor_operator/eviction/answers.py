"""What the operator makes of the replies to its POSTs, what it tells, and when it looks again (sheet §2.2-4)."""

from __future__ import annotations

from dataclasses import dataclass

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table
from lab.hypervisor_operator.eviction.instances import POLL, SHORT
from lab.hypervisor_operator.eviction.rulings import Ask, Ruling, gone, refused, rules
from lab.hypervisor_operator.requests import Outcome
from lab.hypervisor_operator.workers import Done


@dataclass(frozen=True, slots=True)
class Posted:
    """A request about one server, and its reply."""

    uuid: str
    request: Ask
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Claim:
    """A success that might be told: does a failure stand, and are servers left?"""

    failed: bool
    left: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A parallel pass at its end."""

    in_flight: int
    started: int
    outstanding: int
    troubles: tuple[str, ...] = ()


def _why(posted: Posted) -> str:
    return refused(posted.uuid, posted.request, posted.outcome.error)


POSTED: Table[Posted] = Table(
    "eviction-posted",
    (
        Row("accepted", lambda posted: not posted.outcome.error, rules(lambda _: Ruling(slot=True))),
        Row(
            "gone",
            lambda posted: posted.outcome.missing,
            rules(lambda posted: Ruling(leaves=True, fails=_why(posted), says=gone(posted.uuid))),
        ),  # wart: the failure is told first, and then stands (§2.2)
        Row(
            "refused", lambda _: True, rules(lambda posted: Ruling(fails=_why(posted), trouble=_why(posted)))
        ),  # wart: no slot is counted, though Nova may have accepted before the reply was lost (§8 row 3)
    ),
)
"""Answers a Ruling after a migrate request of a parallel pass."""
CONFIRMED: Table[Posted] = Table(
    "eviction-confirmed",
    (
        Row("confirmed", lambda posted: not posted.outcome.error, rules(lambda _: Ruling())),
        Row(
            "gone",
            lambda posted: posted.outcome.missing,
            rules(lambda posted: Ruling(leaves=True, says=gone(posted.uuid))),
        ),
        Row(
            "refused", lambda _: True, rules(lambda posted: Ruling(trouble=posted.outcome.error))
        ),  # wart: no condition tells it (§8 row 11)
    ),
)
"""Answers a Ruling after a confirmation; the slot is held in any case, the server is looked at again."""
CLAIM: Table[Claim] = Table(
    "eviction-claim",
    (
        Row("a failure stands", lambda claim: claim.failed and claim.left > 0, says(False)),
        Row("told", lambda _: True, says(True)),
    ),
)
"""Answers whether a success may be told: only the last server clears a failure."""
AGAIN: Table[Passed] = Table(
    "eviction-again",
    (
        Row(
            "nothing moves",
            lambda passed: passed.in_flight + passed.started == 0 and passed.outstanding > 0,
            says(Done(after=SHORT)),
        ),
        Row("poll", lambda _: True, says(Done(after=POLL))),
    ),
)
"""Answers how a parallel pass ends: troubles of single servers are only logged."""
WRITES: Table[Ruling] = Table("eviction-writes", (Row("at the end of the pass", lambda _: True, says(False)),))
"""Answers whether a parallel pass writes the status after one server already."""
SERIAL_END: Table[Ruling] = Table(
    "eviction-again-serial",
    (
        Row("trouble", lambda ruling: bool(ruling.trouble), answering(lambda ruling: Done(error=ruling.trouble))),
        Row("look again", lambda _: True, answering(lambda ruling: Done(after=ruling.again))),
    ),
)
"""Answers how a serial pass ends: trouble is a reconcile error."""
