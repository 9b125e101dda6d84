"""Faults in the treatment of single servers: ways 7 to 12, 14 and 15 of operator sheet §8, and others."""

from __future__ import annotations

from lab.controllers.answers import answering
from lab.controllers.decisions import Row
from lab.faults.eviction.making import restored, scenarios
from lab.faults.fault import Fault, ahead, saying, would
from lab.hypervisor_operator.eviction.answers import AGAIN, CLAIM, POSTED, Passed
from lab.hypervisor_operator.eviction.case import STAGES
from lab.hypervisor_operator.eviction.instances import PARALLEL
from lab.hypervisor_operator.eviction.queue import CANDIDATES, ORDER, SCAN
from lab.hypervisor_operator.eviction.rulings import Ruling, Seen, failed, finished, gone, row, rules
from lab.hypervisor_operator.workers import Done

MOVED = scenarios(*(number for number in range(1, 33) if number not in (26, 31)))
"""Everything that has to see servers moved."""


def _uncounted(seen: Seen) -> Ruling:
    return Ruling(trouble=f"instance {seen.uuid} could not be read")


def _as_error(passed: Passed) -> Done:
    return Done(error="; ".join(passed.troubles))


def _tried_again(seen: Seen) -> bool:
    return seen.attempt.count > 0 and would(PARALLEL, "running", "not running")(seen)


FAILURE_FORGOTTEN = Fault(
    "failure_forgotten",
    "A server that has gone or moved hides the failure of another one that is still there.",
    scenarios(11, 13),
    ahead(CLAIM, saying("told in any case", lambda _: True, True)),
)
BAD_SERVER_FIRST = Fault(
    "bad_server_first",
    "A server that cannot go is looked at first, and those behind it have no turn.",
    scenarios(10, 12, 13, 16, 19, 20),
    ahead(SCAN, saying("stops there", lambda moved_back: moved_back, False)),
)
BAD_SERVERS_SWAP = Fault(
    "bad_servers_swap",
    "Two servers that cannot go change places in each pass, and each change causes the next pass at once.",
    scenarios(23),
    ahead(ORDER, restored(ORDER, "to the very back", lambda _: True)),
)
DELETING_HOLDS_SLOT = Fault(
    "deleting_holds_slot",
    "A server that is being deleted holds a slot until it has gone.",
    scenarios(16),
    ahead(PARALLEL, restored(PARALLEL, "slot for the dying", would(PARALLEL, "being deleted"))),
)
NEVER_CONFIRMED = Fault(
    "never_confirmed",
    "A cold migration is never confirmed.",
    scenarios(17),
    ahead(PARALLEL, row("fault: waits", would(PARALLEL, "arrived, unconfirmed"), lambda _: Ruling(slot=True))),
)
TROUBLE_BACKS_OFF = Fault(
    "trouble_backs_off",
    "Trouble with one server makes the whole pass an error, and the next one comes later each time.",
    scenarios(19),
    ahead(AGAIN, Row("fault: an error", lambda passed: bool(passed.troubles), answering(_as_error))),
)
SEEN_AS_MOVED = Fault(
    "seen_as_moved",
    "Every server is taken for one that has left the host.",
    MOVED,
    {
        **ahead(
            PARALLEL,
            row(
                "fault: elsewhere",
                lambda seen: not seen.outcome.error,
                lambda seen: Ruling(leaves=True, says=finished(seen.uuid)),
            ),
        ),
        **ahead(STAGES, restored(STAGES, "empty is done", would(STAGES, "empty"))),
    },
)
CAME_BACK_SILENTLY = Fault(
    "came_back_silently",
    "A server that is still there after an attempt is asked again first, and nothing tells it.",
    scenarios(28),
    {
        **ahead(PARALLEL, restored(PARALLEL, "as if for the first time", _tried_again)),
        **ahead(CANDIDATES, restored(CANDIDATES, "as scanned", lambda _: True)),
    },
)
GONE_STAYS = Fault(
    "gone_stays",
    "A server that has gone stays in the queue.",
    scenarios(10, 20),
    ahead(PARALLEL, row("fault: kept", would(PARALLEL, "gone"), _uncounted)),
)
GONE_IS_FAILURE = Fault(
    "gone_is_failure",
    "A server that was deleted during the drain is told as a failure.",
    scenarios(11),
    ahead(
        PARALLEL,
        row("fault: failed", would(PARALLEL, "gone"), lambda seen: Ruling(leaves=True, fails=gone(seen.uuid))),
    ),
)
ERROR_DROPPED = Fault(
    "error_dropped",
    "A server in ERROR is taken out of the queue for good.",
    scenarios(11, 12, 13, 15, 23, 30),
    {
        **ahead(
            PARALLEL,
            row("fault: given up", would(PARALLEL, "in error"), lambda seen: Ruling(leaves=True, fails=failed(seen))),
        ),
        **ahead(STAGES, restored(STAGES, "empty is done", would(STAGES, "empty"))),
    },
)
ERROR_ELSEWHERE_STAYS = Fault(
    "error_elsewhere_stays",
    "A server that is in ERROR on another host stays in the queue.",
    scenarios(32),
    ahead(PARALLEL, restored(PARALLEL, "an error like any", would(PARALLEL, "in error"))),
)
REFUSAL_UNTOLD = Fault(
    "refusal_untold",
    "A request that Nova refuses is not told.",
    scenarios(18),
    ahead(
        POSTED,
        Row("fault: kept quiet", would(POSTED, "refused"), rules(lambda posted: Ruling(trouble=posted.outcome.error))),
    ),
)
PAUSED_MOVED_COLD = Fault(
    "paused_moved_cold",
    "A paused server is asked to move cold, which Nova refuses each time.",
    scenarios(29),
    ahead(
        PARALLEL,
        restored(PARALLEL, "cold", lambda seen: seen.status == "PAUSED" and would(PARALLEL, "not running")(seen)),
    ),
)
SERVERS: tuple[Fault, ...] = (
    FAILURE_FORGOTTEN,
    BAD_SERVER_FIRST,
    BAD_SERVERS_SWAP,
    DELETING_HOLDS_SLOT,
    NEVER_CONFIRMED,
    TROUBLE_BACKS_OFF,
    SEEN_AS_MOVED,
    CAME_BACK_SILENTLY,
    GONE_STAYS,
    GONE_IS_FAILURE,
    ERROR_DROPPED,
    ERROR_ELSEWHERE_STAYS,
    REFUSAL_UNTOLD,
    PAUSED_MOVED_COLD,
)
