"""Histories and their Events (cortex sheet §1.5)."""

import pytest

from lab.apiserver.builtin.kinds import EVENT
from unittests.lab_cortex.bed import STEERING, Bed
from unittests.lab_cortex_scheduling.bodies import VM


@pytest.fixture
def bed():
    found = Bed()
    for name in "abcd":
        found.host(name, memory=16, used=8)
    found.slot("src-0", "src", confirmed=[VM], expected=[VM])
    found.slot("slot-b", "b")
    return found


def ready(history):
    [found] = history["status"]["conditions"]
    return found["status"], found["reason"], found["message"]


def events(bed):
    return [(event["type"], event["reason"], event["message"]) for event in recorded(bed)]


def recorded(bed):
    found = [event for event in bed.api.list(EVENT, "default") if event["involvedObject"]["kind"] == "History"]
    return sorted(found, key=lambda event: event["eventTime"])


def test_a_run_that_found_a_host(bed):
    bed.ask("a", "b", "c", "d", weights={"a": 0.03, "b": 0.0, "c": 0.02, "d": 0.01}, availability_zone="az-1")
    history = bed.history()
    assert history["spec"] == {"schedulingDomain": "nova", "resourceID": VM, "availabilityZone": "az-1"}
    current = history["status"]["current"]
    assert (current["intent"], current["successful"], current["targetHost"]) == ("live_migration", True, "b")
    assert (current["pipelineRef"], current["orderedHosts"]) == ({"name": STEERING}, ["b", "a", "c"])
    assert ready(history) == ("True", "SchedulingSucceeded", "scheduling decision selected a target host")
    assert events(bed) == [("Normal", "SchedulingSucceeded", current["explanation"])]


def test_the_explanation_names_the_weigher_of_a_pipeline_without_filters(bed):
    bed.ask("a", "b")
    text = bed.history()["status"]["current"]["explanation"]
    assert text.startswith("Started with 2 host(s).\n")
    assert "  b is #1 because of kvm_cr_migration_slot (contributed +0.10 to gap of 0.10)." in text


def test_the_trap_no_default_pipeline_names_it(bed):
    for name in "ef":
        bed.host(name, memory=64)
    bed.ask("e", "f", pipeline=None)
    text = bed.history()["status"]["current"]["explanation"]
    assert "filter_has_enough_capacity filtered out a, b, c, d\n" in text
    assert "kvm_cr_migration_slot" not in text
    assert "(gap: " in text or "initial weight bias" in text


def test_a_run_without_a_host(bed):
    bed.ask(weights={})
    current = bed.history()["status"]["current"]
    assert (current["successful"], current.get("orderedHosts"), current.get("targetHost")) == (False, None, None)
    assert ready(bed.history()) == ("False", "NoHostFound", "pipeline completed but no suitable host was found")
    assert "explanation" not in current
    assert events(bed) == [("Warning", "SchedulingFailed", "")]


def test_a_run_that_was_refused_is_told_unless_history_is_skipped(bed):
    bed.ask("a", options={"read_only": True, "skip_history": True})
    assert bed.history() is None
    bed.ask("a", options={"read_only": True})
    error = "read-only runs must not write scheduling history: set SkipHistory=true"
    assert ready(bed.history()) == ("False", "PipelineRunFailed", f"pipeline run failed: {error}")
    current = bed.history()["status"]["current"]
    assert (current["explanation"], current["successful"]) == (f"Pipeline run failed: {error}.", False)
    assert events(bed) == [("Warning", "SchedulingFailed", f"Pipeline run failed: {error}.")]


def test_a_run_that_never_began_is_not_told(bed):
    bed.ask("a", pipeline="none")
    assert bed.history() is None


def test_intents_as_they_are_recorded(bed):
    for hint, intent in (("evacuate", "evacuate"), ("live_migration", "create"), (None, "Unknown")):
        bed.ask("a", hint=hint)
        assert bed.history()["status"]["current"]["intent"] == intent


def test_ten_earlier_runs_are_kept(bed):
    for number in range(13):
        bed.ask("a", "b", hint="resize", weights={"a": number, "b": 0})
        bed.clock.advance(1)
    status = bed.history()["status"]
    assert len(status["history"]) == 10
    assert status["history"] == sorted(status["history"], key=lambda entry: entry["timestamp"])
    assert set(status["history"][0]) == {"timestamp", "pipelineRef", "intent", "successful", "orderedHosts"}
    assert status["history"][-1]["timestamp"] < status["current"]["timestamp"]


def test_hosts_are_told_only_where_there_are_some(bed):
    for hosts in ((), ("a",)):
        bed.ask(*hosts, weights=dict.fromkeys(hosts, 0.0))
    [earlier] = bed.history()["status"]["history"]
    assert "orderedHosts" not in earlier
    assert bed.history()["status"]["current"]["orderedHosts"] == ["a"]


def test_each_run_has_an_event_of_its_own(bed):
    """As `events.k8s.io` has them; what the older shape has beside is empty."""
    for hosts in (("a",), ("a",), ()):
        bed.ask(*hosts, weights=dict.fromkeys(hosts, 0.0))
        bed.clock.advance(1)
    one, other, last = recorded(bed)
    assert {key: value for key, value in one.items() if key not in ("metadata", "involvedObject", "eventTime")} == {
        "apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "SchedulingSucceeded", "action": "Scheduled",
        "message": other["message"], "reportingComponent": "cortex-nova-scheduler",
        "reportingInstance": "cortex-nova-scheduler-lab", "source": {}, "firstTimestamp": None, "lastTimestamp": None,
    }  # fmt: skip
    assert (last["type"], last["action"]) == ("Warning", "FailedScheduling")
    assert one["involvedObject"]["resourceVersion"] != other["involvedObject"]["resourceVersion"]
    assert one["metadata"]["name"].startswith(f"nova-{VM}.")


def test_a_long_explanation_has_no_event(bed):
    """A note of more than 1024 bytes is refused by the API server."""
    hosts = [f"host-with-a-long-name-{number:03}-{'x' * 100}" for number in range(30)]
    bed.pipeline("strict", [], [{"name": "filter_host_instructions"}])
    bed.clock.advance(1)
    bed.ask(*hosts, pipeline="strict", ignore_hosts=hosts[1:])
    assert len(bed.history()["status"]["current"]["explanation"].encode()) > 1024
    assert events(bed) == []
