"""A machine that was left alone shows nothing; each kind of disturbance is found, and no other with it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from utilities.errors import GoalLost, NotEnoughEvidence, WaitTimeout
from utilities.history import Beat, Change, GuestSnapshot
from utilities.vgpu.guest_devices import GuestDevices
from utilities.vgpu.witness import GuestView, Seen

from ..history.build import Writer, gap

VM = SimpleNamespace(name="a", key="qa/a", uid="uid-vmi-a")
BEFORE = GuestView(GuestSnapshot(4711, 98765, "boot-1"), GuestDevices(1, ("GPU 0: GRID T4-2Q",)), "mdev-1")
BEATS = tuple(Beat(number, 1000 + number / 2) for number in range(1, 20))
RUNS = {"conditions": [{"type": "Ready", "status": "True"}]}
PAUSED = {"conditions": [{"type": "Paused", "status": "True", "reason": "PausedByUser", "message": ""}]}


def seen(*more, after=BEFORE, beats=BEATS, **given):
    """A machine on node one; `more` writes further records."""
    writer = Writer()
    writer.vmi("a", "one", 1, Change.LISTED, **RUNS)
    for write in more:
        write(writer)
    return Seen(VM, "one", BEFORE, after, beats, closed=writer.timeline(), **given)


def test_a_machine_that_was_left_alone():
    found = seen(lambda writer: writer.vmi("a", "one", 9, **RUNS))
    assert found.stayed_untouched
    assert found.disturbances == []
    assert "Different from before: nothing" in found.story()


def test_another_machine_may_do_what_it_likes():
    found = seen(lambda writer: writer.vmi("b", "two", 9, phase="Failed", **PAUSED))
    assert found.stayed_untouched


RECORDED = {
    "moved": (lambda writer: writer.vmi("a", "two", 9, **RUNS), "nodes: ['one', 'two'] instead of ['one']"),
    "moved and came back": (
        lambda writer: [writer.vmi("a", node, 9, **RUNS) for node in ("two", "one")],
        "nodes: ['one', 'two', 'one'] instead of ['one']",
    ),
    "ended": (lambda writer: writer.vmi("a", "one", 9, phase="Failed"), "phases: "),
    "paused for a moment": (
        lambda writer: [writer.vmi("a", "one", 9, **PAUSED), writer.vmi("a", "one", 10, **RUNS)],
        "paused: [Condition(status='True', reason='PausedByUser'",
    ),
    "made anew": (
        lambda writer: writer.vmi("a", "one", 9, uid="uid-other", **RUNS),
        "instances: ['uid-vmi-a', 'uid-other'] instead of ['uid-vmi-a']",
    ),
}


@pytest.mark.parametrize(("write", "words"), RECORDED.values(), ids=RECORDED)
def test_what_the_cluster_recorded(write, words):
    found = seen(write)
    assert [each for each in found.disturbances if each.startswith(words)], found.disturbances
    assert len(found.disturbances) == 1
    assert not found.stayed_untouched


def changed(**fields):
    return replace(BEFORE, identity=replace(BEFORE.identity, **fields))


IN_THE_GUEST = {
    "lost its device": (replace(BEFORE, devices=GuestDevices(0, ())), "devices in the guest: "),
    "driver dead": (replace(BEFORE, devices=GuestDevices(1, ())), "devices in the guest: "),
    "other device behind it": (replace(BEFORE, mdev="mdev-2"), "mediated device: mdev-2 instead of mdev-1"),
    "no device behind it": (replace(BEFORE, mdev=None), "mediated device: None instead of mdev-1"),
    "process restarted": (changed(pid=5000), "process id changed from 4711 to 5000"),
    "process id used again": (changed(start_ticks=99999), "process start time changed from 98765 to 99999"),
    "rebooted": (changed(boot_id="boot-2"), "boot id changed from boot-1 to boot-2"),
    "workload gone": (replace(BEFORE, identity=None), "the workload does not go on: why"),
}


@pytest.mark.parametrize(("after", "words"), IN_THE_GUEST.values(), ids=IN_THE_GUEST)
def test_what_the_guest_says(after, words):
    found = seen(after=after, guest_error="why")
    assert len(found.disturbances) == 1
    assert found.disturbances[0].startswith(words)
    assert words in found.story()


def test_a_guest_that_does_not_answer_has_lost_everything():
    found = seen(after=None, guest_error="no answer on SSH")
    assert "the workload does not go on: no answer on SSH" in found.disturbances
    assert found.continuity.downtime == float("inf")


def test_beats_that_are_missing():
    found = seen(beats=BEATS[:5] + BEATS[7:])
    assert found.disturbances == ["heartbeat goes from 5 to 8 at 1004"]


def test_a_long_gap_alone_is_downtime_and_no_disturbance():
    late = tuple(replace(beat, at=beat.at + 40 * (beat.counter > 9)) for beat in BEATS)
    found = seen(beats=late)
    assert found.stayed_untouched
    assert found.continuity.downtime == 40.5


@pytest.mark.parametrize("kind", ["VirtualMachineInstance"])
def test_a_gap_in_the_recording_answers_nothing(kind):
    writer = Writer()
    writer.vmi("a", "one", 1, Change.LISTED, **RUNS)
    blind = Seen(VM, "one", BEFORE, BEFORE, BEATS, closed=writer.timeline(gaps=(gap(kind),)))
    with pytest.raises(NotEnoughEvidence, match="gap"):
        _ = blind.stayed_untouched


def test_nothing_is_answered_while_it_is_recorded():
    with pytest.raises(NotEnoughEvidence, match="nothing is recorded yet"):
        _ = Seen(VM).timeline
    with pytest.raises(NotEnoughEvidence, match="not looked at before"):
        _ = replace(seen(), before=None).continuity


def test_launchers_that_have_not_ended_are_left():
    def pods(writer):
        writer.pod("source", "a", "Running", "one")
        writer.pod("target", "a", "Running", "two")
        writer.pod("target", "a", "Failed", "two")
        writer.pod("removed", "a", "Running", "two")
        writer.pod("removed", "a", "Running", "two", Change.DELETED)
        writer.pod("stuck", "a", "Pending")
        writer.pod("foreign", "b", "Running", "one")

    assert seen(pods).launchers_left == 2


def test_the_latest_migration_is_the_one():
    def moves(writer):
        for name, phase in (("m1", "Failed"), ("m2", "Succeeded")):
            writer.vmim(name, "a", "Pending", 2, Change.ADDED)
            writer.vmim(name, "a", phase, 3)
        writer.vmim("other", "b", "Failed", 4, Change.ADDED)

    found = seen(moves)
    assert [migration.key for migration in found.migrations] == ["qa/m1", "qa/m2"]
    assert (found.migration.key, found.succeeded) == ("qa/m2", True)


def test_no_migration_is_lost_with_a_reason_or_unknown_without():
    found = seen()
    assert not found.succeeded
    with pytest.raises(NotEnoughEvidence, match="no migration of qa/a was recorded"):
        _ = found.migration
    with found.noting():
        raise WaitTimeout("it took too long", next_step="wait")
    with pytest.raises(GoalLost, match="no migration of qa/a was recorded: it took too long"):
        _ = found.migration
    assert "Trouble: it took too long" in found.story()


def test_beats_after_the_end_are_counted():
    assert seen(beats_at_end=15).beats_after_end == 4


def test_values_leave_repetitions_and_absences_out():
    def modes(writer):
        for mode in ("PreCopy", "PreCopy", "Paused"):
            writer.vmi("a", "one", 9, migrationState={"mode": mode}, **RUNS)

    found = seen(modes)
    assert found.values_of(lambda vmi: vmi["status"].get("migrationState", {}).get("mode")) == ["PreCopy", "Paused"]


class Sink:
    def __init__(self):
        self.left = []

    def __getattr__(self, kind):
        return lambda name, *_: self.left.append((kind, name))


def test_a_failed_test_leaves_more_evidence():
    good, bad = Sink(), Sink()
    seen().attach_to(good, failed=False)
    seen().attach_to(bad, failed=True)
    assert good.left == [("picture", "timeline of a"), ("figure", "guest-observed downtime")]
    assert bad.left[2:] == [("text", "story"), ("objects", "last states")]
