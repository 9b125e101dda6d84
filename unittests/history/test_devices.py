"""Device accounting from pods."""

import math

import pytest

from utilities.errors import NotEnoughEvidence
from utilities.history import POD, Change, Interval

from .build import RESOURCE, Writer, gap


def moved() -> Writer:
    w = Writer()
    w.pod("source", "v", "Running", "a", Change.LISTED)
    w.pod("other", "u", "Running", "a", Change.LISTED)
    w.pod("target", "v", "Pending", change=Change.ADDED)
    w.pod("target", "v", "Pending", "b")
    w.pod("target", "v", "Running", "b")
    w.pod("source", "v", "Succeeded", "a")
    return w


def test_both_nodes_hold_a_device_during_the_move_and_one_after():
    timeline = moved().timeline()

    assert timeline.device_nodes(RESOURCE, vmi="uid-vmi-v") == ({"a": 1}, {"a": 1, "b": 1}, {"b": 1})
    assert timeline.devices_in_use(RESOURCE, vmi="uid-vmi-v") == {"b": 1}
    assert timeline.devices_in_use(RESOURCE) == {"a": 1, "b": 1}
    assert timeline.devices_in_use(RESOURCE, at=105) == {"a": 2, "b": 1}


def test_holdings_begin_when_the_pod_is_bound():
    holdings = moved().timeline().holdings(RESOURCE, vmi="uid-vmi-v")

    assert [(h.node, h.count, h.held) for h in holdings] == [
        ("a", 1, Interval("qa/source", -math.inf, 106)),
        ("b", 1, Interval("qa/target", 104, math.inf)),
    ]


def test_a_leaked_target_shows():
    w = moved()
    w.records.pop()

    assert w.timeline().devices_in_use(RESOURCE, vmi="uid-vmi-v") == {"a": 1, "b": 1}


def test_a_deleted_pod_holds_nothing():
    w = moved()
    w.pod("target", "v", "Running", "b", Change.DELETED)

    assert w.timeline().devices_in_use(RESOURCE, vmi="uid-vmi-v") == {}


def test_pods_without_the_resource_hold_nothing():
    assert moved().timeline().holdings("nvidia.com/NVIDIA_A2-2Q") == ()


def test_a_limit_alone_is_a_request():
    w = Writer()
    spec = {"nodeName": "a", "containers": [{"resources": {"limits": {RESOURCE: "2"}}}]}
    w.write(Change.ADDED, POD, "p", spec=spec, status={"phase": "Running"})

    assert w.timeline().devices_in_use(RESOURCE) == {"a": 2}


def test_a_gap_makes_accounting_inconclusive():
    with pytest.raises(NotEnoughEvidence, match="inconclusive"):
        moved().timeline((gap(POD),)).devices_in_use(RESOURCE)
