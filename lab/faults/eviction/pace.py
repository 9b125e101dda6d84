"""Faults of what counts as in flight, and of the limit: ways 1 to 6 of operator sheet §8, and others."""

from __future__ import annotations

from dataclasses import replace

from lab.controllers.answers import answering
from lab.controllers.decisions import Row
from lab.faults.eviction.making import FRESH, age, busy, restored, scenarios
from lab.faults.fault import Fault, ahead, saying, would
from lab.faults.nova import REPLIES_LOST, UNREADABLE
from lab.hypervisor_operator.eviction.answers import POSTED
from lab.hypervisor_operator.eviction.instances import PARALLEL
from lab.hypervisor_operator.eviction.limits import LIMIT, ROOM, HostLimits, lowest
from lab.hypervisor_operator.eviction.rulings import Ask, Ruling, row
from lab.hypervisor_operator.flags import START

OVERRUN = scenarios(1, 2, 4, 5, 6, 7, 10, 11, 20, 22, 27)
"""What counts migrations in flight, and what needs servers that wait for their turn."""


def _highest(host: HostLimits) -> int:
    return max([host.default, *(host.by_trait[trait] for trait in host.traits if trait in host.by_trait)])


FRESH_TRIGGERS_UNCOUNTED = Fault(
    "fresh_triggers_uncounted",
    "A migration that was asked for a moment ago is not counted as in flight.",
    OVERRUN,
    ahead(
        PARALLEL, row("fault: too fresh to count", lambda seen: busy(seen) and age(seen) < FRESH, lambda _: Ruling())
    ),
)
UNREADABLE_UNCOUNTED = Fault(
    "unreadable_uncounted",
    "Nova does not answer for a server in flight, which then counts for nothing.",
    OVERRUN | scenarios(21),
    {**UNREADABLE, **ahead(PARALLEL, restored(PARALLEL, "not read, not counted", would(PARALLEL, "unreadable")))},
)
LOST_REPLY_UNCOUNTED = Fault(
    "lost_reply_uncounted",
    "Nova accepts a request whose reply is lost, and the next server is started as well.",
    OVERRUN | scenarios(21),
    {**REPLIES_LOST, **ahead(POSTED, restored(POSTED, "not answered, not counted", would(POSTED, "refused")))},
)
ASKED_TWICE = Fault(
    "asked_twice",
    "A server is asked to move again before Nova is seen to have begun.",
    scenarios(8, 21),
    ahead(
        PARALLEL,
        row(
            "fault: once more",
            lambda seen: busy(seen) and seen.attempt.count == 1 and age(seen) < FRESH,
            lambda _: Ruling(slot=True, request=Ask.LIVE, at_once=True),
        ),
    ),
)
IN_FLIGHT_IN_MEMORY = Fault(
    "in_flight_in_memory",
    "Only migrations that this process asked for are in flight for it.",
    scenarios(21),
    ahead(PARALLEL, row("fault: not mine", lambda seen: busy(seen) and not seen.attempt.count, lambda _: Ruling())),
)
TRAITS_IGNORED = Fault(
    "traits_ignored",
    "The traits of the host do not lower its limit.",
    scenarios(5, 6, 7),
    ahead(LIMIT, Row("fault: the default for all", lambda _: True, answering(lambda host: host.default))),
)
TRAIT_RAISES_LIMIT = Fault(
    "trait_raises_limit",
    "The highest limit wins instead of the lowest.",
    scenarios(5, 6, 7),
    ahead(LIMIT, Row("fault: highest wins", lambda _: True, answering(_highest))),
)
STALE_TRAITS_TRUSTED = Fault(
    "stale_traits_trusted",
    "The limit is computed from traits that are known to be stale.",
    scenarios(7),
    ahead(LIMIT, Row("fault: stale as current", lambda host: not host.current, answering(lowest))),
)
LIMIT_IGNORED = Fault(
    "drain_limit_ignored",
    "Migrations are started whatever the limit says.",
    OVERRUN | scenarios(21) | {"CRMS-38"},
    ahead(ROOM, saying("always room", lambda _: True, True)),
)
SERIAL_FOR_EVER = Fault(
    "serial_for_ever",
    "The limit is one whatever the flags say.",
    scenarios(1, 2, 3, 5, 10, 11, 20, 22, 27),
    ahead(LIMIT, saying("one", lambda _: True, 1)),
)
ONE_START_A_PASS = Fault(
    "one_start_a_pass",
    "A pass starts one migration, however many slots are free.",
    scenarios(3),
    ahead(ROOM, saying("one is enough", lambda room: room.started > 0, False)),
)
TWO_BY_DEFAULT = Fault(
    "two_by_default",
    "Without a flag two servers are moved at once.",
    scenarios(4, 27),
    ahead(
        LIMIT,
        Row("fault: two", lambda host: host.default == 1, answering(lambda host: lowest(replace(host, default=2)))),
    ),
)
INVALID_FLAGS_ACCEPTED = Fault(
    "invalid_flags_accepted",
    "The operator starts with flags it should refuse.",
    scenarios(26),
    ahead(START, saying("starts", lambda _: True, "")),
)
PACE: tuple[Fault, ...] = (
    FRESH_TRIGGERS_UNCOUNTED,
    UNREADABLE_UNCOUNTED,
    LOST_REPLY_UNCOUNTED,
    ASKED_TWICE,
    IN_FLIGHT_IN_MEMORY,
    TRAITS_IGNORED,
    TRAIT_RAISES_LIMIT,
    STALE_TRAITS_TRUSTED,
    LIMIT_IGNORED,
    SERIAL_FOR_EVER,
    ONE_START_A_PASS,
    TWO_BY_DEFAULT,
    INVALID_FLAGS_ACCEPTED,
)
