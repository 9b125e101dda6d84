"""The picture of a move shows nodes, phases, mode and what the guest noticed, from handwritten recordings."""

import xml.etree.ElementTree as ElementTree

from utilities.evidence.timeline import picture
from utilities.history import Beat, Change

from ..history.build import EPOCH, Writer, stamp

SVG = "{http://www.w3.org/2000/svg}"
MIGRATABLE = {"type": "LiveMigratable", "status": "True"}


def moved(writer, ended="Succeeded"):
    """A migration that starts at 60 s, copies at 70 s, pauses at 80 s and ends at 90 s."""
    times = {"Pending": 60, "Running": 70, ended: 90}
    listed = [{"phase": name, "phaseTransitionTimestamp": stamp(second)} for name, second in times.items()]
    state = {"migrationUid": "uid-a-move", "mode": "PreCopy", "sourceNode": "one", "targetNode": "two"}
    writer.vmi("a", "one", 10, Change.LISTED, conditions=[MIGRATABLE])
    writer.vmim("a-move", "a", "Pending", 60, phaseTransitionTimestamps=listed[:1])
    writer.vmim("a-move", "a", "Running", 70, phaseTransitionTimestamps=listed[:2])
    writer.vmi("a", "one", 70, conditions=[MIGRATABLE], migrationState=state)
    writer.vmi("a", "one", 80, conditions=[MIGRATABLE], migrationState=state | {"mode": "Paused"})
    done = state | {"mode": "Paused", "endTimestamp": stamp(88)}
    writer.vmi("a", "two", 90, conditions=[MIGRATABLE], migrationState=done)
    writer.vmim("a-move", "a", ended, 90, phaseTransitionTimestamps=listed)
    return writer.timeline()


def beats(*moments):
    return [Beat(number, EPOCH + moment) for number, moment in enumerate(moments, start=1)]


def words(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314  our own


def test_a_move_with_all_its_lanes():
    shown = words(picture("a move", moved(Writer()), ["qa/a"], beats(*range(50, 80), *range(88, 95))))
    assert shown[0] == "a move"
    for label in (
        "one",
        "two",
        "True",
        "Pending 10.0 s",
        "Running 20.0 s",
        "Succeeded",
        "PreCopy 10.0 s",
        "Paused 8.0 s",
    ):
        assert label in shown
    assert shown.index("guest") < shown.index("no heartbeat 9.0 s")


def test_it_begins_shortly_before_the_migration():
    svg = picture("t", moved(Writer()), ["qa/a"], beats(*range(100)))
    last_tick = [word for word in words(svg) if word.endswith(" s") and word[0].isdigit()][-1]
    assert last_tick == "40 s"


def test_a_small_gap_is_named_and_a_regular_heartbeat_has_none():
    recording = moved(Writer())
    regular = words(picture("t", recording, ["qa/a"], beats(*range(50, 99))))
    stretched = words(picture("t", recording, ["qa/a"], beats(*range(50, 80), *[each + 0.5 for each in range(80, 99)])))
    assert "runs" in regular
    assert not any("longest" in word for word in regular)
    assert "longest between beats 1.5 s" in stretched


def test_a_failed_migration_is_shown_as_failed():
    assert "Failed" in words(picture("t", moved(Writer(), "Failed"), ["qa/a"]))


def test_a_refused_request_shows_the_machine_and_its_guest():
    writer = Writer()
    writer.vmi("a", "one", 10, Change.LISTED, conditions=[MIGRATABLE | {"status": "False"}])
    shown = words(picture("t", writer.timeline(), ["qa/a"], beats(20, 21, 22, 23)))
    assert [word for word in shown if word in ("one", "False", "runs", "mode")] == ["one", "False", "runs"]


def test_a_start_shows_the_phases_of_the_machine():
    writer = Writer()
    for phase, second in (("Pending", 1), ("Scheduling", 2), ("Running", 9)):
        writer.vmi("a", "one", second, phase=phase)
    assert [word for word in words(picture("t", writer.timeline(), ["qa/a"])) if word.istitle()] == [
        "Pending",
        "Scheduling",
        "Running",
    ]


def test_a_recording_of_nothing_says_so():
    assert "nothing was recorded" in picture("t", Writer().timeline(), [])
