"""Faults of the hypervisor operator: the ways of operator sheet §8 as far as its own side can take them, and others.

Those that only bring back what the product does (`restored`) show on the program with the lab's fixes; on the product
as it is the same scenarios are known to fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from lab.controllers.answers import answering, says
from lab.controllers.decisions import Row, Table
from lab.faults.fault import Fault, ahead, as_sound, would
from lab.hypervisor_operator.eviction.answers import AGAIN, CLAIM, POSTED, WRITES, Passed, Posted
from lab.hypervisor_operator.eviction.case import STAGES, Stage
from lab.hypervisor_operator.eviction.instances import PARALLEL
from lab.hypervisor_operator.eviction.limits import LIMIT, ROOM, HostLimits, lowest
from lab.hypervisor_operator.eviction.queue import CANDIDATES, ORDER, SCAN
from lab.hypervisor_operator.eviction.rulings import Ask, Ruling, Seen, failed, finished, gone, refused, row, rules
from lab.hypervisor_operator.flags import START
from lab.hypervisor_operator.maintenance import DRAIN, REPORT, SERVICE, Drain
from lab.hypervisor_operator.workers import Done

S = TypeVar("S")
_FRESH = 15.0  # product seconds: until the second look at a migration that was asked for


def scenarios(*numbers: int) -> frozenset[str]:
    """Ids of the plan by number: up to 25 those of the guarantees of operator sheet §7."""
    return frozenset(f"EVIC-{number:02}" for number in numbers)


BOUNDED = scenarios(1, 2, 4, 5, 6)
"""Everything that counts migrations in flight."""
MOVED = scenarios(1, 2, 3, 4, 5, 6, 8, 14, 17, 27)
"""Everything that has to see servers moved."""


def _busy(seen: Seen) -> bool:
    return not seen.outcome.error and (seen.under_way or seen.set_off)


def _age(seen: Seen) -> float:
    """Product seconds since this process asked for the migration; endless when it did not."""
    return seen.now - seen.attempt.last if seen.attempt.count else float("inf")


def _restored(table: Table[Any], name: str, when: Callable[[Any], bool]) -> Row[Any]:
    """What the product does, in front of what mends it."""
    return Row(f"fault: {name}", when, lambda subject: as_sound(table, subject))


def _saying(name: str, when: Callable[[S], bool], value: Any) -> Row[S]:
    """A row that answers a value."""
    return Row(f"fault: {name}", when, says(value))


def _uncounted(seen: Seen) -> Ruling:
    return Ruling(trouble=f"instance {seen.uuid} could not be read")


def _lost(posted: Posted) -> Ruling:
    why = refused(posted.uuid, posted.request, "the reply was lost")
    return Ruling(fails=why, trouble=why)


def _highest(host: HostLimits) -> int:
    return max([host.default, *(host.by_trait[trait] for trait in host.traits if trait in host.by_trait)])


def _as_error(passed: Passed) -> Done:
    return Done(error="; ".join(passed.troubles))


FRESH_TRIGGERS_UNCOUNTED = Fault(
    "fresh_triggers_uncounted",
    "A migration that was asked for a moment ago is not counted as in flight.",
    BOUNDED,
    ahead(
        PARALLEL, row("fault: too fresh to count", lambda seen: _busy(seen) and _age(seen) < _FRESH, lambda _: Ruling())
    ),
)
UNREADABLE_UNCOUNTED = Fault(
    "unreadable_uncounted",
    "A server in flight cannot be read after some seconds, and then counts for nothing.",
    BOUNDED,
    ahead(PARALLEL, row("fault: not read", lambda seen: _busy(seen) and _age(seen) >= _FRESH, _uncounted)),
)
LOST_REPLY_UNCOUNTED = Fault(
    "lost_reply_uncounted",
    "The reply to a request that Nova accepted is lost, and the next server is started as well.",
    BOUNDED | scenarios(18),
    ahead(POSTED, Row("fault: reply lost", lambda posted: not posted.outcome.error, rules(_lost))),
)
ASKED_TWICE = Fault(
    "asked_twice",
    "A server is asked to move again before Nova is seen to have begun.",
    scenarios(8),
    ahead(
        PARALLEL,
        row(
            "fault: once more",
            lambda seen: _busy(seen) and seen.attempt.count == 1 and _age(seen) < _FRESH,
            lambda _: Ruling(slot=True, request=Ask.LIVE, at_once=True),
        ),
    ),
)
IN_FLIGHT_IN_MEMORY = Fault(
    "in_flight_in_memory",
    "Only migrations that this process asked for are in flight for it.",
    scenarios(21),
    ahead(PARALLEL, row("fault: not mine", lambda seen: _busy(seen) and not seen.attempt.count, lambda _: Ruling())),
)
TRAITS_IGNORED = Fault(
    "traits_ignored",
    "The traits of the host do not lower its limit.",
    scenarios(5, 6),
    ahead(LIMIT, Row("fault: the default for all", lambda _: True, answering(lambda host: host.default))),
)
TRAIT_RAISES_LIMIT = Fault(
    "trait_raises_limit",
    "The highest limit wins instead of the lowest.",
    scenarios(5, 6),
    ahead(LIMIT, Row("fault: highest wins", lambda _: True, answering(_highest))),
)
STALE_TRAITS_TRUSTED = Fault(
    "stale_traits_trusted",
    "The limit is computed from traits that are known to be stale.",
    scenarios(7),
    ahead(LIMIT, Row("fault: stale as current", lambda host: not host.current, answering(lowest))),
)
FAILURE_FORGOTTEN = Fault(
    "failure_forgotten",
    "A server that has gone or moved hides the failure of another one that is still there.",
    scenarios(11, 13),
    ahead(CLAIM, _saying("told in any case", lambda _: True, True)),
)
BAD_SERVER_FIRST = Fault(
    "bad_server_first",
    "A server that cannot go is looked at first, and those behind it have no turn.",
    scenarios(12, 13, 16),
    ahead(SCAN, _saying("stops there", lambda moved_back: moved_back, False)),
)
BAD_SERVERS_SWAP = Fault(
    "bad_servers_swap",
    "Two servers that cannot go change places in each pass, and each change causes the next pass at once.",
    scenarios(23),
    ahead(ORDER, _restored(ORDER, "to the very back", lambda _: True)),
)
DELETING_HOLDS_SLOT = Fault(
    "deleting_holds_slot",
    "A server that is being deleted holds a slot until it has gone.",
    scenarios(16),
    ahead(PARALLEL, _restored(PARALLEL, "slot for the dying", would(PARALLEL, "being deleted"))),
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
    scenarios(12, 19),
    ahead(AGAIN, Row("fault: an error", lambda passed: bool(passed.troubles), answering(_as_error))),
)
LISTED_ONCE = Fault(
    "listed_once",
    "Servers that arrive after the list was taken are never looked for.",
    scenarios(14),
    ahead(STAGES, _saying("done", would(STAGES, "empty"), Stage.FINISH)),
)
SEEN_AS_MOVED = Fault(
    "seen_as_moved",
    "Every server is taken for one that has left the host.",
    MOVED,
    ahead(
        PARALLEL,
        row(
            "fault: elsewhere",
            lambda seen: not seen.outcome.error,
            lambda seen: Ruling(leaves=True, says=finished(seen.uuid)),
        ),
    ),
)
CAME_BACK_SILENTLY = Fault(
    "came_back_silently",
    "A server that is still there after an attempt is asked again first, and nothing tells it.",
    scenarios(28),
    {
        **ahead(
            PARALLEL,
            _restored(
                PARALLEL,
                "as if for the first time",
                lambda seen: seen.attempt.count > 0 and would(PARALLEL, "running", "not running")(seen),
            ),
        ),
        **ahead(CANDIDATES, _restored(CANDIDATES, "as scanned", lambda _: True)),
    },
)
LIMIT_IGNORED = Fault(
    "drain_limit_ignored",
    "Migrations are started whatever the limit says.",
    BOUNDED | scenarios(21),
    ahead(ROOM, _saying("always room", lambda _: True, True)),
)
SERIAL_FOR_EVER = Fault(
    "serial_for_ever",
    "The limit is one whatever the flags say.",
    scenarios(1, 2, 3, 5, 27),
    ahead(LIMIT, _saying("one", lambda _: True, 1)),
)
TWO_BY_DEFAULT = Fault(
    "two_by_default",
    "Without a flag two servers are moved at once.",
    scenarios(4),
    ahead(
        LIMIT,
        Row("fault: two", lambda host: host.default == 1, answering(lambda host: lowest(replace(host, default=2)))),
    ),
)
NOT_DISABLED_FIRST = Fault(
    "not_disabled_first",
    "Servers are moved away while the scheduler may still place others on the host.",
    scenarios(9),
    {
        **ahead(SERVICE, _saying("left enabled", would(SERVICE, "to be disabled"), None)),
        **ahead(STAGES, _saying("not waited for", would(STAGES, "found enabled", "still enabled"), Stage.LIST)),
    },
)
GONE_STAYS = Fault(
    "gone_stays",
    "A server that has gone stays in the queue.",
    scenarios(10, 11),
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
    "A server in ERROR is taken out of the queue.",
    scenarios(12, 13, 15),
    ahead(
        PARALLEL,
        row("fault: given up", would(PARALLEL, "in error"), lambda seen: Ruling(leaves=True, fails=failed(seen))),
    ),
)
SUCCESS_TOO_EARLY = Fault(
    "success_too_early",
    "The eviction succeeds while the last server is still there.",
    scenarios(14),
    ahead(
        STAGES,
        _saying(
            "good enough", lambda case: would(STAGES, "servers left")(case) and len(case.outstanding) == 1, Stage.FINISH
        ),
    ),
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
WRITTEN_PER_SERVER = Fault(
    "written_per_server",
    "The status is written after each server instead of once a pass.",
    scenarios(20),
    ahead(WRITES, _saying("at once", lambda ruling: ruling.leaves or bool(ruling.fails), True)),
)
DRAIN_GOES_ON = Fault(
    "drain_goes_on",
    "Servers are moved away after maintenance was unset.",
    scenarios(22),
    ahead(DRAIN, _saying("left to go on", lambda at: not at.maintenance, Drain.LEAVE)),
)
SERVICE_STAYS_DISABLED = Fault(
    "service_stays_disabled",
    "The compute service is not enabled again after maintenance.",
    scenarios(22),
    ahead(SERVICE, _saying("left disabled", would(SERVICE, "to be enabled"), None)),
)
FAILED_COUNTS_AS_EVICTED = Fault(
    "failed_counts_as_evicted",
    "A hypervisor whose eviction failed is reported as evicted.",
    scenarios(25),
    ahead(REPORT, _restored(REPORT, "over is over", would(REPORT, "over"))),
)
INVALID_FLAGS_ACCEPTED = Fault(
    "invalid_flags_accepted",
    "The operator starts with flags it should refuse.",
    scenarios(26),
    ahead(START, _saying("starts", lambda _: True, "")),
)
PAUSED_MOVED_COLD = Fault(
    "paused_moved_cold",
    "A paused server is asked to move cold, which Nova refuses each time.",
    scenarios(29),
    ahead(
        PARALLEL,
        _restored(PARALLEL, "cold", lambda seen: seen.status == "PAUSED" and would(PARALLEL, "not running")(seen)),
    ),
)
EVICTION_FAULTS: tuple[Fault, ...] = (
    FRESH_TRIGGERS_UNCOUNTED,
    UNREADABLE_UNCOUNTED,
    LOST_REPLY_UNCOUNTED,
    ASKED_TWICE,
    IN_FLIGHT_IN_MEMORY,
    TRAITS_IGNORED,
    TRAIT_RAISES_LIMIT,
    STALE_TRAITS_TRUSTED,
    FAILURE_FORGOTTEN,
    BAD_SERVER_FIRST,
    BAD_SERVERS_SWAP,
    DELETING_HOLDS_SLOT,
    NEVER_CONFIRMED,
    TROUBLE_BACKS_OFF,
    LISTED_ONCE,
    SEEN_AS_MOVED,
    CAME_BACK_SILENTLY,
    LIMIT_IGNORED,
    SERIAL_FOR_EVER,
    TWO_BY_DEFAULT,
    NOT_DISABLED_FIRST,
    GONE_STAYS,
    GONE_IS_FAILURE,
    ERROR_DROPPED,
    SUCCESS_TOO_EARLY,
    REFUSAL_UNTOLD,
    WRITTEN_PER_SERVER,
    DRAIN_GOES_ON,
    SERVICE_STAYS_DISABLED,
    FAILED_COUNTS_AS_EVICTED,
    INVALID_FLAGS_ACCEPTED,
    PAUSED_MOVED_COLD,
)
"""In the order of operator sheet §8, then the others."""
