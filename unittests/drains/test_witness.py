"""What was seen of a drain: migrations and routes of its VMs, strangers, the story, and the end of the waiting."""

from types import SimpleNamespace

import pytest

from utilities.drains.drain import Drain
from utilities.drains.evictions import Answer, Evictee
from utilities.drains.witness import Emptying, settle
from utilities.errors import NotEnoughEvidence, WaitTimeout
from utilities.history import Change

from ..history.build import Writer
from ..kubevirt.acting import MemoryRest, Remembering

VMS = tuple(SimpleNamespace(name=name, key=f"qa/{name}", uid=f"uid-vmi-{name}", namespace="qa") for name in "ab")


def seen(writer, **given):
    """Two VMs on node one, which is drained."""
    return Emptying(("one",), VMS, 2, 5, closed=writer.timeline(), **given)


@pytest.fixture
def writer():
    """VM a leaves node one, b stays, and a stranger moves somewhere else."""
    writer = Writer()
    for name, node in (("a", "one"), ("b", "one"), ("c", "three")):
        writer.vmi(name, node, 1, Change.LISTED)
    for name in "ac":
        writer.vmim(f"move-{name}", name, "Scheduling", 2, Change.ADDED)
    writer.vmi("a", "two", 3, migrationState={"migrationUid": "uid-move-a", "sourceNode": "one", "targetNode": "two"})
    for name in "ac":
        writer.vmim(f"move-{name}", name, "Succeeded", 4)
    return writer


def test_its_own_vms_are_told_apart_and_limits_are_the_clusters(writer):
    drain = seen(writer)
    assert [migration.key for migration in drain.migrations] == ["qa/move-a"]
    assert [[migration.phase for migration in drain.of(vm)] for vm in VMS] == [["Succeeded"], []]
    assert drain.routes == {"qa/a": ["one", "two"], "qa/b": ["one"]}
    assert (len(drain.in_flight), len(drain.in_flight.out_of("one"))) == (2, 1)
    assert drain.strangers == {}


def test_an_instance_made_anew_is_a_stranger(writer):
    writer.vmi("b", "two", 9, uid="uid-other")
    assert seen(writer).strangers == {"qa/b": ("uid-vmi-b", "uid-other")}


def test_the_story_tells_answers_and_troubles(writer):
    pod = Evictee("qa", "virt-launcher-b", "uid-1", "qa/b")
    drain = Drain(Remembering(MemoryRest()), "one", (pod,), [Answer(pod, "not yet"), Answer(pod, "not yet")])
    trouble = WaitTimeout("node one is not empty", next_step="look")
    story = seen(writer, drains=(drain,), troubles=[trouble]).story()
    assert story.count("Drain of one: qa/b: not yet") == 1
    assert "Trouble: node one is not empty" in story


def test_it_leaves_pictures_figures_and_when_it_failed_the_story(writer):
    left = []
    sink = SimpleNamespace(
        picture=lambda title, svg: left.append((title, svg.startswith("<svg"))),
        figure=lambda name, value: left.append((name, value)),
        text=lambda title, text: left.append((title, "uid" in text or "qa/a" in text)),
    )
    seen(writer).attach_to(sink, failed=True)
    assert [title for title, _ in left] == [
        "migrations of a, b",
        "in flight out of one",
        "time from the first migration out of one to the last",
        "story",
    ]
    assert all(value for _, value in left)


def test_nothing_is_answered_while_it_runs():
    with pytest.raises(NotEnoughEvidence):
        _ = Emptying(("one",), VMS, 2, 5).migrations


def test_refusals_and_waits_that_fail_are_noted(writer):
    drain = seen(writer)
    with drain.noting():
        raise WaitTimeout("not empty", next_step="look")
    assert [str(trouble) for trouble in drain.troubles] == ["not empty"]


def test_settling_waits_for_what_is_under_way_alone():
    waited = []
    phases = {"done": "Succeeded", "failed": "Failed", "new": None, "runs": "Running"}
    listed = [{"metadata": {"name": name}, "status": {"phase": phase}} for name, phase in phases.items()]
    actor = Remembering(MemoryRest(lists={"virtualmachineinstancemigrations": listed}))
    actor.waits = SimpleNamespace(wait_for=lambda watched, goal, **_: waited.append((watched.name, goal)))
    settle(actor, "qa")
    assert [name for name, _ in waited] == ["new", "runs"]
    final = waited[0][1]
    assert [final(None), final({"status": {"phase": "Failed"}}), final({"status": {}})] == [True, True, False]
