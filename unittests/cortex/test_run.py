"""A run tells who was boosted and in which order, short and in full."""

import xml.etree.ElementTree as ElementTree
from math import tanh

import pytest

from utilities.cortex import Flavor, Request, Run, StepResult
from utilities.cortex.kinds import STEERING
from utilities.cortex.picture import table
from utilities.cortex.run import steps_of
from utilities.errors import NotEnoughEvidence

WEIGHTS = {"x-a": 0.0, "x-b": 0.5}
REQUEST = Request(
    "vm",
    "p",
    WEIGHTS,
    "pipe",
    Flavor("m", 16384),
    about="confirmed in a slot of 16 GiB",
    notes={"x-a": "a slot of 24 GiB"},
)
STEPS = (StepResult("kvm_binpack", {"x-a": 0.2, "x-b": 0.4}, -1.0), StepResult(STEERING, {"x-a": 0.1, "x-b": 0.0}))


def run(**told):
    made = {"steps": STEPS, "order": ("x-a", "x-b"), "counted_at_all": {"slot_found": 1.0}, "prefix": "x-", **told}
    return Run("a run", REQUEST, "Decision", **made)


def test_boosted_hosts_and_the_order_are_told_short():
    assert run().boosted == {"a"}
    assert run().hosts == ("a", "b")
    assert run().candidates == ("b", "a")
    assert run().steering == {"a": 0.1, "b": 0.0}


def test_a_step_that_took_no_part_is_not_a_step_that_gave_nothing():
    assert run(steps=STEPS[:1]).boosted is None
    assert run(steps=STEPS[:1]).steering is None
    assert run(steps=(StepResult(STEERING, {"x-a": 0.0}),)).boosted == frozenset()


def test_score_is_added_up_as_the_pipeline_does():
    assert run().score("x-b") == pytest.approx(tanh(0.5) - tanh(0.4))


def test_counts_of_others_prove_nothing():
    assert run().counted == {"slot_found": 1.0}
    with pytest.raises(NotEnoughEvidence, match="for others meanwhile: kvm-general"):
        _ = run(foreign={"kvm-general": 1.0}).counted


def test_story_tells_every_host_and_what_went_wrong():
    story = run(trouble="the connection broke", order=("x-a",)).story()
    assert "No result: the connection broke" in story
    assert "The VM: 16 GiB, confirmed in a slot of 16 GiB" in story
    assert "a: weight 0; kvm_binpack 0.2, kvm_cr_migration_slot 0.1; score -0.0977; place 1; a slot of 24 GiB" in story
    assert "b: weight 0.5; kvm_binpack 0.4, kvm_cr_migration_slot 0; score 0.0822; not in the order" in story
    assert "Counted: slot_found +1" in story


def test_story_tells_what_cortex_left_out():
    assert "Left out" not in run().story()
    story = run(steps=STEPS[:1], left_out="pipeline contains 1 unknown steps: [x]").story()
    assert "Left out by Cortex: pipeline contains 1 unknown steps: [x]" in story.splitlines()


def test_results_of_decisions_keep_the_order_of_steps():
    result = [{"stepName": "f", "activations": {"h": 0}}, {"stepName": "w", "activations": {"h": 0.1}}]
    first, second = steps_of(result, {"w": 2.0})
    assert (first.name, first.multiplier) == ("f", 1.0)
    assert (second.name, second.multiplier, second.activations) == ("w", 2.0, {"h": 0.1})


@pytest.mark.parametrize("told", [{}, {"order": ("x-a",)}, {"steps": (), "order": (), "trouble": "x" * 300}])
def test_table_is_a_picture_with_a_row_for_each_host(told):
    picture = ElementTree.fromstring(table(run(**told)))  # noqa: S314 -- we have just written it
    texts = [node.text for node in picture.iter() if node.tag.endswith("text")]
    assert {"a", "b", "a slot of 24 GiB", "the VM: 16 GiB, confirmed in a slot of 16 GiB"} <= set(texts)
    assert ("binpack times -1" in texts) is bool(run(**told).steps)
    assert ("lost" in texts) is (len(run(**told).order) < 2)
