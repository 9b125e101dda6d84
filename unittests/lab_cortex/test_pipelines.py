"""What becomes of Pipeline objects, and what their conditions say (cortex sheet §1.4)."""

import pytest

from lab.apiserver.builtin.conditions import condition
from lab.cortex.conf import Conf
from lab.cortex.kinds import PIPELINE
from lab.cortex.scheduling.defaults import default_pipelines
from unittests.lab_cortex.bed import Bed

KINDS = ("Ready", "AllStepsReady", "AllStepsIndexed")


@pytest.fixture
def bed():
    return Bed()


def told(bed, name):
    status = bed.api.get(PIPELINE, "", name).get("status") or {}
    found = {kind: condition(status, kind) for kind in KINDS}
    return {kind: (each["status"], each["reason"]) for kind, each in found.items() if each is not None}


def test_the_default_pipelines_are_ready(bed):
    names = [each["metadata"]["name"] for each in default_pipelines()]
    assert sorted(names) == [
        "kvm-general-purpose-load-balancing", "kvm-general-purpose-load-balancing-no-history",
        "kvm-hana-bin-packing", "kvm-hana-bin-packing-no-history",
    ]  # fmt: skip
    for name in names:
        assert told(bed, name) == {
            "Ready": ("True", "PipelineReady"),
            "AllStepsReady": ("True", "AllStepsReady"),
            "AllStepsIndexed": ("True", "AllStepsIndexed"),
        }


def test_a_step_that_the_program_does_not_have(bed):
    bed.pipeline("odd", [{"name": "kvm_of_tomorrow"}, {"name": "kvm_cr_migration_slot"}])
    bed.clock.advance(1)
    assert told(bed, "odd") == {
        "Ready": ("True", "PipelineReady"),
        "AllStepsReady": ("True", "AllStepsReady"),
        "AllStepsIndexed": ("False", "PipelineContainsUnknownSteps"),
    }
    assert bed.hosts("a", pipeline="odd") == ["a"]


def test_a_program_without_the_weigher_says_so():
    assert told(Bed(Conf(revision="R0")), "steering")["AllStepsIndexed"] == ("False", "PipelineContainsUnknownSteps")


@pytest.mark.parametrize(
    "params",
    [
        [{"key": "unknown", "floatValue": 1.0}],
        [{"key": "slotHostWeight", "stringValue": "x"}],
        [{"key": "slotHostWeight"}],
        [{"key": "slotHostWeight", "floatValue": 1.0, "intValue": 1}],
        [{"key": "slotHostWeight", "floatValue": 1.0}, {"key": "slotHostWeight", "floatValue": 1.0}],
    ],
)
def test_a_weigher_that_cannot_be_initialised_is_left_out(bed, params):
    bed.pipeline("odd", [{"name": "kvm_cr_migration_slot", "params": params}])
    bed.clock.advance(1)
    assert told(bed, "odd")["AllStepsReady"] == ("False", "SomeStepsNotReady")
    assert told(bed, "odd")["Ready"] == ("True", "PipelineReady")
    assert "stepResults" not in bed.decide("d", "a", pipeline="odd")["result"]


def test_a_filter_that_cannot_be_initialised_ends_the_pipeline(bed):
    odd = {"name": "filter_has_enough_capacity", "params": [{"key": "unknown", "boolValue": True}]}
    bed.pipeline("odd", [], [odd])
    bed.clock.advance(1)
    assert told(bed, "odd") == {
        "Ready": ("False", "PipelineInitFailed"),
        "AllStepsReady": ("False", "PipelineInitFailed"),
    }
    status, said = bed.ask("a", pipeline="odd")
    assert (status, said) == (
        500, b'failed to process scheduling decision: pipeline not found or not ready: "odd"\n',
    )  # fmt: skip


def test_a_pipeline_that_is_repaired_broken_and_deleted(bed):
    bed.pipeline("p", [{"name": "kvm_cr_migration_slot"}])
    bed.clock.advance(1)
    assert bed.hosts("a", pipeline="p") == ["a"]
    broken = [{"name": "filter_has_enough_capacity", "params": [{"key": "unknown", "boolValue": True}]}]
    bed.api.patch(PIPELINE, "", "p", {"spec": {"filters": broken}})
    bed.clock.advance(1)
    assert bed.ask("a", pipeline="p")[0] == 500
    bed.api.patch(PIPELINE, "", "p", {"spec": {"filters": []}})
    bed.clock.advance(1)
    assert told(bed, "p")["Ready"] == ("True", "PipelineReady")
    assert bed.hosts("a", pipeline="p") == ["a"]
    bed.api.delete(PIPELINE, "", "p")
    bed.clock.advance(1)
    assert bed.ask("a", pipeline="p")[0] == 500


@pytest.mark.parametrize("spec", [{"schedulingDomain": "cinder"}, {"type": "detector"}])
def test_pipelines_of_others_are_left_alone(bed, spec):
    spec = {"schedulingDomain": "nova", "type": "filter-weigher", **spec}
    bed.api.create(PIPELINE, {"metadata": {"name": "other"}, "spec": spec})
    bed.clock.advance(1)
    assert told(bed, "other") == {}
    assert bed.ask("a", pipeline="other")[0] == 500


def test_a_pipeline_is_not_ready_before_it_was_seen(bed):
    bed.pipeline("p", [{"name": "kvm_cr_migration_slot"}])
    assert bed.ask("a", pipeline="p")[0] == 500


def test_conditions_are_written_only_when_they_change(bed):
    patched = bed.api.patch(PIPELINE, "", "steering", {"metadata": {"labels": {"x": "y"}}})
    bed.clock.advance(60)
    found = bed.api.get(PIPELINE, "", "steering")
    assert found["metadata"]["resourceVersion"] == patched["metadata"]["resourceVersion"]
