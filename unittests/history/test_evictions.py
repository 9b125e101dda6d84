"""An Eviction and its Hypervisor over time."""

import math
from dataclasses import replace

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history import EVICTION, HYPERVISOR, Change, Recording, headline
from utilities.history.evictions import EvictionPast, HypervisorPast

from .build import EPOCH, NAMESPACE, Writer, gap, stamp

KEY = f"{NAMESPACE}/hv-1"


def condition(kind, status, reason, message="", second=0):
    return {
        "type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": stamp(second),
    }  # fmt: skip


class Drain(Writer):
    """Writes an Eviction and a Hypervisor as the operator does."""

    def eviction(self, *outstanding, listed=True, told=None, ended=None, second=0, change=Change.MODIFIED, uid="one"):
        evicting = ("False", ended) if ended else ("True", "Running")
        conditions = [condition("Evicting", *evicting, second=second)]
        conditions += [condition("PreflightChecksSucceeded", "True", "Succeeded")] if listed else []
        conditions += [condition("MigratingInstance", "False", *told)] if told else []
        status = {"outstandingInstances": list(outstanding), "conditions": conditions}
        return self.write(change, EVICTION, "hv-1", second, status=status, uid=uid)

    def hypervisor(self, *conditions, maintenance="manual", evicted=False, change=Change.MODIFIED):
        status = {"conditions": list(conditions), "evicted": evicted}
        return self.write(change, HYPERVISOR, "hv-1", None, spec={"maintenance": maintenance}, status=status)

    def recording(self, *gaps):
        return Recording.of(self.records, watched=(EVICTION, HYPERVISOR), gaps=gaps)

    def past(self, *gaps):
        return EvictionPast(self.recording(*gaps), KEY)


def test_the_queue_is_known_from_the_first_list_on():
    drain = Drain()
    drain.eviction(listed=False, change=Change.ADDED)
    for queue in ("abc", "abc", "ac", ""):
        drain.eviction(*queue)
    assert drain.past().queues == (("a", "b", "c"), ("a", "c"), ())
    assert drain.past().changes == 5


def test_who_left_the_queue_when_and_with_whom():
    drain = Drain()
    for queue in ("abcd", "abc", "b", "bd", ""):
        drain.eviction(*queue)
    past = drain.past()
    assert past.queue_without("d") == ("a", "b", "c")
    assert past.queue_without("a") == ("b",)
    assert past.queue_without("e") is None
    assert past.taken_out_at_once("ac")
    assert not past.taken_out_at_once("ad")
    assert not past.taken_out_at_once("ae")
    assert past.came_back == {"d"}


def test_what_was_told_and_beside_whom():
    drain = Drain()
    drain.eviction("bad", "good")
    drain.eviction("bad", "good", told=("Failed", "Migration of instance bad failed: x"))
    drain.eviction("bad", told=("Succeeded", "Migration of instance good finished"))
    drain.eviction(told=("Succeeded", "Instance bad is gone"))
    past = drain.past()
    assert [told.reason for told in past.told] == ["Failed", "Succeeded", "Succeeded"]
    assert past.failures_of("bad") == ["Migration of instance bad failed: x"]
    assert past.failures_of("good") == []
    assert past.reasons_beside("bad") == {"Failed", "Succeeded"}
    assert past.reasons_beside("good") == {"Failed"}


def test_how_it_ended():
    drain = Drain()
    drain.eviction("a", change=Change.LISTED)
    assert (drain.past().outcome, drain.past().order_of_end, drain.past().ended_at) == ("", None, math.inf)
    end = drain.eviction("a", ended="Succeeded", second=40)
    drain.eviction(ended="Succeeded", second=40)
    past = drain.past()
    assert (past.outcome, past.order_of_end, past.left_at_its_end) == ("Succeeded", end.order, ("a",))
    assert EPOCH + 40 < past.ended_at < EPOCH + 41
    assert past.changes == 2
    assert past.uids == ("one",)
    drain.eviction(change=Change.DELETED)
    drain.eviction(change=Change.ADDED, uid="two")
    assert drain.past().uids == ("one", "two")


def test_what_a_gap_hides_is_not_answered():
    drain = Drain()
    drain.eviction("a")
    with pytest.raises(NotEnoughEvidence, match="gap"):
        _ = drain.past(gap(EVICTION)).queues
    with pytest.raises(NotEnoughEvidence, match="gap"):
        _ = drain.past(gap(EVICTION)).changes


def test_an_operator_whose_clock_is_ahead_is_dated_by_the_api_server():
    drain = Drain()
    record = drain.hypervisor(condition("HypervisorDisabled", "True", "Succeeded", second=12))
    writes = [{"manager": "kubectl", "time": stamp(5)}, {"manager": "HypervisorMaintenance", "time": stamp(10)}]
    metadata = {**record.object["metadata"], "managedFields": writes}
    seen = replace(record, object={**record.object, "metadata": metadata})
    past = HypervisorPast(Recording.of([seen], watched=(EVICTION, HYPERVISOR), gaps=()), KEY)
    assert past.disabled_at == EPOCH + 10


def test_the_hypervisor_beside_it():
    drain = Drain()
    drain.hypervisor(condition("Ready", "True", "Ready"), maintenance="", change=Change.LISTED)
    past = HypervisorPast(drain.recording(), KEY)
    assert (past.disabled_at, past.reports, past.evicted) == (math.inf, (), None)
    disabled = condition("HypervisorDisabled", "True", "Succeeded", second=12)
    drain.hypervisor(condition("Ready", "False", "Maintenance"), disabled)
    drain.hypervisor(condition("Ready", "False", "Evicting"), disabled)
    drain.hypervisor(condition("Ready", "False", "Evicting"), disabled, condition("Evicting", "True", "Running"))
    evicted = drain.hypervisor(condition("Ready", "False", "Evicted"), disabled, evicted=True)
    drain.hypervisor(condition("Ready", "False", "Evicted"), maintenance="", evicted=True)
    past = HypervisorPast(drain.recording(), KEY)
    assert past.disabled_at == EPOCH + 12
    assert past.reports == ("Evicting", "Evicted")
    assert past.evicted == evicted.order
    assert [told and told.reason for told in past.said("Evicting")] == [None, "Running", None]
    with pytest.raises(NotEnoughEvidence, match="gap"):
        _ = HypervisorPast(drain.recording(gap(HYPERVISOR)), KEY).evicted


def test_both_in_a_line():
    drain = Drain()
    failing = drain.eviction("a", "b", told=("Failed", "x")).object
    assert headline(EVICTION, failing) == "Running, 2 outstanding, MigratingInstance Failed: x"
    assert headline(EVICTION, {}) == "new, 0 outstanding"
    disabled = condition("HypervisorDisabled", "True", "Succeeded")
    evicted = drain.hypervisor(
        condition("Ready", "False", "Evicted"), disabled, condition("Evicting", "False", "Succeeded"), evicted=True
    ).object
    assert headline(HYPERVISOR, evicted) == "Evicted, maintenance manual, disabled, Evicting Succeeded, evicted"
    assert headline(HYPERVISOR, {}) == "not reported"
