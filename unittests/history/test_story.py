"""The story: who changed to what, when."""

from textwrap import dedent

import pytest

from utilities.history import POD, VMI, VMIM, Change, headline

from .build import Writer, gap


def test_the_story_of_a_move():
    w = Writer()
    w.vm("v", "Running", 10, Change.LISTED)
    w.event("old", VMI, "v", ("Normal", "Started", "before"), Change.LISTED)
    w.vmim("m", "v", "Pending", 12, Change.ADDED)
    w.vmim("m", "v", "Pending", 13)
    w.vmim("m", "v", "Running", 15)
    w.vm("v", "Migrating")
    w.event("e", VMI, "v", ("Normal", "Migrating", "VirtualMachineInstance is migrating."))
    w.vm("v", "Migrating", 20, change=Change.DELETED)

    assert w.timeline((gap(POD, 1, 2),)).story() == dedent("""\
        Story since 2026-01-02T03:00:10Z, in product seconds:
               +0.0  VM qa/v  Running
               +2.0  VMIM qa/m  Pending
               +5.0  VMIM qa/m  Pending -> Running
                  ~  VM qa/v  Running -> Migrating
                  ~  Event  Normal Migrating about VMI v: VirtualMachineInstance is migrating.
              +10.0  VM qa/v  Migrating -> gone
          GAP Pod unobserved after resourceVersion 1 until resourceVersion 2: 410 Expired""")


def test_the_story_of_one_migration_has_its_vmi_and_events_about_both():
    w = Writer()
    w.vmi("v", "a", change=Change.LISTED)
    w.vmi("u", "a", change=Change.LISTED)
    w.vmim("m", "v", "Pending", change=Change.ADDED)
    w.event("e", VMI, "v", ("Normal", "Migrating", "of v"))
    w.event("f", VMI, "u", ("Normal", "Migrating", "of u"))
    timeline = w.timeline()
    told = timeline.story(timeline.migration("uid-m"))

    assert "VMI qa/v" in told
    assert "of v" in told
    assert "qa/u" not in told
    assert "of u" not in told
    assert told == timeline.story(timeline.migrations())


def test_a_long_story_keeps_its_ends():
    w = Writer()
    for number in range(1000):
        w.vm("v", f"status {number}")
    told = w.timeline().story()

    assert len(told.splitlines()) == 202
    assert "… 800 lines left out …" in told
    assert told.endswith("-> status 999")


def test_a_story_of_nothing():
    assert Writer().timeline().story().endswith("nothing changed")


@pytest.mark.parametrize(
    ("kind", "obj", "expected"),
    [
        (VMIM, {"status": {"phase": "Running"}, "metadata": {"deletionTimestamp": "x"}}, "Running, deletion asked"),
        (VMI, {"status": {"phase": "Running", "nodeName": "a"}}, "Running on a"),
        (
            VMI,
            {"status": {"migrationState": {"sourceNode": "a", "targetNode": "b", "mode": "Paused"}}},
            "new, migration a to b in mode Paused",
        ),
        (
            VMI,
            {
                "status": {
                    "migrationState": {"sourceNode": "a", "targetNode": "b", "failed": True, "failureReason": "r"}
                }
            },
            "new, migration a to b failed: r",
        ),
        (
            VMI,
            {"status": {"conditions": [{"type": "LiveMigratable", "status": "False", "reason": "X"}]}},
            "new, not migratable (X)",
        ),
        (POD, {"spec": {"nodeName": "a"}, "status": {"phase": "Running"}}, "Running on a"),
        (
            POD,
            {
                "status": {
                    "phase": "Pending",
                    "conditions": [{"type": "PodScheduled", "status": "False", "reason": "U"}],
                }
            },
            "Pending, U: None",
        ),
        ("Node", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "Ready True"),
        ("ConfigMap", {"data": {}}, ""),
    ],
)
def test_headlines(kind, obj, expected):
    assert headline(kind, obj) == expected
