"""Questions about migrations, one handwritten timeline each, and one that must fail for each."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utilities.errors import NotEnoughEvidence
from utilities.history import POD, VMI, VMIM, Change, Interval, Record, Timeline
from utilities.history.in_flight import Level, Outcome

from .build import EPOCH, Writer, gap, stamp

STATE = {"migrationUid": "uid-m", "sourceNode": "a", "targetNode": "b"}
STAMPS = [
    {"phase": "Pending", "phaseTransitionTimestamp": stamp(1)},
    {"phase": "Scheduling", "phaseTransitionTimestamp": stamp(2)},
    {"phase": "Running", "phaseTransitionTimestamp": stamp(5)},
    {"phase": "Succeeded", "phaseTransitionTimestamp": stamp(9)},
]


def arriving() -> Writer:
    """One VMI moves from a to b, through modes PreCopy and Paused. It is on b; its migration is not final yet."""
    w = Writer()
    w.vmi("v", "a", change=Change.LISTED)
    w.vmim("m", "v", "Pending", 1, Change.ADDED, phaseTransitionTimestamps=STAMPS[:1])
    w.pod("p", "v", "Pending", change=Change.ADDED, migrationJobUID="uid-m")
    w.vmim("m", "v", "Scheduling", 2, phaseTransitionTimestamps=STAMPS[:2])
    w.vmi("v", "a", migrationState=STATE)
    w.vmi("v", "a", migrationState=STATE | {"mode": "PreCopy"})
    w.vmim("m", "v", "Running", 5, phaseTransitionTimestamps=STAMPS[:3])
    w.vmi("v", "a", migrationState=STATE | {"mode": "Paused"})
    w.vmi("v", "b", migrationState=STATE | {"mode": "Paused", "completed": True})
    return w


def moved() -> Writer:
    """The same, and the migration is final."""
    w = arriving()
    w.vmim("m", "v", "Succeeded", 9, phaseTransitionTimestamps=STAMPS)
    return w


def test_phases_with_times():
    migration = moved().timeline().migration("qa/m")

    assert migration.phase_names == ("Pending", "Scheduling", "Running", "Succeeded")
    assert migration.entered("Running") == EPOCH + 5
    assert migration.phases[1].received == pytest.approx(0.104)
    assert (migration.phase, migration.succeeded, migration.failed) == ("Succeeded", True, False)


def test_phases_survive_a_gap_through_their_stamps():
    w = moved()
    last_only = [
        record for record in w.records if record.kind != VMIM or record.object["status"]["phase"] == "Succeeded"
    ]
    migration = w.timeline((gap(VMIM),), last_only).migration("uid-m")

    assert migration.phase_names == ("Pending", "Scheduling", "Running", "Succeeded")
    assert [phase.received is None for phase in migration.phases] == [True, True, True, False]


def test_a_phase_without_stamp_is_placed_where_it_was_seen():
    w = Writer()
    w.vmi("v", "a", change=Change.LISTED)
    for phase, stamps in (("Pending", STAMPS[:1]), ("Scheduled", STAMPS[:1]), ("Running", [STAMPS[0], STAMPS[2]])):
        w.vmim("m", "v", phase, phaseTransitionTimestamps=stamps)
    migration = w.timeline().migration("uid-m")

    assert migration.phase_names == ("Pending", "Scheduled", "Running")
    with pytest.raises(NotEnoughEvidence, match="qa/m states no time of phase Scheduled"):
        migration.entered("Scheduled")


def test_modes_and_nodes():
    migration = moved().timeline().migration("uid-m")

    assert migration.modes == ("PreCopy", "Paused")
    assert (migration.source_node, migration.target_node, migration.vmi) == ("a", "b", "qa/v")


def test_a_mode_shown_for_one_write_is_seen():
    w = moved()
    w.records.insert(8, w.vmi("v", "a", migrationState=STATE | {"mode": "PostCopy"}))

    assert "PostCopy" in w.timeline().migration("uid-m").modes


def test_modes_of_another_migration_do_not_count():
    w = moved()
    w.vmi("v", "b", migrationState={"migrationUid": "uid-later", "mode": "PostCopy"})

    assert w.timeline().migration("uid-m").modes == ("PreCopy", "Paused")


def test_a_gap_in_the_migration_makes_its_modes_inconclusive():
    migration = moved().timeline((gap(VMI, 104, 107),)).migration("uid-m")

    with pytest.raises(NotEnoughEvidence, match="inconclusive, the recording has a gap: VirtualMachineInstance unobs"):
        _ = migration.modes


def test_a_gap_before_the_migration_does_not_matter():
    assert moved().timeline((gap(VMI, 50, 101),)).migration("uid-m").modes == ("PreCopy", "Paused")


def test_a_migration_never_handed_off_would_have_left_the_vmis_node():
    w = Writer()
    w.vmi("v", "a", change=Change.LISTED, migrationState={"migrationUid": "uid-old", "sourceNode": "z"})
    w.vmim("m", "v", "Scheduling", change=Change.ADDED)
    w.vmim("m", "v", "Failed")
    migration = w.timeline().migration("uid-m")

    assert (migration.source_node, migration.target_node, dict(migration.state)) == ("a", None, {})
    assert migration.failed


def test_flight_is_from_the_target_pod_to_the_final_phase():
    assert moved().timeline().migration("uid-m").flight == Interval("qa/m", 103, 110)


def test_a_deleted_migration_is_in_flight_no_more():
    w = Writer()
    w.vmi("v", "a", change=Change.LISTED)
    w.vmim("m", "v", "Running", change=Change.LISTED)
    w.vmim("m", "v", "Running", change=Change.DELETED)

    assert w.timeline().migration("uid-m").flight == Interval("qa/m", float("-inf"), 103)


def test_one_that_ended_before_the_recording_was_never_in_flight():
    w = Writer()
    w.vmi("v", "a", change=Change.LISTED)
    w.pod("p", "v", "Running", "a", Change.LISTED, migrationJobUID="uid-m")
    w.vmim("m", "v", "Succeeded", change=Change.LISTED)

    assert w.timeline().migration("uid-m").flight is None
    assert w.timeline().migrations().peak_in_flight == 0


def test_the_peak_names_its_witnesses():
    w = Writer()
    for name in "uv":
        w.vmi(name, "a", change=Change.LISTED)
        w.vmim(f"m{name}", name, "Pending", change=Change.ADDED)
        w.vmim(f"m{name}", name, "Scheduling")
    second = w.version
    w.vmim("mu", "u", "Failed")
    found = w.timeline().migrations(source="a")

    assert (found.peak_in_flight, found.peak.at, found.peak.subjects) == (2, second, ("qa/mu", "qa/mv"))
    assert [over.count for over in found.in_flight.above(1)] == [2]
    assert found.failed.vmis == {"qa/u"}
    assert len(found.succeeded) == 0


def test_the_node_is_switched_before_the_migration_is_final():
    """The hand-over window, in which a count by the VMI's node alone loses the migration."""
    w = arriving()
    w.vmi("u", "a")
    w.vmim("n", "u", "Scheduling", change=Change.ADDED)
    w.vmim("m", "v", "Succeeded")

    assert w.timeline().migrations(source="a").peak.subjects == ("qa/m", "qa/n")


def test_the_judge_counts_each_node_and_the_cluster():
    w = Writer()
    for name, node in (("u", "a"), ("v", "a"), ("w", "b")):
        w.vmi(name, node, change=Change.LISTED)
        w.vmim(f"m{name}", name, "Scheduling", change=Change.ADDED)
    w.vmi("u", "a", migrationState=STATE | {"migrationUid": "uid-mu"})
    w.vmi("u", "b", migrationState=STATE | {"migrationUid": "uid-mu"})
    flights = w.timeline().migrations().in_flight

    assert flights.judge(3).level is Level.WITHIN
    assert flights.judge(2).exceeded
    assert flights.out_of("a").peak.subjects == ("qa/mu", "qa/mv")
    assert flights.out_of("b").peak.subjects == ("qa/mw",)
    assert flights.into("b").peak.subjects == ("qa/mu",)
    assert flights.reached(3)


def test_the_judge_tells_in_product_time():
    lines = moved().timeline().migrations().in_flight.story().splitlines()

    assert lines[1] == "  qa/m  +0.0 s (watch) until +7.0 s (watch)  VMI qa/v, left, a to b"


def test_outcomes_for_the_judge():
    w = arriving()
    assert w.timeline().migrations().in_flight.unfinished
    w.vmim("m", "v", "Running", change=Change.DELETED)
    assert [flight.outcome for flight in w.timeline().migrations().in_flight] == [Outcome.DELETED]


def test_a_gap_makes_counting_inconclusive():
    with pytest.raises(NotEnoughEvidence, match="inconclusive"):
        moved().timeline((gap(VMIM, 50, 101),)).migrations()


def test_migrations_need_their_kinds_recorded():
    timeline = Timeline.of(moved().records, watched=(VMIM, POD))

    with pytest.raises(NotEnoughEvidence, match="VirtualMachineInstance was not recorded, only Pod, VirtualMach"):
        timeline.migrations()


def test_an_unknown_migration_is_no_answer():
    with pytest.raises(NotEnoughEvidence, match="other does not appear in the recording"):
        moved().timeline().migration("other")


ACTIVE = ("Scheduling", "Scheduled", "Running")
FINAL = ("Succeeded", "Failed")
WRITES = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(("Pending", *ACTIVE, *FINAL))), max_size=30)


@given(WRITES, st.randoms(use_true_random=False))
def test_the_peak_is_that_of_a_count_at_every_write_in_any_order_of_arrival(writes, shuffler):
    w = Writer()
    for number in range(5):
        w.vmi(f"v{number}", "a", change=Change.LISTED)
    active, final, most = set(), set(), 0
    for number, phase in writes:
        w.vmim(f"m{number}", f"v{number}", phase)
        if phase in FINAL:
            final.add(number)
        elif phase in ACTIVE:
            active.add(number)
        most = max(most, len(active - final))
    shuffled = w.timeline(records=shuffler.sample(w.records, len(w.records)))

    assert w.timeline().migrations().peak_in_flight == most
    assert shuffled.migrations().peak == w.timeline().migrations().peak
    assert shuffled.story() == w.timeline().story()


def test_ten_thousand_records_are_judged(benchmark_records):
    timeline = Timeline.of(benchmark_records, watched=(VMI, VMIM, POD))

    assert timeline.migrations(source="a").peak_in_flight == 1000


@pytest.fixture
def benchmark_records() -> list[Record]:
    w = Writer()
    for number in range(1000):
        w.vmi(f"v{number}", "a", change=Change.LISTED)
    for phase in ("Pending", "Scheduling", "Running", "Succeeded"):
        for number in range(1000):
            w.vmim(f"m{number}", f"v{number}", phase)
            w.vmi(f"v{number}", "a", migrationState={"migrationUid": f"uid-m{number}", "sourceNode": "a"})
    random.Random(7).shuffle(w.records)
    return w.records
