"""The picture of an Eviction: conditions with reasons and messages, and the outstanding servers as a step line."""

import xml.etree.ElementTree as ElementTree

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.evidence.conditions import picture
from utilities.history import Change, Gap, Record, Timeline

SVG = "{http://www.w3.org/2000/svg}"
SHOWN = ("Evicting", "PreflightChecksSucceeded", "MigratingInstance")
UUID = "0a1b2c3d-1111-2222-3333-444455556666"


def outstanding(obj):
    return len(obj.get("status", {}).get("outstandingInstances") or ())


def eviction(version, second, left, **said):
    stamp = f"2026-01-02T03:{second // 60:02}:{second % 60:02}Z"
    conditions = [
        {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": stamp}
        for kind, (status, reason, message) in said.items()
    ]
    metadata = {"name": "node-1", "uid": "e1", "resourceVersion": str(version), "managedFields": [{"time": stamp}]}
    obj = {"metadata": metadata, "status": {"conditions": conditions, "outstandingInstances": ["x"] * left}}
    return Record.of(Change.MODIFIED, "Eviction", obj, received=float(version))


def drained():
    running = {"Evicting": ("True", "Running", "Running")}
    checked = running | {"PreflightChecksSucceeded": ("True", "Succeeded", "Preflight checks passed")}
    failed = ("False", "Failed", f"Migration of instance {UUID} failed: no <space>")
    finished = ("False", "Succeeded", f"Migration of instance {UUID} finished")
    done = checked | {"MigratingInstance": finished, "Evicting": ("False", "Succeeded", "eviction completed")}
    return [
        eviction(1, 0, 0, **running),
        eviction(2, 1, 3, **checked),
        eviction(3, 20, 2, **checked, MigratingInstance=failed),
        eviction(4, 60, 1, **checked, MigratingInstance=finished),
        eviction(5, 80, 0, **done),
    ]


def drawn(records, gaps=()):
    timeline = Timeline.of(records, watched=["Eviction"], gaps=gaps)
    return picture("Eviction node-1", timeline, "Eviction", "node-1", SHOWN, {"outstandingInstances": outstanding})


def words(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314  our own


def test_conditions_their_reasons_and_their_messages():
    shown = words(drawn(drained()))

    assert {"Evicting", "MigratingInstance", "True Running", "False Failed", "False Succeeded"} <= set(shown)
    assert "+20 s  MigratingInstance False Failed: Migration of instance 0a1b2c3d failed: no <space>" in shown
    assert "+80 s  Evicting False Succeeded: eviction completed" in shown
    assert shown.index("outstandingInstances") > shown.index("MigratingInstance")


def test_the_number_is_a_step_line():
    groups = ElementTree.fromstring(drawn(drained())).iter(f"{SVG}g")  # noqa: S314  our own
    (area,) = [group for group in groups if group.get("fill") == "#8250df"]
    heights = [float(rect.get("height")) for rect in area]

    assert [round(height / heights[-1]) for height in heights] == [3, 2, 1]


def test_very_many_messages_leave_out_their_middle():
    records = [eviction(n, n, 1, MigratingInstance=("False", "Failed", f"attempt {n} failed")) for n in range(1, 100)]
    assert "… 59 lines left out …" in words(drawn(records))


def test_a_state_that_may_have_been_missed_is_no_picture():
    with pytest.raises(NotEnoughEvidence, match="inconclusive"):
        drawn(drained(), [Gap("Eviction", 2, 3, 2.0, 3.0, "410")])
    with pytest.raises(NotEnoughEvidence, match="Eviction node-1 does not appear"):
        drawn([])


def test_an_object_that_goes_ends_its_lanes():
    last = drained()[-1]
    gone = Record.of(Change.DELETED, "Eviction", last.object, received=6.0, version="6")
    assert "True Running" in words(drawn([*drained(), gone]))
