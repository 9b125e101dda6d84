"""Faults of a drain as a whole: its begin, its end, what is told of it; way 13 of operator sheet §8, and others."""

from __future__ import annotations

from lab.faults.eviction.making import restored, scenarios
from lab.faults.fault import Fault, ahead, saying, would
from lab.hypervisor_operator.eviction.answers import WRITES
from lab.hypervisor_operator.eviction.case import STAGES, Case, Stage
from lab.hypervisor_operator.maintenance import DRAIN, REPORT, SERVICE, Drain, Machine, Report
from lab.hypervisor_operator.words import EVICTING, FAILED, MIGRATING, SUCCEEDED, entry, reason, value


def _in_mid_drain(at: Machine) -> bool:
    return value(at.obj, EVICTING) == "True"


def _inhabited(at: Machine) -> bool:
    return bool((at.obj.get("status") or {}).get("numInstances")) and not at.evicted


def _one_is_left(case: Case) -> bool:
    """The last server, of which nothing bad was told."""
    last = would(STAGES, "servers left")(case) and len(case.outstanding) == 1
    return last and reason(case.eviction, MIGRATING) != FAILED


LISTED_ONCE = Fault(
    "listed_once",
    "Servers that arrive after the list was taken are never looked for.",
    scenarios(30),
    ahead(STAGES, saying("done", would(STAGES, "empty"), Stage.FINISH)),
)
SUCCESS_TOO_EARLY = Fault(
    "success_too_early",
    "The eviction succeeds while the last server is still there.",
    scenarios(14, 28, 30),
    ahead(
        STAGES,
        saying("good enough", _one_is_left, Stage.FINISH),
    ),
)
EVICTED_TOO_EARLY = Fault(
    "evicted_too_early",
    "A hypervisor is reported as evicted while its drain goes on.",
    scenarios(25, 31),
    ahead(
        REPORT,
        saying(
            "as good as done",
            would(REPORT, "going on"),
            Report(entry(EVICTING, False, SUCCEEDED, "Evicted"), evicted=True),
        ),
    ),
)
FAILED_COUNTS_AS_EVICTED = Fault(
    "failed_counts_as_evicted",
    "A hypervisor whose eviction failed is reported as evicted.",
    scenarios(31),
    ahead(REPORT, restored(REPORT, "over is over", would(REPORT, "over"))),
)
NOT_DISABLED_FIRST = Fault(
    "not_disabled_first",
    "Servers are moved away while the scheduler may still place others on the host.",
    scenarios(9),
    {
        **ahead(SERVICE, saying("left enabled", would(SERVICE, "to be disabled"), None)),
        **ahead(STAGES, saying("not waited for", would(STAGES, "found enabled", "still enabled"), Stage.LIST)),
    },
)
WRITTEN_PER_SERVER = Fault(
    "written_per_server",
    "The status is written after each server instead of once a pass.",
    scenarios(20, 23),
    ahead(WRITES, saying("at once", lambda ruling: ruling.leaves or bool(ruling.fails), True)),
)
DRAIN_GOES_ON = Fault(
    "drain_goes_on",
    "Servers are moved away after maintenance was unset in mid-drain.",
    scenarios(22),
    ahead(DRAIN, saying("left to go on", lambda at: not at.maintenance and _in_mid_drain(at), Drain.LEAVE)),
)
SERVICE_STAYS_DISABLED = Fault(
    "service_stays_disabled",
    "The compute service is not enabled again after maintenance while servers are on the host.",
    scenarios(22),
    ahead(
        SERVICE,
        saying("left disabled", lambda at: would(SERVICE, "to be enabled")(at) and _inhabited(at), None),
    ),
)
OUTCOME: tuple[Fault, ...] = (
    LISTED_ONCE,
    SUCCESS_TOO_EARLY,
    EVICTED_TOO_EARLY,
    FAILED_COUNTS_AS_EVICTED,
    NOT_DISABLED_FIRST,
    WRITTEN_PER_SERVER,
    DRAIN_GOES_ON,
    SERVICE_STAYS_DISABLED,
)
