"""Tables: ages, cells of the kinds kubectl shows most, columns of custom resources (sheet §3.6, §5.4)."""

import pytest

from lab.apiserver.builtin.kinds import BUILTIN
from lab.apiserver.resources import Column, Resource
from lab.apiserver.tables.ages import age_since, human
from lab.apiserver.tables.jsonpath import PathError, first
from lab.apiserver.tables.printers import printer_of
from lab.apiserver.tables.rendering import TableForm, table
from lab.clock import parse_timestamp

NOW = parse_timestamp("2026-01-01T01:00:00Z")
BORN = {"creationTimestamp": "2026-01-01T00:59:00Z"}
KINDS = {(resource.group, resource.plural): resource for resource in BUILTIN}


def cells(plural: str, obj: dict, group: str = "") -> dict[str, object]:
    printer = printer_of(KINDS[group, plural])
    return dict(zip((column.name for column in printer.columns), printer.cells(obj, NOW), strict=True))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (125, "2m5s"), (600, "10m"), (10_799, "179m"), (10_800, "3h"),
        (3 * 3600 + 300, "3h5m"), (8 * 3600, "8h"), (47 * 3600, "47h"), (48 * 3600, "2d"), (50 * 3600, "2d2h"),
        (8 * 86400, "8d"), (729 * 86400, "729d"), (730 * 86400, "2y"), (731 * 86400, "2y1d"), (3000 * 86400, "8y"),
        (-5, "<invalid>"),
    ],
)  # fmt: skip
def test_ages(seconds, shown):
    assert human(seconds) == shown


def test_ages_of_missing_and_malformed_stamps():
    assert age_since(None, NOW) == "<unknown>"
    assert age_since("yesterday", NOW) == "<invalid>"


def pod(**status) -> dict:
    spec = {"containers": [{"name": "a"}, {"name": "b"}], "nodeName": "n1"}
    return {"metadata": {"name": "p", **BORN}, "spec": spec, "status": status}


def state(name: str, *, ready: bool = False, restarts: int = 0, **kind) -> dict:
    return {"name": name, "ready": ready, "restartCount": restarts, "state": kind}


def test_a_running_pod():
    shown = cells("pods", pod(phase="Running", podIP="10.0.0.1", containerStatuses=[
        state("a", ready=True, running={}), state("b", restarts=2, running={})]))  # fmt: skip
    assert (shown["Ready"], shown["Status"], shown["Restarts"], shown["Age"]) == ("1/2", "Running", "2", "60s")
    assert (shown["IP"], shown["Node"], shown["Nominated Node"]) == ("10.0.0.1", "n1", "<none>")


GATED = {"type": "PodScheduled", "reason": "SchedulingGated"}


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ({"phase": "Pending"}, "Pending"),
        ({"phase": "Failed", "reason": "Evicted"}, "Evicted"),
        ({"phase": "Pending", "containerStatuses": [state("a", waiting={"reason": "ErrImagePull"})]}, "ErrImagePull"),
        ({"phase": "Failed", "containerStatuses": [state("a", terminated={"exitCode": 3})]}, "ExitCode:3"),
        ({"phase": "Pending", "initContainerStatuses": [state("i", running={})]}, "Init:0/0"),
        (
            {"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]},
            "SchedulingGated",
        ),
    ],
)
def test_the_status_word_of_a_pod(status, word):
    assert cells("pods", pod(**status))["Status"] == word


def test_a_terminating_pod():
    obj = pod(phase="Running")
    obj["metadata"]["deletionTimestamp"] = "2026-01-01T01:00:10Z"
    assert cells("pods", obj)["Status"] == "Terminating"


def test_a_cordoned_node():
    obj = {
        "metadata": {"name": "n1", "labels": {"node-role.kubernetes.io/worker": ""}, **BORN},
        "spec": {"unschedulable": True},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": "192.168.0.4"}],
            "nodeInfo": {"kubeletVersion": "v1.33.0"},
        },
    }
    shown = cells("nodes", obj)
    assert (shown["Status"], shown["Roles"], shown["Version"]) == ("Ready,SchedulingDisabled", "worker", "v1.33.0")
    assert (shown["Internal-IP"], shown["External-IP"], shown["OS-Image"]) == ("192.168.0.4", "<none>", "<unknown>")


def test_an_event_looks_the_same_in_both_groups():
    core = {
        "metadata": {"name": "e"}, "involvedObject": {"kind": "Node", "name": "n1"}, "type": "Normal", "reason": "R",
        "message": "m\n", "source": {"component": "c", "host": "h"}, "count": 3,
        "firstTimestamp": "2026-01-01T00:50:00Z", "lastTimestamp": "2026-01-01T00:59:50Z",
    }  # fmt: skip
    newer = {
        "metadata": {"name": "e"}, "regarding": {"kind": "Node", "name": "n1"}, "type": "Normal", "reason": "R",
        "note": "m\n", "deprecatedSource": {"component": "c", "host": "h"}, "deprecatedCount": 3,
        "deprecatedFirstTimestamp": "2026-01-01T00:50:00Z", "deprecatedLastTimestamp": "2026-01-01T00:59:50Z",
    }  # fmt: skip
    shown = cells("events", core)
    assert list(shown.values()) == ["10s", "Normal", "R", "node/n1", "", "c, h", "m", "10m", 3, "e"]
    assert cells("events", newer, "events.k8s.io") == shown


@pytest.mark.parametrize("resource", BUILTIN, ids=lambda resource: f"{resource.plural}.{resource.group}")
def test_objects_with_nothing_in_them_have_a_cell_for_every_column(resource):
    printer = printer_of(resource)
    assert printer.columns[0].name in ("Name", "Last Seen")
    assert len(printer.cells({"metadata": {"name": "x"}}, NOW)) == len(printer.columns)


def test_a_budget_a_claim_and_a_default_class():
    budget = {"metadata": {"name": "b"}, "spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 2}}
    shown = cells("poddisruptionbudgets", budget, "policy")
    assert (shown["Min Available"], shown["Max Unavailable"], shown["Allowed Disruptions"]) == ("50%", "N/A", 2)
    claim = {
        "metadata": {"name": "c"}, "spec": {"volumeName": "v", "storageClassName": "fast", "volumeMode": "Block"},
        "status": {"phase": "Bound", "accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"}},
    }  # fmt: skip
    shown = cells("persistentvolumeclaims", claim)
    assert [shown[name] for name in ("Status", "Volume", "Capacity", "Access Modes", "VolumeMode")] == [
        "Bound", "v", "1Gi", "RWX", "Block",
    ]  # fmt: skip
    note = {"storageclass.kubernetes.io/is-default-class": "true"}
    assert cells("storageclasses", {"metadata": {"name": "s", "annotations": note}}, "storage.k8s.io")["Name"] == (
        "s (default)"
    )


CUSTOM = Resource(
    "g", "v1", "things", "Thing", custom=True,
    columns=(
        Column("Ready", "string", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Zone", "string", r".metadata.labels.topology\.io/zone"),
        Column("Size", "integer", ".spec.size"), Column("Parts", "string", ".spec.parts"),
        Column("Seen", "date", ".status.seen"), Column("Gone", "string", ".status.gone", priority=1),
    ),
)  # fmt: skip


def test_columns_of_a_custom_resource():
    obj = {
        "metadata": {"name": "x", "labels": {"topology.io/zone": "a"}},
        "spec": {"size": 3, "parts": ["b"]},
        "status": {"conditions": [{"type": "Up", "status": "F"}, {"type": "Ready", "status": "T"}],
                   "seen": "2026-01-01T00:59:57Z"},
    }  # fmt: skip
    shown = table(CUSTOM, [obj], {"resourceVersion": "5"}, NOW, TableForm())
    assert shown["rows"] == [
        {
            "cells": ["x", "T", "a", 3, '["b"]', "3s", None],
            "object": {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]},
        }
    ]
    assert [column["priority"] for column in shown["columnDefinitions"]] == [0] * 6 + [1]
    assert shown["columnDefinitions"][0] | {"description": ""} == {
        "name": "Name", "type": "string", "format": "name", "description": "", "priority": 0,
    }  # fmt: skip


def test_paths_of_single_quotes_indexes_and_what_is_missing():
    obj = {"a": [{"type": "x", "v": 1}, {"type": "y", "v": 2}]}
    assert first(obj, ".a[?(@.type=='y')].v") == 2
    assert first(obj, ".a[1].v") == 2
    assert first(obj, ".a[7].v") is None
    assert first(obj, "{.a[*].v}") == 1
    assert first(obj, ".b.c") is None
    with pytest.raises(PathError):
        first(obj, "..a")
