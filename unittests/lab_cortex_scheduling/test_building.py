"""From Pipeline objects to pipelines, and what their conditions tell (Cortex sheet §1.4, §8)."""

import pytest

from lab.cortex.scheduling.building import build
from lab.cortex.scheduling.defaults import default_pipelines
from lab.cortex.scheduling.revisions import with_revision

STEERING = "kvm_cr_migration_slot"


def built(filters=(), weighers=(), **spec):
    return build({"metadata": {"name": "own"}, "spec": {"filters": filters, "weighers": weighers, **spec}})


def told(found):
    return {condition.type: (condition.status, condition.reason) for condition in found.conditions}


def param(key="slotHostWeight", **value):
    return {"key": key, **value}


def test_a_sound_pipeline():
    found = built([{"name": "filter_correct_az"}], [{"name": STEERING, "multiplier": -2}], ignorePreselection=True)
    assert found.pipeline is not None
    assert found.pipeline.ignore_preselection
    assert [each.multiplier for each in found.pipeline.weighers] == [-2]
    assert told(found) == {
        "Ready": (True, "PipelineReady"),
        "AllStepsReady": (True, "AllStepsReady"),
        "AllStepsIndexed": (True, "AllStepsIndexed"),
    }


def test_unknown_steps_are_left_out_and_told():
    found = built([{"name": "filter_x"}], [{"name": STEERING}, {"name": "vmware_binpack"}])
    assert found.pipeline is not None
    assert [each.step.name for each in found.pipeline.weighers] == [STEERING]
    assert told(found)["AllStepsIndexed"] == (False, "PipelineContainsUnknownSteps")
    assert told(found)["Ready"] == (True, "PipelineReady")
    assert found.conditions[1].message == "pipeline contains 2 unknown steps: [filter_x vmware_binpack]"


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ([param("other", floatValue=1)], 'unknown field "other"'),
        ([param(stringValue="1")], "cannot unmarshal"),
        ([param(boolValue=False)], "cannot unmarshal"),
        ([param(floatValue=1), param(floatValue=2)], "duplicate parameter key: slotHostWeight"),
        ([param()], "must have exactly one value set"),
        ([param(floatValue=1, intValue=1)], "must have exactly one value set"),
    ],
)
def test_a_weigher_with_wrong_parameters_is_left_out(params, text):
    found = built([], [{"name": STEERING, "params": params}])
    assert found.pipeline is not None
    assert not found.pipeline.weighers
    assert told(found)["AllStepsReady"] == (False, "SomeStepsNotReady")
    assert text in found.failed_weighers[STEERING]
    assert found.conditions[0].message.startswith(f"1 weighers failed to initialize: map[{STEERING}:failed to")


@pytest.mark.parametrize("value", [{"floatValue": 0.5}, {"intValue": 1}, {"floatValue": -1.0}])
def test_weights_are_numbers_of_any_kind(value):
    found = built([], [{"name": STEERING, "params": [param(**value)]}])
    assert found.pipeline is not None
    assert dict(found.pipeline.weighers[0].params) == {"slotHostWeight": next(iter(value.values()))}


def test_a_filter_with_wrong_parameters_takes_the_pipeline_away():
    found = built([{"name": "filter_external_customer"}], [{"name": "nothing"}])
    assert found.pipeline is None
    assert told(found) == {"Ready": (False, "PipelineInitFailed"), "AllStepsReady": (False, "PipelineInitFailed")}
    assert "don't configure this step without domainNamePrefixes" in found.conditions[1].message


def test_a_step_named_twice_runs_twice_as_configured_last():
    entry = {"name": STEERING, "params": [param(floatValue=0.1)]}
    found = built([], [entry, {"name": STEERING, "params": [param(floatValue=0.7)]}])
    assert found.pipeline is not None
    assert [each.params["slotHostWeight"] for each in found.pipeline.weighers] == [0.7, 0.7]


@pytest.mark.parametrize("revision", ["R0", "R2", "R3"])
def test_the_pipelines_of_the_chart_suit_their_program(revision):
    for pipeline in default_pipelines(revision):
        found = build(pipeline, with_revision(revision))
        assert not found.unknown
        assert found.pipeline is not None
        assert all(condition.status for condition in found.conditions)
        names = [each.step.name for each in found.pipeline.weighers]
        assert (STEERING in names) == (revision != "R0")


def test_an_older_program_does_not_know_the_steering_weigher():
    found = build(default_pipelines()[0], with_revision("R0"))
    assert found.unknown == (STEERING,)


def test_the_pipelines_of_the_chart():
    pipelines = {each["metadata"]["name"]: each["spec"] for each in default_pipelines()}
    assert list(pipelines) == [
        "kvm-general-purpose-load-balancing",
        "kvm-hana-bin-packing",
        "kvm-general-purpose-load-balancing-no-history",
        "kvm-hana-bin-packing-no-history",
    ]
    multipliers = {
        name: {each["name"]: each.get("multiplier", 1.0) for each in spec["weighers"]}
        for name, spec in pipelines.items()
    }
    assert multipliers["kvm-general-purpose-load-balancing"]["kvm_binpack"] == -1.0
    assert multipliers["kvm-hana-bin-packing"]["kvm_binpack"] == 1.0
    assert all(spec["ignorePreselection"] for spec in pipelines.values())
    assert all(len(spec["filters"]) == 16 for spec in pipelines.values())
