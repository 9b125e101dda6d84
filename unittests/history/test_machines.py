"""Nodes, identities, statuses and conditions over time."""

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history import VM, VMI, Change, Condition

from .build import Writer, gap


def test_nodes_in_order_without_repetitions():
    w = Writer()
    for node in ("", "a", "a", "b", "a"):
        w.vmi("v", node)

    assert w.timeline().nodes("qa/v") == (None, "a", "b", "a")
    assert w.timeline().nodes("uid-vmi-v") == (None, "a", "b", "a")


def test_a_second_identity_shows_a_restart():
    w = Writer()
    w.vmi("v", "a", uid="one")
    w.vmi("v", "a", uid="two")

    assert w.timeline().identities("qa/v") == ("one", "two")


def test_statuses_of_a_vm():
    w = Writer()
    for status in ("Running", "Migrating", "Migrating", "Running"):
        w.vm("v", status)

    assert w.timeline().statuses("qa/v") == ("Running", "Migrating", "Running")


def test_a_status_shown_for_one_write_is_seen():
    w = Writer()
    for status in ("Running", "Paused", "Running"):
        w.vm("v", status)

    assert w.timeline().statuses("qa/v") == ("Running", "Paused", "Running")


def test_a_deleted_object_has_no_status():
    w = Writer()
    w.vm("v", "Running")
    w.vm("v", "Running", change=Change.DELETED)

    assert w.timeline().statuses("qa/v") == ("Running", None)


def test_conditions_appear_change_and_go():
    w = Writer()
    paused = {"type": "Paused", "status": "True", "reason": "PausedByUser", "message": "m"}
    for conditions in ([], [paused], [paused | {"reason": "PausedByMigrationMonitor"}], []):
        w.vmi("v", "a", conditions=conditions)
    steps = w.timeline().conditions(VMI, "qa/v", "Paused")

    assert [step.value for step in steps] == [
        None,
        Condition("True", "PausedByUser", "m"),
        Condition("True", "PausedByMigrationMonitor", "m"),
        None,
    ]
    assert steps[1].record.order == 102


@pytest.mark.parametrize("ask", ["nodes", "identities"])
def test_a_gap_makes_the_answer_inconclusive(ask):
    w = Writer()
    w.vmi("v", "a")

    with pytest.raises(NotEnoughEvidence, match="inconclusive"):
        getattr(w.timeline((gap(VMI),)), ask)("qa/v")


def test_an_object_that_never_appeared_is_no_answer():
    with pytest.raises(NotEnoughEvidence, match="VirtualMachine qa/v does not appear in the recording"):
        Writer().timeline().statuses("qa/v")


def test_a_part_of_a_recording_starts_with_what_existed():
    w = Writer()
    w.vm("v", "Running")
    w.vm("gone", "Running")
    w.vm("gone", "Running", change=Change.DELETED)
    middle = w.vm("v", "Migrating").received
    w.vm("v", "Running")
    later = w.timeline((gap(VM, 50, 60), gap(VM, 101, 102))).between(middle + 0.0005, 99)

    assert later.statuses("qa/v") == ("Migrating", "Running")
    assert [record.change for record in later.records] == [Change.LISTED, Change.MODIFIED]
    assert len(w.timeline((gap(VM, 104, 105),)).between(middle + 0.0005, 99).gaps) == 1


def test_arrival_twice_counts_once():
    w = Writer()
    w.vm("v", "Running")
    w.records.append(w.records[0])

    assert len(w.timeline().records) == 1
