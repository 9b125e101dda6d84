"""The lab's fixes: rows the product lacks, each for a guarantee of operator sheet §7 it is known to break."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Faults, Row, Table, decide
from lab.controllers.effects import Effect
from lab.hypervisor_operator.eviction.answers import CONFIRMED, POSTED, Posted
from lab.hypervisor_operator.eviction.case import STAGES, Stage
from lab.hypervisor_operator.eviction.instances import PARALLEL
from lab.hypervisor_operator.eviction.limits import LIMIT
from lab.hypervisor_operator.eviction.queue import CANDIDATES, ORDER, Candidate, Turn, without
from lab.hypervisor_operator.eviction.rulings import (
    Ask,
    Ruling,
    Seen,
    failed,
    finished,
    refused,
    row,
    rules,
    terminating,
)
from lab.hypervisor_operator.flags import LAST_WORDS
from lab.hypervisor_operator.maintenance import FAILURE, REPORT
from lab.hypervisor_operator.ready import EVICTION_FAILED, READINESS

Rows = Mapping[str, tuple[Row[Any], ...]]


@dataclass(frozen=True, slots=True)
class Fix:
    """Rows that go in front of the product's. `guarantees`: numbers of operator sheet §7, empty where it has none."""

    name: str
    mends: str  # one sentence
    guarantees: tuple[int, ...]
    rows: Rows = field(default_factory=dict)


def _decides(table: Table[Any], *rows: str) -> Callable[[Any], bool]:
    return lambda subject: decide(table, subject, float("inf")).row in rows


def _as_product(table: Table[Any], subject: Any) -> Sequence[Effect]:
    return decide(table, subject, float("inf")).effects


def _behind_others(turn: Turn) -> tuple[str, ...]:
    """At the back, in the order in which this pass came by: the same servers give the same queue again."""
    if turn.server not in turn.outstanding:
        return turn.outstanding
    rest = without(turn.outstanding, turn.server)
    behind = sum(server in turn.moved for server in rest)
    moved = [server for server in rest if server in turn.moved]
    others = [server for server in rest if server not in turn.moved]
    return (*moved[:behind], turn.server, *others)


def _fewest_attempts(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Those that were never tried first, and among equals those that were not moved to the back."""
    ranked = sorted(enumerate(found), key=lambda item: (item[1].attempts, -item[0]))
    return tuple(candidate for _, candidate in ranked)


def _came_back(seen: Seen) -> Ruling:
    return Ruling(
        request=Ask.LIVE if seen.runs else Ask.COLD,
        fails=f"Migration of instance {seen.uuid} failed: it is still on {seen.hypervisor} after an attempt",
    )


def _short(seen: Seen) -> Seen:
    return replace(seen, hypervisor=seen.hypervisor.partition(".")[0])


def _unconfirmed(posted: Posted) -> Ruling:
    why = f"failed to confirm resize of instance {posted.uuid} due to {posted.outcome.error}"
    return Ruling(fails=why, trouble=why)


_misread = _decides(PARALLEL, "moved", "arrived, unconfirmed")
_tried_again = _decides(PARALLEL, "running", "not running")
FIXES: tuple[Fix, ...] = (
    Fix(
        "unreadable-counts",
        "A server whose state cannot be read may be in flight, and holds a slot.",
        (1, 2),
        {
            PARALLEL.name: (
                row(
                    "unreadable, may be under way",
                    _decides(PARALLEL, "unreadable"),
                    lambda seen: Ruling(slot=True, trouble=seen.outcome.error),
                ),
            )
        },
    ),
    Fix(
        "lost-reply-counts",
        "A request whose reply is an error of the server may have been accepted, and takes a slot.",
        (1, 8),
        {
            POSTED.name: (
                Row(
                    "may have been accepted",
                    lambda posted: bool(posted.outcome.error) and not 400 <= posted.outcome.code < 500,
                    rules(
                        lambda posted: Ruling(
                            slot=True,
                            fails=refused(posted.uuid, posted.request, posted.outcome.error),
                            trouble=posted.outcome.error,
                        )
                    ),
                ),
            )
        },
    ),
    Fix(
        "stale-traits-drain-serially",
        "While the traits in the status are not known to be current a host drains serially.",
        (7,),
        {LIMIT.name: (Row("traits not current", lambda host: not host.current, says(1)),)},
    ),
    Fix(
        "success-when-empty",
        "An eviction succeeds when Nova lists nothing on the host and nothing is on its way there.",
        (14,),
        {STAGES.name: (Row("empty, look again", _decides(STAGES, "empty"), says(Stage.LOOK_AGAIN)),)},
    ),
    Fix(
        "deleting-holds-no-slot",
        "A server that is being deleted is waited for without holding a slot.",
        (16,),
        {
            PARALLEL.name: (
                row(
                    "being deleted, no slot",
                    _decides(PARALLEL, "being deleted"),
                    lambda seen: Ruling(back=True, fails=terminating(seen.uuid)),
                ),
            )
        },
    ),
    Fix(
        "stable-back",
        "Servers that cannot go keep their order at the back, so that a pass over them changes nothing.",
        (23,),
        {ORDER.name: (Row("behind the others", lambda _: True, answering(_behind_others)),)},
    ),
    Fix(
        "failure-is-reported",
        "An eviction that failed is reported as failed, and its hypervisor not as evicted.",
        (25,),
        {REPORT.name: (FAILURE,), READINESS.name: (EVICTION_FAILED,)},
    ),
    Fix(
        "came-back-is-told",
        "A server that is still there after an attempt is told as failed, and others have their turn first.",
        (),
        {
            PARALLEL.name: (row("came back", lambda seen: seen.attempt.count > 0 and _tried_again(seen), _came_back),),
            CANDIDATES.name: (Row("fewest attempts first", lambda _: True, answering(_fewest_attempts)),),
        },
    ),
    Fix(
        "host-must-be-known",
        "A server whose host Nova does not tell has not moved; a name with dots is compared up to the first.",
        (14,),
        {
            PARALLEL.name: (
                row(
                    "host not told",
                    lambda seen: not seen.host and _misread(seen),
                    lambda seen: Ruling(
                        fails=f"Migration of instance {seen.uuid} cannot be judged: Nova does not tell its host",
                        trouble=f"no host of instance {seen.uuid}",
                    ),
                ),
                Row(
                    "name with dots",
                    lambda seen: "." in seen.hypervisor and _misread(seen) and not _misread(_short(seen)),
                    lambda seen: _as_product(PARALLEL, _short(seen)),
                ),
            )
        },
    ),
    Fix(
        "errors-elsewhere-leave",
        "A server that is in error on another host has left this one.",
        (10,),
        {
            PARALLEL.name: (
                row(
                    "in error elsewhere",
                    lambda seen: _decides(PARALLEL, "in error")(seen) and bool(seen.host) and seen.elsewhere,
                    lambda seen: Ruling(leaves=True, fails=failed(seen), says=finished(seen.uuid)),
                ),
            )
        },
    ),
    Fix(
        "paused-move-live",
        "A paused server is moved live, the only way Nova takes.",
        (),
        {
            PARALLEL.name: (
                row(
                    "paused",
                    lambda seen: seen.status == "PAUSED" and _decides(PARALLEL, "not running")(seen),
                    lambda _: Ruling(request=Ask.LIVE),
                ),
            )
        },
    ),
    Fix(
        "confirm-errors-are-told",
        "A confirmation that is refused is told.",
        (18,),
        {CONFIRMED.name: (Row("refused, told", _decides(CONFIRMED, "refused"), rules(_unconfirmed)),)},
    ),
    Fix(
        "refused-flags-are-told",
        "Flags that are refused are told why.",
        (),
        {LAST_WORDS.name: (Row("told", lambda _: True, answering(str)),)},
    ),
)


def combined(fixes: Iterable[Fix]) -> Faults:
    """Rows of several fixes, those of earlier ones first."""
    found: dict[str, tuple[Row[Any], ...]] = {}
    for fix in fixes:
        for table, extra in fix.rows.items():
            found[table] = (*found.get(table, ()), *extra)
    return Faults(found)


ALL: Faults = combined(FIXES)
"""Everything that the program with the fix has in front of its tables."""
