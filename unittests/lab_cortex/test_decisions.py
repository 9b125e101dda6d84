"""The Decision door, and how it differs from HTTP (cortex sheet §1.5)."""

import orjson
import pytest

from lab.cortex.kinds import DECISION, RESERVATION
from unittests.lab_cortex.bed import STEERING, Bed
from unittests.lab_cortex_scheduling.bodies import VM, body


@pytest.fixture
def bed():
    found = Bed()
    found.host("a", memory=16, used=16)
    found.host("b", memory=16, used=16)
    found.slot("src-0", "src", confirmed=[VM], expected=[VM])
    found.slot("slot-b", "b")
    return found


def test_what_came_out(bed):
    status = bed.decide("d", "a", "b", weights={"a": 0.05, "b": 0.0})
    assert status["conditions"][0] | {"lastTransitionTime": ""} == {
        "type": "Ready", "status": "True", "reason": "PipelineRunSucceeded", "message": "pipeline run succeeded",
        "lastTransitionTime": "",
    }  # fmt: skip
    result = status["result"]
    assert result["rawInWeights"] == {"a": 0.05, "b": 0.0}
    assert result["stepResults"] == [
        {"stepName": "kvm_cr_migration_slot", "activations": {"a": 0.0, "b": 0.1}},
    ]
    assert (result["orderedHosts"], result["targetHost"]) == (["b", "a"], "b")
    assert round(result["normalizedInWeights"]["a"], 5) == 0.04996
    assert round(result["aggregatedOutWeights"]["b"], 5) == 0.09967


def test_filters_come_first_and_nothing_of_a_step_that_failed(bed):
    filters = [{"name": "filter_has_enough_capacity"}, {"name": "filter_host_instructions"}]
    bed.pipeline("both", [{"name": "kvm_cr_migration_slot"}], filters)
    bed.clock.advance(1)
    spec = {"flavor": {"nova_object.data": {"memory_mb": 0, "vcpus": 0, "extra_specs": {}}}, "ignore_hosts": ["a"]}
    steps = bed.decide("d", "a", "b", pipeline="both", **spec)["result"]["stepResults"]
    assert [step["stepName"] for step in steps] == ["filter_host_instructions", "kvm_cr_migration_slot"]
    assert [sorted(step["activations"]) for step in steps] == [["b"], ["b"]]


def test_nobody_left(bed):
    bed.pipeline("strict", [{"name": "kvm_cr_migration_slot"}], [{"name": "filter_host_instructions"}])
    bed.clock.advance(1)
    result = bed.decide("d", "a", pipeline="strict", ignore_hosts=["a"])["result"]
    assert "targetHost" not in result
    assert "orderedHosts" not in result
    assert [step["stepName"] for step in result["stepResults"]] == ["filter_host_instructions"]


def test_nothing_is_validated_or_limited(bed):
    """Over HTTP these weights are refused, and hosts that were not sent are dropped."""
    result = bed.decide("d", "a", "b", weights={"b": 0.0})["result"]
    assert sorted(result["orderedHosts"]) == ["a", "b"]
    bed.pipeline("everyone", [{"name": "kvm_cr_migration_slot"}], ignore=True)
    bed.clock.advance(1)
    assert sorted(bed.decide("e", pipeline="everyone")["result"]["orderedHosts"]) == ["a", "b"]


def test_the_pipeline_in_the_body_is_not_looked_at(bed):
    assert bed.decide("d", "a", options={"skip_history": True})["result"]["targetHost"] == "a"
    raw = body("a", pipeline="none")
    spec = {
        "schedulingDomain": "nova", "pipelineRef": {"name": STEERING}, "resourceID": VM, "novaRaw": raw,
    }  # fmt: skip
    bed.api.create(DECISION, {"metadata": {"name": "e"}, "spec": spec})
    bed.clock.advance(1)
    assert bed.api.get(DECISION, "", "e")["status"]["result"]["targetHost"] == "a"


def test_no_allocation_and_no_counter_of_placements(bed):
    bed.commitment()
    before = bed.api.get(RESERVATION, "", "slot-b")["metadata"]["resourceVersion"]
    assert bed.decide("d", "a", "b")["result"]["targetHost"] == "b"
    assert bed.api.get(RESERVATION, "", "slot-b")["metadata"]["resourceVersion"] == before
    assert bed.metrics.placements.values == {}
    assert bed.count("migration_slots", "slot_found") == 1
    bed.ask("a", "b")
    assert bed.api.get(RESERVATION, "", "slot-b")["metadata"]["resourceVersion"] != before
    assert bed.metrics.placements.values == {("G", "live_migration", "slot_used"): 1.0}


def test_no_counter_when_nobody_is_left(bed):
    bed.decide("d", weights={})
    assert bed.metrics.no_host.values == {}
    bed.ask(weights={})
    assert bed.metrics.no_host.values == {("no_cr", "G", "live_migration"): 1.0}


def test_a_history_is_written_unless_skipped(bed):
    bed.decide("d", "a", options={"skip_history": True})
    assert bed.history() is None
    bed.decide("e", "a")
    assert bed.history()["status"]["current"]["pipelineRef"] == {"name": STEERING}


def test_an_error_leaves_the_object_as_it_is_and_is_tried_again(bed):
    assert bed.decide("d", "a", pipeline="later") == {}
    bed.pipeline("later", [{"name": "kvm_cr_migration_slot"}])
    bed.clock.advance(10)
    assert bed.api.get(DECISION, "", "d")["status"]["result"]["targetHost"] == "a"


def test_a_decision_without_a_request(bed):
    spec = {"schedulingDomain": "nova", "pipelineRef": {"name": STEERING}, "resourceID": VM}
    bed.api.create(DECISION, {"metadata": {"name": "d"}, "spec": spec})
    bed.clock.advance(5)
    assert "status" not in bed.api.get(DECISION, "", "d")


def test_what_is_decided_or_of_another_domain_is_left_alone(bed):
    spec = {"schedulingDomain": "cinder", "pipelineRef": {"name": STEERING}, "resourceID": VM, "novaRaw": body("a")}
    bed.api.create(DECISION, {"metadata": {"name": "other"}, "spec": spec})
    bed.decide("d", "a")
    before = bed.api.get(DECISION, "", "d")
    bed.api.patch(DECISION, "", "d", {"metadata": {"labels": {"x": "y"}}})
    bed.clock.advance(5)
    assert bed.api.get(DECISION, "", "d")["status"] == before["status"]
    assert "status" not in bed.api.get(DECISION, "", "other")
    assert bed.count("requests", STEERING) == 1


def test_the_result_is_whole_after_json(bed):
    result = bed.decide("d", "a", "b")["result"]
    assert orjson.loads(orjson.dumps(result)) == result
